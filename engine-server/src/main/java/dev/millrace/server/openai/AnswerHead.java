package dev.millrace.server.openai;

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The fields that every part of one answer begins with.
 *
 * @param whole the type of an answer at once
 * @param chunk the type of a part of a stream
 */
record AnswerHead(String id, String whole, String chunk, long created, String model) {
    static AnswerHead ofCompletion(String model) {
        return of("cmpl-", "text_completion", "text_completion", model);
    }

    static AnswerHead ofChat(String model) {
        return of("chatcmpl-", "chat.completion", "chat.completion.chunk", model);
    }

    private static AnswerHead of(String prefix, String whole, String chunk, String model) {
        return new AnswerHead(
                prefix + UUID.randomUUID(), whole, chunk, Instant.now().getEpochSecond(), model);
    }

    Map<String, @Nullable Object> whole(List<?> choices) {
        return with(whole, choices);
    }

    Map<String, @Nullable Object> chunk(List<?> choices) {
        return with(chunk, choices);
    }

    private Map<String, @Nullable Object> with(String object, List<?> choices) {
        var tree = new LinkedHashMap<String, @Nullable Object>();
        tree.put("id", id);
        tree.put("object", object);
        tree.put("created", created);
        tree.put("model", model);
        tree.put("choices", choices);
        return tree;
    }
}
