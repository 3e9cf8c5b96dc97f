package dev.millrace.pipelines;

import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.util.function.Function;

/**
 * A run of a model for one value of a stage.
 *
 * @param inputs the model's inputs
 * @param reader makes the result of the outputs, which the stage closes afterwards
 * @param <O> the type of the result
 */
public record ModelRequest<O>(Inputs inputs, Function<Outputs, ? extends O> reader) {
    O read(Outputs outputs) {
        try (outputs) {
            return reader.apply(outputs);
        }
    }
}
