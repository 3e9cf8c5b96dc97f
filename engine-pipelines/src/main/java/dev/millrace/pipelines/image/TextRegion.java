package dev.millrace.pipelines.image;

/**
 * A line of text that a model found in an image.
 *
 * @param quad its place
 * @param score the mean probability that its pixels are text
 */
public record TextRegion(Quad quad, double score) {}
