package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.stream.Turns;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;
import reactor.core.Disposable;

/**
 * Elements that follow each other, of which each is given the state that the one before left. They run one after the
 * other, in the order in which they were asked for. An answer has the model's outputs but for those that are state. An
 * element that fails or is cancelled leaves the state as it was.
 */
public final class Sequence extends Streaming implements AutoCloseable {
    /** Who runs its elements. */
    private final Streaming runs;

    private final CarriedState carried;
    /** One element at a time; whoever has the turn may touch the state. */
    private final Turns turns = new Turns();

    private Map<String, Tensor> state;
    private volatile boolean closed;

    Sequence(Streaming runs, CarriedState carried) {
        this.runs = runs;
        this.carried = carried;
        this.state = carried.first();
    }

    @Override
    public Outputs run(Inputs inputs, RunOptions how) {
        return inTurn(() -> {
            checkOpen();
            return advance(runs.run(carried.with(inputs, state), carried.with(how)));
        });
    }

    private Outputs advance(Outputs outputs) {
        Map<String, Tensor> before = state;
        state = carried.after(outputs);
        carried.close(before);
        return carried.answer(outputs);
    }

    @Override
    Disposable start(Inputs inputs, RunOptions how, Receiver<Outputs> to) {
        return turns.later(
                end -> {
                    var receiver = new Receiver<Outputs>() {
                        @Override
                        public void answered(Outputs outputs) {
                            Outputs answer = advance(outputs);
                            end.run();
                            to.answered(answer);
                        }

                        @Override
                        public void failed(EngineException failure) {
                            end.run();
                            to.failed(failure);
                        }
                    };
                    try {
                        checkOpen();
                        return runs.start(carried.with(inputs, state), carried.with(how), receiver);
                    } catch (EngineException e) {
                        receiver.failed(e);
                        return () -> {};
                    }
                },
                () -> to.failed(new EngineException(Status.CANCELLED, "the run was cancelled")));
    }

    /** A copy of the state after the elements so far, by the names of inputs. */
    public Map<String, Tensor> snapshot() {
        return inTurn(() -> {
            checkOpen();
            var copy = new LinkedHashMap<String, Tensor>();
            state.forEach((input, tensor) -> copy.put(input, Tensor.copyOf(tensor)));
            return copy;
        });
    }

    /** Goes on from a snapshot, of this sequence or another one of the model. */
    public void restore(Map<String, Tensor> snapshot) {
        if (!Failures.given(snapshot, "snapshot")
                .keySet()
                .equals(carried.first().keySet())) {
            throw EngineException.invalidArgument("a snapshot of " + snapshot.keySet() + " is none of "
                    + carried.first().keySet());
        }
        var copy = new LinkedHashMap<String, Tensor>();
        snapshot.forEach((input, tensor) -> copy.put(input, Tensor.copyOf(Failures.given(tensor, "snapshot"))));
        put(copy);
    }

    /** Begins anew. */
    public void reset() {
        put(carried.first());
    }

    private void put(Map<String, Tensor> next) {
        inTurn(() -> {
            checkOpen();
            carried.close(state);
            state = next;
            return next;
        });
    }

    private <T> T inTurn(Supplier<T> action) {
        turns.take();
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

    /** Frees the state, once the elements that were asked for have ended; more are refused. */
    @Override
    public void close() {
        turns.later(
                end -> {
                    if (!closed) {
                        closed = true;
                        carried.close(state);
                    }
                    end.run();
                    return () -> {};
                },
                () -> {});
    }
}
