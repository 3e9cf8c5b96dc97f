package dev.millrace.pipelines.text;

/**
 * A question about a passage.
 *
 * @param passage the text that has the answer, of any length
 */
public record Question(String question, String passage) {}
