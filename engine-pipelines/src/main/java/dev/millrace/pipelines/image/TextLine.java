package dev.millrace.pipelines.image;

/**
 * A line of text that was read.
 *
 * @param quad its place in the image
 * @param score the mean probability of its characters
 */
public record TextLine(Quad quad, String text, double score) {}
