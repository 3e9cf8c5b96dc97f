package dev.millrace.session;

/**
 * What the models of an engine's sessions hold, in bytes, as its memory budget counts it.
 *
 * @param weights of open models, once for each model
 * @param kept of intermediate values that runs have left for later ones; {@link Session#trim} gives back what is not needed
 * @param budget what both may be together; {@link Long#MAX_VALUE} for no limit
 */
public record MemoryUse(long weights, long kept, long budget) {}
