package dev.millrace.spring.boot;

import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.session.Engine;
import dev.millrace.session.Health;
import dev.millrace.session.MemoryUse;
import dev.millrace.session.Session;
import dev.millrace.session.SessionReport.PartitionInfo;
import dev.millrace.session.ValueInfo;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.context.properties.bind.BindException;

/** The Actuator endpoint {@code millrace}: the engine, its memory and devices, its sessions. Writing to a session reloads it. */
@Endpoint(id = "millrace")
public final class MillraceEndpoint {
    /** Tells why a reload failed, which Spring Boot keeps from clients. */
    private static final Logger LOG = System.getLogger(MillraceEndpoint.class.getName());

    private final EngineInUse engine;
    private final MillraceSessions sessions;

    MillraceEndpoint(EngineInUse engine, MillraceSessions sessions) {
        this.engine = engine;
        this.sessions = sessions;
    }

    /**
     * The engine and its sessions.
     *
     * @param threads threads that can work on one run
     * @param memory bytes that the models hold
     * @param devices devices that providers can drive, after the names of the providers
     */
    public record EngineDescription(
            int threads,
            List<String> providers,
            List<String> devices,
            MemoryUse memory,
            Health health,
            List<SessionDescription> sessions) {}

    /**
     * A session.
     *
     * @param model the location of the model, as it is configured
     * @param waiting requests that wait for their runs
     * @param notes remarks about the creation of the session
     */
    public record SessionDescription(
            String name,
            @Nullable String model,
            String version,
            List<String> inputs,
            List<String> outputs,
            List<PartitionInfo> partitions,
            int waiting,
            Health health,
            List<String> notes) {}

    /** Returns the engine and its sessions; null, for "not found", if nothing has needed an engine. */
    @ReadOperation
    public @Nullable EngineDescription engine() {
        return engine.get().map(this::describe).orElse(null);
    }

    private EngineDescription describe(Engine used) {
        return new EngineDescription(
                used.threads(),
                used.providers(),
                used.devices().stream().map(MillraceEndpoint::text).toList(),
                used.memory(),
                used.health(),
                sessions.all().stream().map(MillraceEndpoint::describe).toList());
    }

    private static String text(ProviderDevice device) {
        return device.provider() + ": " + device.hardware().type() + " "
                + device.hardware().vendor();
    }

    private static SessionDescription describe(ServedSession served) {
        Session session = served.session();
        return new SessionDescription(
                served.name(),
                served.properties().model(),
                session.label().version(),
                session.inputs().stream().map(ValueInfo::toString).toList(),
                session.outputs().stream().map(ValueInfo::toString).toList(),
                session.report().partitions(),
                session.waiting(),
                session.health(),
                session.report().notes());
    }

    /** Returns a session; null, for "not found", if none has the name. */
    @ReadOperation
    public @Nullable SessionDescription session(@Selector String session) {
        return sessions.names().contains(session) ? describe(sessions.get(session)) : null;
    }

    /** Reads the properties and the model of a session again; returns null, for "not found", if none has the name. */
    @WriteOperation
    public @Nullable SessionDescription reload(@Selector String session) {
        if (!sessions.names().contains(session)) {
            return null;
        }
        try {
            sessions.reload(session);
        } catch (ModelOpenException | BindException e) {
            String reason = Objects.requireNonNull(e.getMessage());
            LOG.log(Level.WARNING, "session " + session + " goes on with its earlier model: " + reason);
            throw new InvalidEndpointRequestException(reason, reason);
        }
        return describe(sessions.get(session));
    }
}
