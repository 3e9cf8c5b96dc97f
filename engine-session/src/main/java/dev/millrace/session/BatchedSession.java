package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.session.stream.BatchWorth;
import dev.millrace.session.stream.Receiver;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * A session that makes one run of many requests of {@code mono}, {@code flux} and {@code results}, whoever asks. A request
 * that comes while nothing is under way runs at once; those that come meanwhile gather. Where batches are measured not to
 * pay, none is made. Members of a batch that fails run alone, and each gets its own answer or failure.
 *
 * <p>Requests whose options name outputs, a listener or tensors to write into run alone, and so does a blocking
 * {@code run}, on its caller's thread. The inputs of a batch are copied side by side, and each request's part of the outputs
 * is copied out of it.
 */
public final class BatchedSession extends Streaming {
    /** Every so many runs of a single request are measured. */
    private static final int SAMPLED = 16;

    private final OpenSession session;
    private final BatchOptions options;
    private final BatchAxes axes;
    private final BatchWorth worth = new BatchWorth();
    private final ArrayList<BatchMember> waiting = new ArrayList<>();
    private int underWay;
    private int singles;
    private @Nullable Disposable timer;

    BatchedSession(OpenSession session, BatchOptions options) {
        this.session = session;
        this.options = options;
        this.axes = new BatchAxes(session, options);
    }

    @Override
    public Outputs run(Inputs given, RunOptions how) {
        return session.run(given, how);
    }

    @Override
    public int concurrency() {
        return Math.max(session.concurrency(), options.maxSize());
    }

    @Override
    Disposable start(Inputs given, RunOptions how, Receiver<Outputs> to) {
        if (!how.outputs().isEmpty() || !how.into().isEmpty() || how.listener() != null) {
            return session.start(given, how, to);
        }
        try {
            session.check(given, how);
        } catch (EngineException e) {
            to.failed(e);
            return Disposables.disposed();
        }
        var member = new BatchMember(this, given, how, to);
        List<BatchMember> next;
        synchronized (this) {
            if (underWay > 0 && worth.pays(Math.clamp(waiting.size() + 1, 2, Math.max(2, options.maxSize())))) {
                waiting.add(member);
                next = waiting.size() >= options.maxSize() ? take() : List.of();
                setTimer();
            } else {
                underWay++;
                next = List.of(member);
            }
        }
        launch(next);
        return member;
    }

    /** Has those that wait run when they have waited for long, whatever is under way. */
    private void setTimer() {
        if (timer == null && !waiting.isEmpty()) {
            timer = Schedulers.parallel()
                    .schedule(this::overdue, options.maxDelay().toNanos(), TimeUnit.NANOSECONDS);
        }
    }

    private void overdue() {
        List<BatchMember> next;
        synchronized (this) {
            timer = null;
            next = take();
            setTimer();
        }
        launch(next);
    }

    /** The next batch: the first that waits and those that fit to it. */
    private List<BatchMember> take() {
        waiting.removeIf(BatchMember::isDone);
        if (waiting.isEmpty()) {
            return List.of();
        }
        underWay++;
        BatchMember first = waiting.getFirst();
        int size = options.size(waiting.size());
        var batch = new ArrayList<BatchMember>();
        for (Iterator<BatchMember> each = waiting.iterator(); each.hasNext() && batch.size() < size; ) {
            BatchMember member = each.next();
            if (member == first || fit(first, member)) {
                batch.add(member);
                each.remove();
            }
        }
        return batch;
    }

    private boolean fit(BatchMember first, BatchMember other) {
        try {
            return axes.fit(first.given, other.given);
        } catch (EngineException closed) {
            // it runs alone, and hears of it then
            return false;
        }
    }

    private void ended() {
        List<BatchMember> next;
        synchronized (this) {
            underWay--;
            next = underWay == 0 ? take() : List.of();
        }
        launch(next);
    }

    synchronized void left(BatchMember member) {
        waiting.remove(member);
    }

    private void launch(List<BatchMember> batch) {
        if (batch.size() == 1) {
            alone(batch.getFirst());
        } else if (!batch.isEmpty()) {
            together(batch);
        }
    }

    private void alone(BatchMember member) {
        boolean sampled;
        synchronized (this) {
            sampled = singles < SAMPLED || singles % SAMPLED == 0;
            singles++;
        }
        RunOptions how = sampled ? member.how.heardBy(new Stopwatch(1)) : member.how;
        member.startedIn(session.start(member.given, how, new Receiver<>() {
            @Override
            public void answered(Outputs outputs) {
                ended();
                member.answered(outputs);
            }

            @Override
            public void failed(EngineException failure) {
                ended();
                member.failed(failure);
            }
        }));
    }

    private void together(List<BatchMember> batch) {
        int priority =
                batch.stream().mapToInt(member -> member.how.priority()).max().orElse(0);
        RunOptions how = RunOptions.create().priority(priority).heardBy(new Stopwatch(batch.size()));
        Receiver<Outputs> split = new Receiver<>() {
            @Override
            public void answered(Outputs outputs) {
                ended();
                split(batch, outputs);
            }

            @Override
            public void failed(EngineException failure) {
                ended();
                batch.forEach(BatchedSession.this::again);
            }
        };
        Disposable started;
        try {
            started = session.start(
                    axes.join(batch.stream().map(member -> member.given).toList()), how, split);
        } catch (RuntimeException | OutOfMemoryError e) {
            split.failed(Failures.named("a batch", e));
            return;
        }
        batch.forEach(member -> member.startedIn(() -> {
            if (batch.stream().allMatch(BatchMember::isDone)) {
                started.dispose();
            }
        }));
    }

    /** A member of a batch that failed, alone, if anybody still wants it. */
    private void again(BatchMember member) {
        if (!member.isDone()) {
            member.startedIn(session.start(member.given, member.how, member));
        } else {
            member.failed(new EngineException(Status.CANCELLED, "the run was cancelled"));
        }
    }

    private void split(List<BatchMember> batch, Outputs outputs) {
        try (outputs) {
            long start = 0;
            for (BatchMember member : batch) {
                answer(member, outputs, start);
                start += axes.extent(member.given);
            }
        }
    }

    private void answer(BatchMember member, Outputs outputs, long start) {
        Outputs part;
        try {
            member.how.cancellation().check();
            part = axes.part(outputs, member.given, start);
        } catch (RuntimeException | OutOfMemoryError e) {
            member.failed(Failures.named("an answer of a batch", e));
            return;
        }
        member.answered(part);
    }

    /** Measures what so many requests take. */
    private final class Stopwatch implements RunListener {
        private final int size;

        Stopwatch(int size) {
            this.size = size;
        }

        @Override
        public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
            // only the whole counts
        }

        @Override
        public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
            if (!failed) {
                synchronized (BatchedSession.this) {
                    worth.took(size, endNanos - startNanos);
                }
            }
        }
    }
}
