package dev.millrace.session;

import dev.millrace.graph.EngineException;
import reactor.core.publisher.Mono;

/**
 * Compiles models ahead of time: what comes out is a model from which sessions start without compiling. Thread-safe, and
 * good for any number of models. All that goes wrong is an {@link EngineException}, and nothing is written then.
 */
public interface ModelCompiler {
    /** Compiles on this thread. */
    CompileReport compile(ModelInput input, ModelOutput output);

    /** Compiles on another thread once somebody subscribes, each time anew; who cancels stops it. */
    Mono<CompileReport> mono(ModelInput input, ModelOutput output);
}
