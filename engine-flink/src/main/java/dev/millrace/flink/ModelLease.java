package dev.millrace.flink;

import dev.millrace.session.Inference;
import java.util.concurrent.atomic.AtomicBoolean;

/** The use of an open model by one task. */
final class ModelLease implements AutoCloseable {
    private final SharedModel model;
    private final Runnable end;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    ModelLease(SharedModel model, Runnable end) {
        this.model = model;
        this.end = end;
    }

    Inference inference() {
        return model.inference();
    }

    ModelCounters counters() {
        return model.counters();
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            end.run();
        }
    }
}
