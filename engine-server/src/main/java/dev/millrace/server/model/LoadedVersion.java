package dev.millrace.server.model;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.session.Outputs;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Signal;

/**
 * A loaded version of a model with the requests that use it. A retired version takes no further requests, and closes after
 * its last one.
 */
public final class LoadedVersion {
    private final String name;
    private final long version;
    private final ServedModel model;
    private final InferenceCounters counters;
    private final long weights;
    /** The requests that use it, and one more until it is retired. */
    private final AtomicInteger users = new AtomicInteger(1);

    private final CountDownLatch closed = new CountDownLatch(1);

    /** @param weights the bytes of weights that loading it has added to the engine's memory */
    public LoadedVersion(String name, long version, ServedModel model, InferenceCounters counters, long weights) {
        this.name = name;
        this.version = version;
        this.model = model;
        this.counters = counters;
        this.weights = weights;
    }

    public String name() {
        return name;
    }

    public String version() {
        return Long.toString(version);
    }

    public ServedModel model() {
        return model;
    }

    /** Returns the model as one of texts; throws for a model without a tokenizer. */
    public TextModel requireText() {
        TextModel text = model.text();
        if (text == null) {
            throw EngineException.invalidArgument(
                    "model '" + name + "' is no model of texts: no tokenizer.json lies beside it");
        }
        return text;
    }

    public InferenceCounters counters() {
        return counters;
    }

    /** The bytes of weights that loading it has added; those that an earlier version shares with it are not among them. */
    public long weights() {
        return weights;
    }

    /** Takes a share in the version, which {@link #release()} returns; false if it is retired. */
    public boolean acquire() {
        for (int now = users.get(); now > 0; now = users.get()) {
            if (users.compareAndSet(now, now + 1)) {
                return true;
            }
        }
        return false;
    }

    public void release() {
        if (users.decrementAndGet() == 0) {
            Thread.ofVirtual().name("close " + name).start(() -> {
                try {
                    model.close();
                } finally {
                    closed.countDown();
                }
            });
        }
    }

    /** Returns the release of a share, which may be run by several ends of a request. */
    public Runnable releasing() {
        var isReleased = new AtomicBoolean();
        return () -> {
            if (!isReleased.getAndSet(true)) {
                release();
            }
        };
    }

    /** Refuses further requests. Called once. */
    public void retire() {
        release();
    }

    public boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Waits until a retired version is closed; false if that takes longer. */
    public boolean awaitClosed(long nanos) throws InterruptedException {
        return closed.await(nanos, TimeUnit.NANOSECONDS);
    }

    /**
     * Answers a request and counts it; one that its client gives up counts as failed. The caller has a share, which the end of
     * the request returns.
     */
    public Mono<Outputs> infer(InferRequest request) {
        long start = System.nanoTime();
        return model.infer(request)
                .doOnEach(signal -> count(signal, request, System.nanoTime() - start))
                .doOnCancel(() -> counters.failed(FailureReason.CANCELED, System.nanoTime() - start))
                .doFinally(_ -> release());
    }

    private void count(Signal<Outputs> signal, InferRequest request, long nanos) {
        Throwable failure = signal.getThrowable();
        if (failure != null) {
            boolean hasRun = RunObservations.hasRun(signal.getContextView());
            counters.failed(FailureReason.of(failure, hasRun), nanos);
        } else if (signal.isOnNext()) {
            counters.answered(rows(request), nanos);
        }
    }

    /** Returns the rows of a request's batch axis; 1 where the model has none. */
    public long rows(InferRequest request) {
        if (model.config().getMaxBatchSize() == 0 || request.inputs().isEmpty()) {
            return 1;
        }
        Shape first = request.inputs().values().iterator().next().shape();
        return first.rank() == 0 ? 1 : first.dim(0);
    }
}
