package dev.millrace.pipelines.image;

/**
 * The text of an image of one line.
 *
 * @param score the mean probability of its characters
 */
public record ReadText(String text, double score) {}
