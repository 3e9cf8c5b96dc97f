package dev.millrace.session;

import dev.millrace.providers.spi.Compatibility;

/**
 * What a provider says of the part of a model that it compiled.
 *
 * @param provider the provider's name
 * @param verdict how well the part suits this machine
 * @param compiledFor what the model says of what it was compiled for; empty where it says nothing
 * @param reason the verdict in words
 */
public record ModelCompatibility(String provider, Compatibility verdict, String compiledFor, String reason) {}
