package dev.millrace.server.setting;

import dev.millrace.graph.EngineException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The log settings and the trace settings of the protocol. {@code log_verbose_level} of 1 or more writes a line for each
 * request. Traces are always off: JFR recordings take their place.
 */
public final class ServerSettings {
    private static final Map<String, Object> TRACE = Map.of(
            "trace_file", "",
            "trace_level", List.of("OFF"),
            "trace_rate", "1000",
            "trace_count", "-1",
            "log_frequency", "0",
            "trace_mode", "triton");

    private final Map<String, Object> log = new LinkedHashMap<>();

    public ServerSettings(boolean accessLog) {
        log.put("log_file", "");
        log.put("log_info", true);
        log.put("log_warning", true);
        log.put("log_error", true);
        log.put("log_verbose_level", accessLog ? 1L : 0L);
        log.put("log_format", "default");
    }

    /** Whether each request is written to the log. */
    public synchronized boolean hasAccessLog() {
        return log.get("log_verbose_level") instanceof Long level && level > 0;
    }

    public synchronized Map<String, Object> log() {
        return new LinkedHashMap<>(log);
    }

    /** Changes log settings, all or none; returns all of them. */
    public synchronized Map<String, Object> changeLog(Map<String, ? extends @Nullable Object> changes) {
        var next = new LinkedHashMap<>(log);
        changes.forEach((name, value) -> {
            Object now = log.get(name);
            if (now == null) {
                throw EngineException.invalidArgument(
                        "there is no log setting '" + name + "'; there are " + log.keySet());
            }
            if (value == null || !now.getClass().isInstance(value)) {
                throw EngineException.invalidArgument("log setting '" + name + "' is like " + now + ", not " + value);
            }
            if (!now.equals(value) && !name.equals("log_verbose_level")) {
                throw EngineException.notImplemented(
                        "log setting '" + name + "' is that of the JVM's logging, which its configuration changes");
            }
            next.put(name, value);
        });
        log.putAll(next);
        return next;
    }

    public static Map<String, Object> trace() {
        return TRACE;
    }

    /** Accepts trace settings that are as they are, and refuses others; returns all of them. */
    public static Map<String, Object> changeTrace(Map<String, ? extends @Nullable Object> changes) {
        changes.forEach((name, value) -> {
            Object now = TRACE.get(name);
            if (now == null) {
                throw EngineException.invalidArgument("there is no trace setting '" + name + "'");
            }
            boolean same =
                    value == null || now.equals(value) || value instanceof List<?> list && list.equals(List.of(now));
            if (!same) {
                throw EngineException.notImplemented("trace setting '" + name
                        + "' cannot be changed: the server writes no traces; use a JFR recording");
            }
        });
        return TRACE;
    }
}
