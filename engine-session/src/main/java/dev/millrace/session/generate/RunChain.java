package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.stream.StepFlux;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** Runs each of which follows from the outputs of the one before, on this thread or as their results are asked for. */
abstract class RunChain<T> implements StepFlux.Steps<T> {
    /** Computes the next run. */
    abstract Inference inference();

    /** Returns the inputs of the next run. */
    abstract Inputs inputs();

    /** Returns the options of the next run. */
    abstract RunOptions options();

    /**
     * Takes the outputs of a run, and closes them.
     *
     * @return the result of the step; null if it takes another run
     */
    abstract @Nullable T taken(Outputs outputs);

    /** Returns the options of all runs of a generation. */
    static RunOptions options(GenerationOptions generation) {
        RunOptions.Builder options = RunOptions.builder().priority(generation.priority());
        Cancellation cancellation = generation.cancellation();
        if (cancellation != null) {
            options.cancellation(cancellation);
        }
        Duration timeLimit = generation.timeLimit();
        if (timeLimit != null) {
            options.within(timeLimit);
        }
        return options.build();
    }

    /** Returns the result of the next step, computed on this thread. */
    T run() {
        while (true) {
            T result = taken(inference().run(inputs(), options()));
            if (result != null) {
                return result;
            }
        }
    }

    @Override
    public Disposable begin(ContextView context, Receiver<T> to) {
        Disposable.Composite running = Disposables.composite();
        step(context, to, running);
        return running;
    }

    /**
     * Begins the next run.
     *
     * @param running stops the runs of the step. A run may end, and the next one begin, before it is added
     */
    void step(ContextView context, Receiver<T> to, Disposable.Composite running) {
        running.add(inference()
                .mono(inputs(), options())
                .subscribe(
                        outputs -> answer(outputs, context, to, running),
                        thrown -> to.failed(named(thrown)),
                        null,
                        Context.of(context)));
    }

    private void answer(Outputs outputs, ContextView context, Receiver<T> to, Disposable.Composite running) {
        T result;
        try {
            result = taken(outputs);
            if (result == null) {
                step(context, to, running);
                return;
            }
        } catch (RuntimeException | Error e) {
            to.failed(named(e));
            return;
        }
        to.answered(result);
    }

    static EngineException named(Throwable thrown) {
        return thrown instanceof EngineException known
                ? known
                : EngineException.wrap(Status.FAIL, "generation", thrown);
    }
}
