package dev.millrace.session;

import dev.millrace.epcontext.ContextCache;
import dev.millrace.graph.EngineException;
import org.jspecify.annotations.Nullable;

/**
 * How an engine is set up.
 *
 * @param threads how many threads can work on one run, the caller's included; 0 for as many as the container allows
 * @param contextCache where sessions of model files find what was compiled before, and leave what they compile; null for
 *     nowhere
 */
public record EngineOptions(int threads, @Nullable ContextCache contextCache) {
    public EngineOptions {
        if (threads < 0 || threads > 1024) {
            throw EngineException.invalidArgument("threads is " + threads + "; it goes from 0 (automatic) to 1024");
        }
    }

    public static EngineOptions defaults() {
        return new EngineOptions(0, null);
    }

    public EngineOptions withThreads(int newThreads) {
        return new EngineOptions(newThreads, contextCache);
    }

    public EngineOptions withContextCache(@Nullable ContextCache newCache) {
        return new EngineOptions(threads, newCache);
    }

    int effectiveThreads() {
        return threads == 0 ? Runtime.getRuntime().availableProcessors() : threads;
    }
}
