package dev.millrace.text.vocabulary;

/**
 * A token of a text.
 *
 * @param start where in the text it begins, in chars
 * @param end where in the text it ends
 */
public record TextToken(int id, String text, int start, int end) {}
