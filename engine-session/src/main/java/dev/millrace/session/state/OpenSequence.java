package dev.millrace.session.state;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Sequence;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.request.PendingRequest;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.stream.FifoLock;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;

/** A sequence whose elements wait for their turn in the order of their requests. */
public final class OpenSequence extends Streaming implements Sequence {
    /** The session that runs the elements. */
    private final Streaming runs;

    private final CarriedState carried;
    /** The lock that admits one element at a time; its holder may access the state. */
    private final FifoLock turns = new FifoLock();

    private Map<String, Tensor> state;
    private volatile boolean closed;

    public OpenSequence(Streaming runs, CarriedState carried) {
        this(runs, carried, carried.first());
    }

    private OpenSequence(Streaming runs, CarriedState carried, Map<String, Tensor> state) {
        this.runs = runs;
        this.carried = carried;
        this.state = state;
    }

    @Override
    public List<ValueInfo> inputs() {
        return carried.askedInputs();
    }

    @Override
    public List<ValueInfo> outputs() {
        return carried.answeredOutputs();
    }

    @Override
    public Outputs run(Inputs inputs, RunOptions options) {
        RunOptions asked = Failures.requireArgument(options, "options");
        return inTurn(asked, () -> {
            checkOpen();
            return advance(runs.run(carried.with(inputs, state), carried.with(asked)));
        });
    }

    /** Adopts the state in an element's outputs. Outputs without a state are closed, and the state stays as it was. */
    private Outputs advance(Outputs outputs) {
        Map<String, Tensor> before = state;
        Outputs answer;
        try {
            Map<String, Tensor> after = carried.after(outputs);
            answer = carried.answer(outputs);
            state = after;
        } catch (RuntimeException | Error e) {
            carried.discard(outputs, before);
            throw e;
        }
        carried.close(before, state);
        return answer;
    }

    @Override
    public Disposable start(Inputs inputs, RunOptions options, Receiver<Outputs> to) {
        var element = new Element(inputs, options, to);
        element.waitsAt(turns.later(element::begin));
        return element;
    }

    /** One element: waiting for its turn, running, or ended. */
    private final class Element implements Receiver<Outputs>, Disposable {
        private final Inputs inputs;
        private final RunOptions options;
        private final PendingRequest request;
        private volatile FifoLock.@Nullable Place place;

        Element(Inputs inputs, RunOptions options, Receiver<Outputs> to) {
            this.inputs = inputs;
            this.options = options;
            this.request = new PendingRequest(to);
        }

        Disposable begin(FifoLock.Place turn) {
            place = turn;
            try {
                checkOpen();
                return runs.start(carried.with(inputs, state), carried.with(options), this);
            } catch (RuntimeException | Error e) {
                failed(Failures.named("an element of a sequence", e));
                return Disposables.disposed();
            }
        }

        void waitsAt(FifoLock.Place row) {
            place = row;
            Instant deadline = options.deadline();
            if (deadline != null) {
                // once the element has its turn, its run has the same deadline
                request.expiresAt(deadline, () -> leave(Deadline.passed()));
            }
        }

        @Override
        public void answered(Outputs outputs) {
            try {
                Outputs answer = advance(outputs);
                end(() -> request.answered(answer));
            } catch (RuntimeException | Error e) {
                failed(Failures.named("the state of a sequence", e));
            }
        }

        @Override
        public void failed(EngineException failure) {
            end(() -> request.failed(failure));
        }

        private void end(Runnable after) {
            Objects.requireNonNull(place).end(after);
        }

        @Override
        public void dispose() {
            FifoLock.Place row = Objects.requireNonNull(place);
            if (!leave(Failures.cancelled())) {
                row.dispose();
            }
        }

        /** Fails the element if it still waits for its turn. */
        private boolean leave(EngineException why) {
            boolean left = Objects.requireNonNull(place).leave();
            if (left) {
                request.failed(why);
            }
            return left;
        }
    }

    @Override
    public Map<String, Tensor> snapshot() {
        return read(held -> {
            var copy = new LinkedHashMap<String, Tensor>();
            held.forEach((input, tensor) -> copy.put(input, Tensor.copyOf(tensor)));
            return copy;
        });
    }

    @Override
    public void restore(Map<String, Tensor> snapshot) {
        put(carried.checked(Failures.requireArgument(snapshot, "snapshot")));
    }

    @Override
    public void reset() {
        put(carried.first());
    }

    private void put(Map<String, Tensor> next) {
        change(_ -> next);
    }

    /**
     * Replaces the state, when the elements that were requested have ended.
     *
     * @param change returns the next state of this one, which is closed except for what the next one has as well
     */
    public void change(UnaryOperator<Map<String, Tensor>> change) {
        inTurn(() -> {
            checkOpen();
            Map<String, Tensor> next = change.apply(state);
            carried.close(state, next);
            state = next;
            return next;
        });
    }

    /**
     * Returns what is made of the state, when the elements that were requested have ended.
     *
     * @param read keeps no tensor of the state
     */
    public <T> T read(Function<Map<String, Tensor>, T> read) {
        return inTurn(() -> {
            checkOpen();
            return read.apply(state);
        });
    }

    /**
     * Has the state read on the thread of the last requested element when that has ended, or at once. That of a closed sequence
     * is not read.
     */
    public void whenIdle(Consumer<Map<String, Tensor>> read) {
        turns.later(turn -> {
            if (!closed) {
                read.accept(state);
            }
            turn.end(() -> {});
            return Disposables.disposed();
        });
    }

    /**
     * Begins another sequence.
     *
     * @param copy returns its state, a copy of this one's
     */
    public OpenSequence fork(UnaryOperator<Map<String, Tensor>> copy) {
        return new OpenSequence(runs, carried, read(copy));
    }

    private <T> T inTurn(Supplier<T> action) {
        return inTurn(RunOptions.defaults(), action);
    }

    private <T> T inTurn(RunOptions options, Supplier<T> action) {
        turns.take(() -> {
            options.cancellation().check();
            Instant deadline = options.deadline();
            if (deadline != null) {
                Deadline.ahead(deadline);
            }
        });
        try {
            return action.get();
        } finally {
            turns.give();
        }
    }

    private void checkOpen() {
        if (closed) {
            throw new EngineException(
                    Status.NOT_FOUND, "this sequence is closed or was given up: ask for its key again to begin anew");
        }
    }

    /** Whether an element is under way or waits. */
    boolean isBusy() {
        return turns.isTaken();
    }

    @Override
    public int concurrency() {
        return 1;
    }

    @Override
    public void close() {
        turns.later(turn -> {
            if (!closed) {
                closed = true;
                carried.close(state);
            }
            turn.end(() -> {});
            return Disposables.disposed();
        });
    }
}
