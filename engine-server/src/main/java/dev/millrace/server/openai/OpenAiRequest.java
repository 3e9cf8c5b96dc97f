package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.server.timeline.RequestTimeline;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The body of a request in OpenAI's form, with the times of the request. */
record OpenAiRequest(Map<String, @Nullable Object> values, RequestTimeline timeline) {
    String model() {
        return text("model");
    }

    String text(String name) {
        if (values.get(name) instanceof String text) {
            return text;
        }
        throw EngineException.invalidArgument("'" + name + "' is a text");
    }

    boolean flag(String name) {
        return switch (values.get(name)) {
            case null -> false;
            case Boolean truth -> truth;
            default -> throw EngineException.invalidArgument("'" + name + "' is true or false");
        };
    }

    /** Returns a whole number of at least 1, or {@code otherwise} where there is none. */
    int count(String name, int otherwise) {
        return switch (values.get(name)) {
            case null -> otherwise;
            case Long number when number >= 1 && number <= Integer.MAX_VALUE -> number.intValue();
            default -> throw EngineException.invalidArgument("'" + name + "' is a whole number of at least 1");
        };
    }

    List<?> list(String name) {
        if (values.get(name) instanceof List<?> list) {
            return list;
        }
        throw EngineException.invalidArgument("'" + name + "' is a list");
    }

    /** Returns a text, or a list of texts, as a list. */
    List<String> texts(String name) {
        Object value = values.get(name);
        if (value instanceof String text) {
            return List.of(text);
        }
        if (value instanceof List<?> list && !list.isEmpty() && list.stream().allMatch(String.class::isInstance)) {
            return list.stream().map(String.class::cast).toList();
        }
        throw EngineException.invalidArgument(
                "'" + name + "' is a text or a list of texts; lists of tokens are not read");
    }

    /** Refuses what the server does not do, unless it is absent or has a value that asks for nothing. */
    void refuse(String name, Object harmless, String sentence) {
        Object value = values.get(name);
        boolean empty = value == null || value.equals(harmless) || value instanceof List<?> list && list.isEmpty();
        if (!empty) {
            throw EngineException.invalidArgument("'" + name + "': " + sentence);
        }
    }

    /** Whether a stream ends with the numbers of tokens. */
    boolean includesUsage() {
        return values.get("stream_options") instanceof Map<?, ?> options
                && Boolean.TRUE.equals(options.get("include_usage"));
    }
}
