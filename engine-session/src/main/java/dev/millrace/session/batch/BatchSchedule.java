package dev.millrace.session.batch;

import dev.millrace.session.BatchOptions;
import dev.millrace.session.RunOptions;
import dev.millrace.session.stream.BatchWorth;
import dev.millrace.session.stream.InlineExecutionPolicy;
import dev.millrace.session.util.Deadline;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.scheduler.Schedulers;

/** Decides which requests of a batched session wait and which run, alone or together. Thread-safe. */
final class BatchSchedule {
    /** The place of a new request. */
    enum Place {
        /** It runs on the requesting thread. */
        HERE,
        /** It runs alone. */
        ALONE,
        /** It waits for others. */
        QUEUE
    }

    /**
     * The decision about a new request.
     *
     * @param next the requests that may run now because of it
     */
    record Admission(Place place, Taken next) {}

    /**
     * The requests that are taken out of the queue at a time.
     *
     * @param batch the requests that run together
     * @param unwanted the requests that have been cancelled, and are failed
     */
    record Taken(List<BatchMember> batch, List<BatchMember> unwanted) {
        static final Taken NONE = new Taken(List.of(), List.of());
    }

    private final MemberRuns session;
    private final BatchOptions options;
    private final BatchAxes axes;
    private final Consumer<Taken> launch;
    private final BatchWorth worth = new BatchWorth();
    private final InlineExecutionPolicy solitude = new InlineExecutionPolicy();
    private final BatchQueue waiting;
    /** Runs that are under way. */
    private int underWay;
    /** Batches whose members are receiving their answers, which may lead them to send further requests. */
    private int answered;
    /** The requests of the runs that are under way and of the batches that are being answered. */
    private int running;

    /** Whether a request has met another one since the last request that found nothing under way. */
    private boolean met;

    private @Nullable Disposable timer;

    /** @param launch runs requests that have waited for the maximum delay */
    BatchSchedule(MemberRuns session, BatchOptions options, BatchAxes axes, Consumer<Taken> launch) {
        this.session = session;
        this.options = options;
        this.axes = axes;
        this.launch = launch;
        this.waiting = new BatchQueue(options, axes);
    }

    /** @param isAnswering whether the request comes from within the delivery of an answer */
    synchronized Admission admit(BatchMember member, boolean isAnswering) {
        if (underWay > 0 || isAnswering) {
            solitude.ends();
            met = true;
        }
        if ((underWay > 0 || answered > 0 && member.isFollowUp) && worth.pays(expected())) {
            member.waits(System.nanoTime());
            waiting.add(member);
            Taken next = waiting.isFull() ? take() : Taken.NONE;
            setTimer();
            return new Admission(Place.QUEUE, next);
        }
        boolean here = underWay == 0 && !member.isFollowUp && mayRunHere(member);
        met = underWay > 0;
        underWay++;
        running++;
        return new Admission(here ? Place.HERE : Place.ALONE, Taken.NONE);
    }

    private boolean mayRunHere(BatchMember member) {
        RunOptions own = member.options;
        return own.deadline() == null && solitude.holds(axes.elements(member.inputs)) && session.isAtRest();
    }

    /**
     * Returns the number of requests that may gather: each caller that is answered by a run
     * under way may well send another.
     */
    private int expected() {
        return Math.min(running + waiting.size() + 1, Math.max(2, options.maxSize()));
    }

    /**
     * Schedules the run of the waiting requests for when the first has waited for the maximum
     * delay, whatever is under way.
     */
    private void setTimer() {
        if (timer == null && !waiting.isEmpty()) {
            timer = Schedulers.parallel().schedule(this::overdue, Math.max(0, left()), TimeUnit.NANOSECONDS);
        }
    }

    /** Returns the nanoseconds for which the first waiting request may still wait. */
    private long left() {
        return Deadline.nanos(options.maxDelay())
                - (System.nanoTime() - waiting.first().came());
    }

    private void overdue() {
        Taken next = Taken.NONE;
        synchronized (this) {
            timer = null;
            if (!waiting.isEmpty() && left() <= 0) {
                next = take();
            }
            setTimer();
        }
        launch.accept(next);
    }

    private Taken take() {
        List<BatchMember> unwanted = waiting.takeUnwanted();
        List<BatchMember> batch = waiting.take();
        if (!batch.isEmpty()) {
            underWay++;
            running += batch.size();
        }
        return batch.isEmpty() && unwanted.isEmpty() ? Taken.NONE : new Taken(batch, unwanted);
    }

    /** Records the end of a run of so many requests that failed, and returns the requests that may run now. */
    synchronized Taken failed(int size) {
        return freed(size);
    }

    /**
     * Records the end of a run of one request, and returns the requests that may run now.
     *
     * @param nanos the time that the run took
     */
    synchronized Taken ranAlone(BatchMember member, long nanos) {
        if (!met && !member.isFollowUp) {
            solitude.alone(axes.elements(member.inputs), nanos);
        }
        worth.took(1, nanos);
        return freed(1);
    }

    private Taken freed(int size) {
        underWay--;
        running -= size;
        return underWay == 0 ? take() : Taken.NONE;
    }

    /**
     * Records the end of a batch's run, and returns the requests that may run now. The requests that its members send once
     * they are answered form a batch in their turn.
     *
     * @param nanos the time that the requests took, their copies included
     */
    synchronized Taken ranTogether(int size, long nanos) {
        worth.took(size, nanos);
        underWay--;
        answered++;
        return underWay == 0 ? take() : Taken.NONE;
    }

    /** Records that the members of a batch have their answers, and returns the requests that may run now. */
    synchronized Taken answeredTogether(int size) {
        answered--;
        running -= size;
        return underWay == 0 ? take() : Taken.NONE;
    }

    /** Removes a request that is not wanted any more. */
    synchronized void left(BatchMember member) {
        waiting.remove(member);
    }
}
