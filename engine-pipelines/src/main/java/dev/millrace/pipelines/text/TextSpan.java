package dev.millrace.pipelines.text;

/**
 * A part of a text.
 *
 * @param text the part itself
 * @param start the index of its first char in the text
 * @param end the index behind its last char
 * @param label the class, without the prefix {@code B-} or {@code I-}
 * @param score the mean probability of its words
 */
public record TextSpan(String text, int start, int end, String label, double score) {}
