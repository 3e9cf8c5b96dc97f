package dev.millrace.server.openai;

import dev.millrace.graph.EngineException;
import dev.millrace.server.timeline.RequestTimeline;
import dev.millrace.text.Tokenizer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The body of a request in OpenAI's form, with the times of the request. */
record OpenAiRequest(Map<String, @Nullable Object> values, RequestTimeline timeline) {
    String model() {
        return text("model");
    }

    String text(String name) {
        return switch (values.get(name)) {
            case String text -> text;
            case null -> throw missing(name);
            default -> throw EngineException.invalidArgument("'" + name + "' is a text");
        };
    }

    private static EngineException missing(String name) {
        return EngineException.invalidArgument("the request has no '" + name + "'");
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
        return switch (values.get(name)) {
            case List<?> list -> list;
            case null -> throw missing(name);
            default -> throw EngineException.invalidArgument("'" + name + "' is a list");
        };
    }

    /** Returns a text or several, each of which may be a list of tokens' ids, as the texts that they are for a tokenizer. */
    List<String> texts(String name, Tokenizer tokenizer) {
        return switch (values.get(name)) {
            case null -> throw missing(name);
            case String text -> List.of(text);
            case List<?> ids when isOf(ids, Long.class) -> List.of(decoded(name, ids, tokenizer));
            case List<?> texts
            when isOf(texts, String.class) ->
                texts.stream().map(String.class::cast).toList();
            case List<?> lists
            when isOf(lists, List.class) ->
                lists.stream()
                        .map(List.class::cast)
                        .map(ids -> decoded(name, ids, tokenizer))
                        .toList();
            default ->
                throw EngineException.invalidArgument(
                        "'" + name + "' is a text, a list of texts, or a list of tokens' ids or of such lists");
        };
    }

    private static boolean isOf(List<?> list, Class<?> type) {
        return !list.isEmpty() && list.stream().allMatch(type::isInstance);
    }

    private static String decoded(String name, List<?> ids, Tokenizer tokenizer) {
        return tokenizer.decodeAll(
                ids.stream().mapToLong(each -> known(name, each, tokenizer)).toArray());
    }

    private static long known(String name, @Nullable Object token, Tokenizer tokenizer) {
        if (token instanceof Long id && id >= 0 && id <= Integer.MAX_VALUE && tokenizer.token(id.intValue()) != null) {
            return id;
        }
        throw EngineException.invalidArgument("'" + name + "' has " + token + ", which is no token of the model");
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
