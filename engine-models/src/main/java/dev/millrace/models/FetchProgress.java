package dev.millrace.models;

/**
 * The state of one download.
 *
 * @param file the name of the file as the caller or the model gave it
 * @param bytes the bytes that have arrived, those of earlier attempts included
 * @param total the bytes of the whole file; -1 if nobody said
 */
public record FetchProgress(String file, long bytes, long total) {}
