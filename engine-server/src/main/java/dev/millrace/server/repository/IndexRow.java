package dev.millrace.server.repository;

/**
 * A row of the index of a repository.
 *
 * @param version empty for a model that was never loaded
 * @param state READY, UNAVAILABLE, LOADING or empty
 * @param reason why it is not ready, or why a newer state of it is not served
 */
public record IndexRow(String name, String version, String state, String reason) {}
