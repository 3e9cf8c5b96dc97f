package dev.millrace.server.openai;

import dev.millrace.text.Encoding;
import java.util.LinkedHashMap;
import java.util.Map;

/** The tokens of requests whose answers have none. */
final class PromptUsage {
    private PromptUsage() {}

    /** Returns the number of tokens that the model sees, without those that fill a text up. */
    static int tokens(Encoding encoding) {
        int tokens = 0;
        for (long counts : encoding.mask()) {
            tokens += (int) counts;
        }
        return tokens;
    }

    static Map<String, Object> tree(int tokens) {
        var usage = new LinkedHashMap<String, Object>();
        usage.put("prompt_tokens", tokens);
        usage.put("total_tokens", tokens);
        return usage;
    }
}
