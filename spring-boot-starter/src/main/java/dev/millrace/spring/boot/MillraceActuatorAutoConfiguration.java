package dev.millrace.spring.boot;

import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Configures the health and the endpoint of the engine for Actuator. */
@AutoConfiguration(after = MillraceAutoConfiguration.class)
public final class MillraceActuatorAutoConfiguration {
    /** The health of the engine and its sessions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    static class EngineHealth {
        @Bean
        @ConditionalOnEnabledHealthIndicator("millrace")
        @ConditionalOnMissingBean(name = "millraceHealthIndicator")
        HealthIndicator millraceHealthIndicator(ConfigurableListableBeanFactory beans, MillraceSessions sessions) {
            return new MillraceHealthIndicator(new EngineInUse(beans), sessions);
        }
    }

    /** The endpoint that describes and reloads sessions. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
    static class EngineEndpoint {
        @Bean
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        MillraceEndpoint millraceEndpoint(ConfigurableListableBeanFactory beans, MillraceSessions sessions) {
            return new MillraceEndpoint(new EngineInUse(beans), sessions);
        }
    }
}
