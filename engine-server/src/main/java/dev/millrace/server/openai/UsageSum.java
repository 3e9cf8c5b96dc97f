package dev.millrace.server.openai;

import dev.millrace.session.generate.TokenUsage;
import java.util.LinkedHashMap;
import java.util.Map;

/** The numbers of tokens of all choices of an answer. Thread-safe. */
final class UsageSum {
    private long prompt;
    private long generated;
    private long cached;

    /** @param countsPrompt whether no other choice has counted the same prompt */
    synchronized void add(TokenUsage usage, boolean countsPrompt) {
        generated += usage.generated();
        if (countsPrompt) {
            prompt += usage.prompt();
            cached += usage.cached();
        }
    }

    synchronized Map<String, Object> tree() {
        var tree = new LinkedHashMap<String, Object>();
        tree.put("prompt_tokens", prompt);
        tree.put("completion_tokens", generated);
        tree.put("total_tokens", prompt + generated);
        tree.put("prompt_tokens_details", Map.of("cached_tokens", cached));
        return tree;
    }
}
