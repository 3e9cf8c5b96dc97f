package dev.millrace.session;

import dev.millrace.graph.EngineException;

/**
 * How an engine is set up.
 *
 * @param threads how many threads can work on one run, the caller's included; 0 for as many as the container allows
 */
public record EngineOptions(int threads) {
    public EngineOptions {
        if (threads < 0 || threads > 1024) {
            throw EngineException.invalidArgument("threads is " + threads + "; it goes from 0 (automatic) to 1024");
        }
    }

    public static EngineOptions defaults() {
        return new EngineOptions(0);
    }

    public EngineOptions withThreads(int newThreads) {
        return new EngineOptions(newThreads);
    }

    int effectiveThreads() {
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }
}
