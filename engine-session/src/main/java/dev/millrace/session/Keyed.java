package dev.millrace.session;

/** Something of the sequence that has this key. */
public record Keyed<K, V>(K key, V value) {}
