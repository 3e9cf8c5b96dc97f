package dev.millrace.text;

import dev.millrace.session.generate.Ending;

/**
 * What a model says behind a prompt.
 *
 * @param text without what it was to stop at
 * @param tokens how many the model has said, a stop token included
 */
public record Completion(String text, int tokens, Ending ending) {}
