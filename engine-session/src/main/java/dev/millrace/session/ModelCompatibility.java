package dev.millrace.session;

import dev.millrace.providers.spi.Compatibility;

/**
 * A provider's verdict on the part of a model that it compiled.
 *
 * @param provider the provider's name
 * @param verdict how well the part suits this machine
 * @param compiledFor the model's description of the machine that it was compiled for; empty if it has none
 * @param reason the verdict in words
 */
public record ModelCompatibility(String provider, Compatibility verdict, String compiledFor, String reason) {}
