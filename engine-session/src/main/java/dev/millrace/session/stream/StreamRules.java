package dev.millrace.session.stream;

/**
 * How a stream of requests is worked off.
 *
 * @param concurrency how many runs are under way at once
 * @param ahead how many answers are made before somebody asks for them
 * @param ordered whether answers come in the order of the requests, or as they are there
 * @param retries how often a request that was refused for overload is tried again
 */
public record StreamRules(int concurrency, int ahead, boolean ordered, int retries) {}
