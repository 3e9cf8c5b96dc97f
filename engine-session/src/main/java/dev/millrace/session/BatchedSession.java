package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.stream.BatchWorth;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.stream.Solitude;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.core.scheduler.Schedulers;

/**
 * A session that makes one run of many requests of {@code mono}, {@code flux} and {@code results}, whoever asks. A request
 * that comes while nothing is under way runs at once, and where requests have come one at a time and take some microseconds, on
 * the thread that subscribes; those that come meanwhile gather. Where batches are measured not to
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
    private final Solitude solitude = new Solitude();
    private final Callbacks answering = new Callbacks();
    private final BatchQueue waiting;
    /** Runs that are under way. */
    private int underWay;
    /** Batches whose members are being told of their answers, by which they may be led to ask again. */
    private int answered;
    /** The requests of both. */
    private int running;

    /** Whether another request has come since the last that found nothing under way. */
    private boolean met;

    private @Nullable Disposable timer;

    BatchedSession(OpenSession session, BatchOptions options) {
        this.session = session;
        this.options = options;
        this.axes = new BatchAxes(session, options);
        this.waiting = new BatchQueue(options, axes);
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
                this, session, Failures.given(how, "options"), Failures.each(states, "states"), System::nanoTime);
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
            Instant deadline = how.deadline();
            if (deadline != null) {
                Deadline.ahead(deadline);
            }
        } catch (EngineException e) {
            to.failed(e);
            return Disposables.disposed();
        }
        // what an answer made somebody ask says nothing of those who ask of themselves, and on the asker's thread its
        // stack would grow
        boolean isAnswering = answering.isInside();
        boolean isFollowUp = isAnswering || session.isOwnThread();
        var member = new BatchMember(this, given, how, to, isFollowUp);
        boolean now = false;
        boolean here = false;
        List<BatchMember> next = List.of();
        synchronized (this) {
            if (underWay > 0 || isAnswering) {
                solitude.ends();
                met = true;
            }
            if ((underWay > 0 || answered > 0 && isFollowUp) && worth.pays(expected())) {
                member.waits(System.nanoTime());
                waiting.add(member);
                next = waiting.isFull() ? take() : List.of();
                setTimer();
            } else {
                here = underWay == 0 && !isFollowUp && mayRunHere(given, how);
                met = underWay > 0;
                underWay++;
                running++;
                now = true;
            }
        }
        if (here) {
            here(member);
        } else if (now) {
            alone(member, to.isAwaited());
        } else {
            launch(next);
        }
        return member;
    }

    private boolean mayRunHere(Inputs given, RunOptions how) {
        return how.deadline() == null && solitude.holds(axes.elements(given)) && session.isAtRest();
    }

    /** How many may come together: whoever is answered by what is under way may well ask again. */
    private int expected() {
        return Math.min(running + waiting.size() + 1, Math.max(2, options.maxSize()));
    }

    /** Has those that wait run when the first has waited for long, whatever is under way. */
    private void setTimer() {
        if (timer == null && !waiting.isEmpty()) {
            timer = Schedulers.parallel().schedule(this::overdue, Math.max(0, left()), TimeUnit.NANOSECONDS);
        }
    }

    /** How long the first that waits may wait yet. */
    private long left() {
        return Deadline.nanos(options.maxDelay())
                - (System.nanoTime() - waiting.first().came());
    }

    private void overdue() {
        List<BatchMember> next = List.of();
        synchronized (this) {
            timer = null;
            if (!waiting.isEmpty() && left() <= 0) {
                next = take();
            }
            setTimer();
        }
        launch(next);
    }

    private List<BatchMember> take() {
        List<BatchMember> batch = waiting.take();
        if (!batch.isEmpty()) {
            underWay++;
            running += batch.size();
        }
        return batch;
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

    /** The run of a batch has ended, of which those that follow its answers are to become a batch in their turn. */
    private void ranTogether(int size, long nanos) {
        List<BatchMember> next;
        synchronized (this) {
            worth.took(size, nanos);
            underWay--;
            answered++;
            next = underWay == 0 ? take() : List.of();
        }
        launch(next);
    }

    private void answeredTogether(int size) {
        List<BatchMember> next;
        synchronized (this) {
            answered--;
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
            alone(batch.getFirst(), false);
        } else if (!batch.isEmpty()) {
            together(batch);
        }
    }

    /** @param awaited whether this is the thread that waits for its answer */
    private void alone(BatchMember member, boolean awaited) {
        member.startedIn(session.start(member.given, member.how, new Receiver<>() {
            private long start;

            @Override
            public boolean isAwaited() {
                return awaited;
            }

            @Override
            public void began() {
                start = System.nanoTime();
            }

            @Override
            public void answered(Outputs outputs) {
                aloneEnded(member, System.nanoTime() - start);
                member.answered(outputs);
            }

            @Override
            public void failed(EngineException failure) {
                ended(1, UNKNOWN);
                member.failed(failure);
            }
        }));
    }

    /** Runs a request on this thread. */
    private void here(BatchMember member) {
        long start = System.nanoTime();
        Outputs outputs = null;
        EngineException failure = null;
        try {
            outputs = session.runCheckedIfOpen(member.given, member.how);
        } catch (EngineException e) {
            failure = e;
        }
        boolean outermost = answering.enter();
        try {
            if (outputs != null) {
                aloneEnded(member, System.nanoTime() - start);
                member.answered(outputs);
            } else {
                ended(1, UNKNOWN);
                member.failed(failure == null ? OpenSession.closedException() : failure);
            }
        } finally {
            answering.leave(outermost);
        }
    }

    private void aloneEnded(BatchMember member, long nanos) {
        synchronized (this) {
            if (!met && !member.isFollowUp) {
                solitude.alone(axes.elements(member.given), nanos);
            }
        }
        ended(1, nanos);
    }

    private void together(List<BatchMember> batch) {
        int priority = 0;
        for (BatchMember member : batch) {
            priority = Math.max(priority, member.how.priority());
        }
        long start = System.nanoTime();
        try {
            List<Inputs> given = new ArrayList<>(batch.size());
            batch.forEach(member -> given.add(member.given));
            BatchAxes.Joined joined = axes.join(given);
            var split = new Split(batch, joined, System.nanoTime() - start);
            batch.forEach(member -> member.startedIn(split));
            split.started(session.start(joined.inputs(), RunOptions.create().priority(priority), split));
        } catch (RuntimeException | OutOfMemoryError e) {
            ended(batch.size(), UNKNOWN);
            batch.forEach(this::again);
        }
    }

    /** A member of a batch that failed, alone, if anybody still wants it. */
    private void again(BatchMember member) {
        if (!member.isDone()) {
            member.startedIn(session.start(member.given, member.how, member));
        } else {
            member.failed(new EngineException(Status.CANCELLED, "the run was cancelled"));
        }
    }

    /** Gives each request of a batch its part of the answer. Its run goes on as long as somebody wants one. */
    private final class Split implements Receiver<Outputs>, Disposable {
        private final List<BatchMember> batch;
        private final BatchAxes.Joined joined;
        private final long joining;
        private long start;
        private volatile @Nullable Disposable run;

        /** @param joining how long it took to lay the requests side by side */
        Split(List<BatchMember> batch, BatchAxes.Joined joined, long joining) {
            this.batch = batch;
            this.joined = joined;
            this.joining = joining;
        }

        void started(Disposable begun) {
            run = begun;
            if (batch.getFirst().isDone()) {
                dispose();
            }
        }

        @Override
        public void dispose() {
            Disposable begun = run;
            if (begun != null && batch.stream().allMatch(BatchMember::isDone)) {
                begun.dispose();
            }
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
            try (BatchAxes.Parts apart = axes.parts(outputs)) {
                for (BatchMember member : batch) {
                    parts.add(part(member, apart));
                }
            }
            long split = System.nanoTime();
            session.batchEnded(batch.size(), joining + split - ended, ended - start);
            ranTogether(batch.size(), joining + split - start);
            try {
                for (int i = 0; i < batch.size(); i++) {
                    Outputs part = parts.get(i);
                    if (part != null) {
                        batch.get(i).answered(part);
                    }
                }
            } finally {
                answeredTogether(batch.size());
            }
        }

        /** The next member's part; null where it has heard that it gets none. */
        private @Nullable Outputs part(BatchMember member, BatchAxes.Parts apart) {
            try {
                member.how.cancellation().check();
            } catch (EngineException cancelled) {
                apart.skip(member.given);
                member.failed(cancelled);
                return null;
            }
            try {
                return apart.next(member.given);
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
