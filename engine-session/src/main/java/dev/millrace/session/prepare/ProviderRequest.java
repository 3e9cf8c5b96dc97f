package dev.millrace.session.prepare;

import java.util.Map;

/** A provider that is to take part, and what it is told. */
public record ProviderRequest(String name, Map<String, String> options) {}
