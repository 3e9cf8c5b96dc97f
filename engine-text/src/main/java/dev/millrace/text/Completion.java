package dev.millrace.text;

import dev.millrace.session.generate.Ending;
import dev.millrace.session.generate.TokenUsage;

/**
 * The text that a model has generated for a prompt.
 *
 * @param text the text without the stop text
 * @param usage the numbers of tokens
 * @param ending the reason why the text ends
 */
public record Completion(String text, TokenUsage usage, Ending ending) {
    /** The number of generated tokens, a stop token included. */
    public int tokens() {
        return usage.generated();
    }
}
