package dev.millrace.spring.boot;

import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the engine and its sessions.
 *
 * @param engine the engine that all sessions share
 * @param sessions the sessions by their names, which are the names of their beans
 */
@ConfigurationProperties("millrace")
public record MillraceProperties(
        @DefaultValue @NestedConfigurationProperty EngineProperties engine,
        @DefaultValue Map<String, SessionProperties> sessions) {
    public MillraceProperties {
        sessions = Map.copyOf(sessions);
    }
}
