package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.function.Supplier;

/** Runs steps of a build so that they fail with an {@link EngineException} only, and leave nothing open. */
public final class Guard {
    private Guard() {}

    /**
     * Returns the result of a step.
     *
     * @param model the model's name in messages
     * @param undo closes the resources that a failing step would leave open
     */
    public static <T> T over(String model, Runnable undo, Supplier<T> step) {
        try {
            return step.get();
        } catch (EngineException e) {
            undo.run();
            throw e.at(model);
        } catch (RuntimeException | OutOfMemoryError | StackOverflowError | InternalError | LinkageError e) {
            undo.run();
            throw EngineException.wrap(Status.FAIL, model, e);
        }
    }
}
