package dev.millrace.server.setting;

import dev.millrace.graph.EngineException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The log settings and the trace settings of the protocol. {@code log_verbose_level} of 1 or more writes a line for each
 * request. Triton's trace files are always off: traces of OpenTelemetry and JFR recordings take their place.
 */
public final class ServerSettings {
    private static final long MOST_VERBOSE = 0xFFFF_FFFFL;
    private static final Map<String, Object> TRACE = Map.of(
            "trace_file", "",
            "trace_level", List.of("OFF"),
            "trace_rate", "1000",
            "trace_count", "-1",
            "log_frequency", "0",
            "trace_mode", "triton");
    /** The values that trace settings have, as patterns. */
    private static final Map<String, String> TRACE_VALUES = Map.of(
            "trace_file", ".*",
            "trace_level", "OFF|TIMESTAMPS|TENSORS|MIN|MAX",
            "trace_rate", "[0-9]+",
            "trace_count", "-1|[0-9]+",
            "log_frequency", "[0-9]+",
            "trace_mode", "triton|opentelemetry");

    private static final List<String> LOG_FORMATS = List.of("default", "ISO8601");

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
            checkLog(name, value);
            if (!now.equals(value) && !name.equals("log_verbose_level")) {
                throw EngineException.notImplemented(
                        "log setting '" + name + "' is that of the JVM's logging, which its configuration changes");
            }
            next.put(name, value);
        });
        log.putAll(next);
        return next;
    }

    private static void checkLog(String name, Object value) {
        if (value instanceof Long level && (level < 0 || level > MOST_VERBOSE)) {
            throw EngineException.invalidArgument(
                    "log setting '" + name + "' is " + value + "; it is from 0 to " + MOST_VERBOSE);
        }
        if (name.equals("log_format") && !LOG_FORMATS.contains(value)) {
            throw EngineException.invalidArgument(
                    "log setting '" + name + "' is '" + value + "'; it is one of " + LOG_FORMATS);
        }
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
            if (value != null && !texts(name, value).equals(texts(name, now))) {
                throw EngineException.notImplemented("trace setting '" + name
                        + "' cannot be changed: the server writes no trace files; start it with --telemetry, or use a"
                        + " JFR recording");
            }
        });
        return TRACE;
    }

    /** Returns the values of a trace setting. There is one, but for the levels. */
    private static List<String> texts(String name, Object value) {
        List<String> texts = value instanceof List<?> list
                ? list.stream().map(String::valueOf).toList()
                : List.of(value.toString());
        String values = TRACE_VALUES.getOrDefault(name, "");
        boolean isCount = name.equals("trace_level") ? !texts.isEmpty() : texts.size() == 1;
        if (!isCount || !texts.stream().allMatch(each -> each.matches(values))) {
            throw EngineException.invalidArgument("trace setting '" + name + "' is " + value + "; it is " + values);
        }
        return texts;
    }
}
