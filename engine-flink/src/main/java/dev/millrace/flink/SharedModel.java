package dev.millrace.flink;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.Inference;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.ValueInfo;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** A model that is open in this process, for every task with its settings. */
final class SharedModel {
    /** Flink bounds the rows under way by the capacity of its operators, so the session refuses none. */
    private static final int QUEUE = 1 << 20;

    private final Session session;
    private final Inference inference;
    private final ModelCounters counters = new ModelCounters();
    /** The number of tasks that use the model. Guarded by the engine's lock. */
    private int users;

    private SharedModel(Session session, Inference inference) {
        this.session = session;
        this.inference = inference;
    }

    static SharedModel open(Engine engine, Path file, ModelSettings settings, String name) {
        SessionOptions.Builder options = SessionOptions.builder().queue(QUEUE);
        settings.executionProviders().forEach(options::provider);
        settings.sessionOptions().forEach(options::set);
        Session session = engine.session(file, options.name(name).build());
        try {
            return new SharedModel(session, batched(session, settings));
        } catch (RuntimeException | Error e) {
            session.close();
            throw e;
        }
    }

    /** Returns the session with batches along the first axes, where the model allows it. */
    private static Inference batched(Session session, ModelSettings settings) {
        List<ValueInfo> values = Stream.concat(session.inputs().stream(), session.outputs().stream())
                .toList();
        if (settings.batchSize() == 1 || !values.stream().allMatch(SharedModel::isOpenFirst)) {
            return session;
        }
        BatchOptions.Builder options = BatchOptions.builder()
                .maxSize(settings.batchSize())
                .maxDelay(settings.batchDelay())
                .padded(settings.batchPadded());
        values.forEach(value -> options.along(value.name(), 0));
        return session.batched(options.build());
    }

    private static boolean isOpenFirst(ValueInfo value) {
        return value.type() instanceof ValueType.TensorType type
                && type.element() != null
                && type.element() != ElementType.STRING
                && !type.element().isPacked()
                && type.shape() != null
                && type.shape().rank() > 0
                && !(type.shape().dim(0) instanceof Dim.Known);
    }

    Inference inference() {
        return inference;
    }

    ModelCounters counters() {
        return counters;
    }

    String name() {
        return session.name();
    }

    void addUser() {
        users++;
    }

    /** Returns whether nobody uses the model any more. */
    boolean removeUser() {
        users--;
        return users == 0;
    }

    void close() {
        session.close();
    }
}
