package dev.millrace.graph.format;

/**
 * The place of a tensor's bytes in an external data file.
 *
 * @param location the file, relative to the model's folder
 */
public record DataPlace(String location, long offset, long length) {}
