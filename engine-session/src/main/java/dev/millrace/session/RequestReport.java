package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request that has ended.
 *
 * @param of the session's label
 * @param number the request's number in its session, from 1
 * @param inputs the inputs of the request
 * @param queuedNanos the time that it waited for its run
 * @param ranNanos the time that its run took; 0 if it never began
 * @param failure the reason why it has no answer, or null if it has one
 */
public record RequestReport(
        SessionLabel of,
        long number,
        Inputs inputs,
        long queuedNanos,
        long ranNanos,
        @Nullable EngineException failure) {

    /** The name of its session. */
    public String session() {
        return of.name();
    }

    /** {@code OK}, or the name of the status that it failed with. */
    public String outcome() {
        return outcome(failure);
    }

    /** Returns {@code OK} without a failure, else the name of its status. */
    public static String outcome(@Nullable EngineException failure) {
        return failure == null ? "OK" : failure.status().name();
    }

    public Duration queued() {
        return Duration.ofNanos(queuedNanos);
    }

    public Duration ran() {
        return Duration.ofNanos(ranNanos);
    }

    /** Returns the shapes of the inputs that are tensors. */
    public Map<String, Shape> shapes() {
        return shapes(inputs);
    }

    /** Returns the shapes of the inputs that are tensors. */
    public static Map<String, Shape> shapes(Inputs inputs) {
        var shapes = new LinkedHashMap<String, Shape>();
        inputs.asMap().forEach((name, value) -> {
            if (value instanceof Tensor tensor) {
                shapes.put(name, tensor.shape());
            }
        });
        return shapes;
    }
}
