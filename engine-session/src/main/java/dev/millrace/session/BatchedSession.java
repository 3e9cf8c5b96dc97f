package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.stream.BatchWorth;
import dev.millrace.session.stream.Receiver;
import java.util.ArrayList;
import java.util.Arrays;
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
    private static final long UNKNOWN = -1;

    private final OpenSession session;
    private final BatchOptions options;
    private final BatchAxes axes;
    private final BatchWorth worth = new BatchWorth();
    private final ArrayList<BatchMember> waiting = new ArrayList<>();
    /** Runs that are under way. */
    private int underWay;
    /** The requests that they answer. */
    private int running;

    private @Nullable Disposable timer;

    BatchedSession(OpenSession session, BatchOptions options) {
        this.session = session;
        this.options = options;
        this.axes = new BatchAxes(session, options);
    }

    /**
     * Sequences whose elements run together where they come at the same time, one of each: their states are copied side by
     * side, which has to be along the axes of these batches. What is made has to be closed.
     */
    public StatefulSession stateful(State... states) {
        return stateful(StateOptions.defaults(), states);
    }

    public StatefulSession stateful(StateOptions how, State... states) {
        return new StatefulSession(
                this,
                session,
                Failures.given(how, "options"),
                Failures.all(Arrays.asList(Failures.given(states, "states")), "states"),
                System::nanoTime);
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
            session.checkForLater(given, how);
        } catch (EngineException e) {
            to.failed(e);
            return Disposables.disposed();
        }
        var member = new BatchMember(this, given, how, to);
        List<BatchMember> next;
        synchronized (this) {
            if (underWay > 0 && worth.pays(expected())) {
                waiting.add(member);
                next = waiting.size() >= options.maxSize() ? take() : List.of();
                setTimer();
            } else {
                underWay++;
                running++;
                next = List.of(member);
            }
        }
        launch(next);
        return member;
    }

    /** How many may come together: whoever is answered by what is under way may well ask again. */
    private int expected() {
        return Math.min(running + waiting.size() + 1, Math.max(2, options.maxSize()));
    }

    /** Has those that wait run when they have waited for long, whatever is under way. */
    private void setTimer() {
        if (timer == null && !waiting.isEmpty()) {
            timer = Schedulers.parallel()
                    .schedule(this::overdue, Deadline.nanos(options.maxDelay()), TimeUnit.NANOSECONDS);
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
        running += batch.size();
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

    /**
     * A run has ended.
     *
     * @param nanos what so many requests took, their copies included; negative where that says nothing
     */
    private void ended(int size, long nanos) {
        List<BatchMember> next;
        synchronized (this) {
            if (nanos >= 0) {
                worth.took(size, nanos);
            }
            underWay--;
            running -= size;
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
        member.startedIn(session.start(member.given, member.how, new Receiver<>() {
            private long start;

            @Override
            public void began() {
                start = System.nanoTime();
            }

            @Override
            public void answered(Outputs outputs) {
                ended(1, System.nanoTime() - start);
                member.answered(outputs);
            }

            @Override
            public void failed(EngineException failure) {
                ended(1, UNKNOWN);
                member.failed(failure);
            }
        }));
    }

    private void together(List<BatchMember> batch) {
        int priority =
                batch.stream().mapToInt(member -> member.how.priority()).max().orElse(0);
        Disposable started;
        long start = System.nanoTime();
        try {
            BatchAxes.Joined joined =
                    axes.join(batch.stream().map(member -> member.given).toList());
            RunOptions how = RunOptions.create().priority(priority);
            started = session.start(joined.inputs(), how, new Split(batch, joined, System.nanoTime() - start));
        } catch (RuntimeException | OutOfMemoryError e) {
            ended(batch.size(), UNKNOWN);
            batch.forEach(this::again);
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

    /** Gives each request of a batch its part of the answer. */
    private final class Split implements Receiver<Outputs> {
        private final List<BatchMember> batch;
        private final BatchAxes.Joined joined;
        private final long joining;
        private long start;

        /** @param joining how long it took to lay the requests side by side */
        Split(List<BatchMember> batch, BatchAxes.Joined joined, long joining) {
            this.batch = batch;
            this.joined = joined;
            this.joining = joining;
        }

        @Override
        public void began() {
            start = System.nanoTime();
        }

        @Override
        public void answered(Outputs outputs) {
            joined.close();
            long ended = System.nanoTime();
            List<@Nullable Outputs> parts = new ArrayList<>(batch.size());
            try (outputs) {
                long at = 0;
                for (BatchMember member : batch) {
                    parts.add(part(member, outputs, at));
                    at += axes.extent(member.given);
                }
            }
            long split = System.nanoTime();
            session.batchEnded(batch.size(), joining + split - ended, ended - start);
            ended(batch.size(), joining + split - start);
            for (int i = 0; i < batch.size(); i++) {
                Outputs part = parts.get(i);
                if (part != null) {
                    batch.get(i).answered(part);
                }
            }
        }

        /** A member's part; null where it has heard that it gets none. */
        private @Nullable Outputs part(BatchMember member, Outputs outputs, long at) {
            try {
                member.how.cancellation().check();
                return axes.part(outputs, member.given, at);
            } catch (RuntimeException | OutOfMemoryError e) {
                member.failed(Failures.named("an answer of a batch", e));
                return null;
            }
        }

        @Override
        public void failed(EngineException failure) {
            joined.close();
            ended(batch.size(), UNKNOWN);
            batch.forEach(BatchedSession.this::again);
        }
    }
}
