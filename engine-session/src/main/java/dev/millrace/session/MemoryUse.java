package dev.millrace.session;

/**
 * The bytes that the models of an engine's sessions hold, as its memory budget counts them.
 *
 * @param weights the weights of open models, counted once for each model
 * @param kept the intermediate values that runs have left for later ones; {@link Session#trim} gives
 *     back those that are not needed
 * @param budget the limit of both together; {@link Long#MAX_VALUE} for no limit
 */
public record MemoryUse(long weights, long kept, long budget) {}
