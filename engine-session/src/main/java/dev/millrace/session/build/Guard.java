package dev.millrace.session.build;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.function.Supplier;

/** Lets nothing but an {@link EngineException} out, and nothing open behind it. */
public final class Guard {
    private Guard() {}

    /**
     * What comes of a step of the way.
     *
     * @param model what to call the model in messages
     * @param undo closes what a step that fails would leave open
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
