package dev.millrace.server.model;

import dev.millrace.server.protocol.ModelConfig;
import dev.millrace.session.Outputs;
import java.util.List;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Mono;

/** One version of a model that answers requests. */
public interface ServedModel extends AutoCloseable {
    /** The configuration, completed from the model. */
    ModelConfig config();

    /** Returns the answer to a request once it is subscribed to. Cancelling it stops the run. */
    Mono<Outputs> infer(InferRequest request);

    /** The model as one of texts, or null if it has no tokenizer. */
    default @Nullable TextModel text() {
        return null;
    }

    /** The names of an output's classes; empty where the configuration names no file of them. */
    default List<String> labels(String output) {
        return List.of();
    }

    /** Its session with its file, whose graph can be drawn; null for an ensemble. */
    default @Nullable OpenedFile opened() {
        return null;
    }

    /** The number of requests that wait for a run. */
    default int waiting() {
        return 0;
    }

    /** Finishes accepted requests and releases the model. */
    @Override
    void close();
}
