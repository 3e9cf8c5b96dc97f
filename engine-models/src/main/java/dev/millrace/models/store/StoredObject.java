package dev.millrace.models.store;

import org.jspecify.annotations.Nullable;

/**
 * The facts that a store tells of an object.
 *
 * @param key its name in the bucket
 * @param tag the name of its content, which another content of the same key does not have
 * @param version the version that was asked for; null for the latest one
 * @param size the bytes of the content
 */
public record StoredObject(String key, String tag, @Nullable String version, long size) {}
