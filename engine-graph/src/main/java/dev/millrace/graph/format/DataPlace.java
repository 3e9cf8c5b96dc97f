package dev.millrace.graph.format;

/**
 * Where the bytes of a tensor lie outside of the model's file.
 *
 * @param location the file, relative to the model's folder
 */
public record DataPlace(String location, long offset, long length) {}
