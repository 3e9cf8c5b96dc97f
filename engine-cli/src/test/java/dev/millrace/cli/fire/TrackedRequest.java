package dev.millrace.cli.fire;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunResult;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscription;
import reactor.core.CoreSubscriber;

/** A request whose signals are counted: it ends once, unless its subscriber took it back or threw. */
final class TrackedRequest implements CoreSubscriber<Object> {
    private static final int MOST_MILLIS = 30_000;

    private final String name;
    private final boolean throwing;
    private final AtomicInteger ends = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);
    private volatile @Nullable Subscription subscription;
    private volatile @Nullable Throwable failure;
    private volatile boolean takenBack;

    /** @param throwing whether the subscriber throws when it gets an answer */
    TrackedRequest(String name, boolean throwing) {
        this.name = name;
        this.throwing = throwing;
    }

    @Override
    public void onSubscribe(Subscription subscribed) {
        subscription = subscribed;
        subscribed.request(Long.MAX_VALUE);
    }

    @Override
    public void onNext(Object answer) {
        switch (answer) {
            case Outputs outputs -> outputs.close();
            case RunResult result -> result.close();
            case Tensor tensor -> tensor.close();
            default -> {}
        }
        if (throwing) {
            takenBack = true;
            throw new IllegalStateException("a subscriber's own");
        }
    }

    @Override
    public void onError(Throwable thrown) {
        failure = thrown;
        onComplete();
    }

    @Override
    public void onComplete() {
        ends.incrementAndGet();
        ended.countDown();
    }

    void takeBack() {
        takenBack = true;
        Subscription subscribed = subscription;
        if (subscribed != null) {
            subscribed.cancel();
        }
    }

    boolean isAnswered() {
        return ends.get() == 1 && failure == null;
    }

    /** Whether its sequence was ended before its turn, or its session's queue was full. */
    boolean isRefusedAsGivenUp() {
        return failure instanceof EngineException refused
                && (refused.status() == Status.NOT_FOUND || refused.status() == Status.OVERLOADED);
    }

    /** Waits for the end. What comes back says what is wrong with it, or is null. */
    @Nullable
    String wrong() throws InterruptedException {
        if (!takenBack && !ended.await(MOST_MILLIS, TimeUnit.MILLISECONDS) && !takenBack) {
            return name + " does not end";
        }
        if (ends.get() > 1) {
            return name + " ends " + ends.get() + " times";
        }
        Throwable thrown = failure;
        if (thrown == null) {
            return null;
        }
        if (!(thrown instanceof EngineException refused)) {
            return name + " lets out " + thrown;
        }
        String accident = Accidents.in(refused);
        return accident == null ? null : name + " " + accident;
    }

    @Override
    public String toString() {
        Throwable thrown = failure;
        return thrown == null ? name : name + " (" + thrown.getMessage() + ")";
    }
}
