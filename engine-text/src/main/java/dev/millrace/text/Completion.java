package dev.millrace.text;

import dev.millrace.session.generate.Ending;

/**
 * The text that a model has generated for a prompt.
 *
 * @param text the text without the stop text
 * @param tokens the number of generated tokens, a stop token included
 */
public record Completion(String text, int tokens, Ending ending) {}
