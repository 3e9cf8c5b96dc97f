package dev.millrace.session.batch;

import dev.millrace.graph.EngineException;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.BatchedSession;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.SessionLease;
import dev.millrace.session.SessionSource;
import dev.millrace.session.State;
import dev.millrace.session.StateOptions;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.state.OpenStatefulSession;
import dev.millrace.session.stream.Handover;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Callbacks;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** A session whose requests wait in a queue and run as batches. */
public final class OpenBatchedSession extends Streaming implements BatchedSession, SessionSource {
    private final MemberRuns session;
    private final BatchOptions options;
    private final BatchAxes axes;
    private final BatchSchedule schedule;
    private final Callbacks answering = new Callbacks();

    public OpenBatchedSession(MemberRuns session, BatchOptions options) {
        this.session = session;
        this.options = options;
        this.axes = new BatchAxes(session, options);
        this.schedule = new BatchSchedule(session, options, axes, this::launch);
    }

    @Override
    public StatefulSession stateful(StateOptions options, State... states) {
        return new OpenStatefulSession(
                this,
                session,
                Failures.requireArgument(options, "options"),
                Failures.each(states, "states"),
                System::nanoTime);
    }

    @Override
    public SessionLease lease() {
        return () -> session;
    }

    @Override
    public List<ValueInfo> inputs() {
        return session.inputs();
    }

    @Override
    public List<ValueInfo> outputs() {
        return session.outputs();
    }

    @Override
    public Outputs run(Inputs inputs, RunOptions options) {
        return session.run(inputs, options);
    }

    @Override
    public int concurrency() {
        return Math.max(session.concurrency(), options.maxSize());
    }

    @Override
    public Disposable start(Inputs inputs, RunOptions options, Receiver<Outputs> to) {
        if (!options.outputs().isEmpty() || !options.into().isEmpty() || options.listener() != null) {
            return session.start(inputs, options, to);
        }
        try {
            session.checkForLater(inputs, options);
            Instant deadline = options.deadline();
            if (deadline != null) {
                Deadline.ahead(deadline);
            }
        } catch (EngineException e) {
            to.failed(e);
            return Disposables.disposed();
        }
        // a request from within the delivery of an answer says nothing about independent requests, and running it on
        // the requesting thread would grow that thread's stack
        boolean isAnswering = answering.isInside();
        boolean isFollowUp = isAnswering || session.isOwnThread();
        var member = new BatchMember(this, inputs, options, to, isFollowUp);
        BatchSchedule.Admission admission = schedule.admit(member, isAnswering);
        switch (admission.place()) {
            case HERE -> here(member);
            case ALONE -> launch(new Alone(member, to.isAwaited()));
            case QUEUE -> launch(admission.next());
        }
        return member;
    }

    /** Removes a request that is not wanted any more from the queue. */
    void left(BatchMember member) {
        schedule.left(member);
    }

    private void launch(BatchSchedule.Taken taken) {
        var told = new ArrayList<Runnable>(0);
        launch(launched(taken, told), told);
    }

    private void launch(Launch first) {
        launch(first, new ArrayList<>(0));
    }

    /**
     * Returns the run of the requests that were taken, not yet begun; null if there are none.
     *
     * @param told receives the failures of the requests that were cancelled
     */
    private @Nullable Launch launched(BatchSchedule.Taken taken, List<Runnable> told) {
        taken.unwanted().forEach(member -> told.add(() -> member.failed(Failures.cancelled())));
        return switch (taken.batch().size()) {
            case 0 -> null;
            case 1 -> new Alone(taken.batch().getFirst(), false);
            default -> new Split(taken.batch());
        };
    }

    /**
     * Begins a run. If it fails while it is begun, begins the next one, and so on.
     *
     * @param told is run once the next run is under way, because what these tasks call may wait for that run
     */
    private void launch(@Nullable Launch first, List<Runnable> told) {
        Launch launch = first;
        while (launch != null) {
            if (launch.begin()) {
                told.add(launch::tellFailure);
                launch = launched(schedule.failed(launch.size()), told);
            } else {
                launch = null;
            }
        }
        told.forEach(Runnable::run);
    }

    /** A run of one or more requests. */
    private abstract class Launch implements Receiver<Outputs> {
        private final Handover handover = new Handover();
        private volatile @Nullable EngineException failure;
        long start;

        abstract int size();

        /** Begins the run. A failure comes back as that of a run does, or is thrown. */
        abstract void start();

        /** Tells the requests of the run that it failed. */
        abstract void tell(EngineException why);

        /** Begins the run and returns whether it has failed already. */
        final boolean begin() {
            try {
                start();
            } catch (RuntimeException | Error e) {
                failure = Failures.named("a batch", e);
                handover.ended();
            }
            return handover.begun();
        }

        private void tellFailure() {
            tell(Objects.requireNonNull(failure));
        }

        @Override
        public void began() {
            start = System.nanoTime();
        }

        @Override
        public void failed(EngineException why) {
            failure = why;
            if (handover.ended()) {
                var told = new ArrayList<Runnable>();
                told.add(this::tellFailure);
                launch(launched(schedule.failed(size()), told), told);
            }
        }
    }

    /** The run of one request. */
    private final class Alone extends Launch {
        private final BatchMember member;
        private final boolean awaited;

        /** @param awaited whether this is the thread that waits for its answer */
        Alone(BatchMember member, boolean awaited) {
            this.member = member;
            this.awaited = awaited;
        }

        @Override
        int size() {
            return 1;
        }

        @Override
        void start() {
            member.startedIn(session.start(member.inputs, member.options, this));
        }

        @Override
        void tell(EngineException why) {
            member.failed(why);
        }

        @Override
        public boolean isAwaited() {
            return awaited;
        }

        @Override
        public void answered(Outputs outputs) {
            launch(schedule.ranAlone(member, System.nanoTime() - start));
            member.answered(outputs);
        }
    }

    /** Runs a request on the calling thread. */
    private void here(BatchMember member) {
        long start = System.nanoTime();
        Outputs outputs = null;
        EngineException failure = null;
        try {
            outputs = session.runCheckedIfOpen(member.inputs, member.options);
        } catch (RuntimeException | Error e) {
            failure = session.named(e);
        }
        boolean outermost = answering.enter();
        try {
            if (outputs != null) {
                launch(schedule.ranAlone(member, System.nanoTime() - start));
                member.answered(outputs);
            } else {
                launch(schedule.failed(1));
                member.failed(failure == null ? Failures.sessionClosed() : failure);
            }
        } finally {
            answering.leave(outermost);
        }
    }

    /** Runs a member of a batch that failed alone, unless it was cancelled. */
    private void again(BatchMember member) {
        if (member.isUnwanted()) {
            member.failed(Failures.cancelled());
        } else {
            member.startedIn(session.start(member.inputs, member.options, member));
        }
    }

    /**
     * The run of a batch, which gives each request its part of the answer. It is stopped once
     * all requests are cancelled.
     */
    private final class Split extends Launch implements Disposable {
        private final List<BatchMember> batch;
        /** The nanoseconds that concatenating the inputs took. */
        private long joining;

        private BatchAxes.@Nullable Joined joined;
        private volatile @Nullable Disposable run;

        Split(List<BatchMember> batch) {
            this.batch = batch;
        }

        @Override
        int size() {
            return batch.size();
        }

        @Override
        void start() {
            int priority = 0;
            List<Inputs> values = new ArrayList<>(batch.size());
            for (BatchMember member : batch) {
                priority = Math.max(priority, member.options.priority());
                values.add(member.inputs);
            }
            long before = System.nanoTime();
            BatchAxes.Joined side = axes.join(values);
            joined = side;
            joining = System.nanoTime() - before;
            batch.forEach(member -> {
                member.startedIn(this);
                session.joined(member.options, batch.size());
            });
            RunOptions ofBatch = RunOptions.builder().priority(priority).build();
            Disposable begun = session.start(side.inputs(), ofBatch, this);
            run = begun;
            if (batch.getFirst().isUnwanted()) {
                dispose();
            }
        }

        @Override
        public void began() {
            super.began();
            batch.forEach(member -> session.began(member.options));
        }

        @Override
        public void dispose() {
            Disposable begun = run;
            if (begun != null && batch.stream().allMatch(BatchMember::isUnwanted)) {
                begun.dispose();
            }
        }

        @Override
        public void answered(Outputs outputs) {
            freeInputs();
            long ended = System.nanoTime();
            List<@Nullable Outputs> parts = new ArrayList<>(batch.size());
            try (BatchAxes.Parts apart = axes.parts(outputs)) {
                for (BatchMember member : batch) {
                    parts.add(part(member, apart));
                }
            } catch (RuntimeException | Error e) {
                failed(Failures.named("the answer of a batch", e));
                return;
            }
            long split = System.nanoTime();
            session.batchEnded(batch.size(), joining + split - ended, ended - start);
            launch(schedule.ranTogether(batch.size(), joining + split - start));
            for (int i = 0; i < batch.size(); i++) {
                Outputs part = parts.get(i);
                if (part != null) {
                    batch.get(i).answered(part);
                }
            }
            launch(schedule.answeredTogether(batch.size()));
        }

        /** Returns the next member's part; null if the member was failed instead. */
        private @Nullable Outputs part(BatchMember member, BatchAxes.Parts apart) {
            try {
                member.options.cancellation().check();
            } catch (EngineException cancelled) {
                apart.skip(member.inputs);
                member.failed(cancelled);
                return null;
            }
            try {
                return apart.next(member.inputs);
            } catch (RuntimeException | OutOfMemoryError e) {
                member.failed(Failures.named("an answer of a batch", e));
                return null;
            }
        }

        @Override
        void tell(EngineException why) {
            freeInputs();
            batch.forEach(OpenBatchedSession.this::again);
        }

        private void freeInputs() {
            BatchAxes.Joined side = joined;
            if (side != null) {
                side.close();
            }
        }
    }
}
