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
 * @param of whose it was
 * @param number which of the session's requests it is, from 1
 * @param inputs what it was asked with
 * @param queuedNanos how long it waited for its run
 * @param ranNanos how long its run took; 0 where it never began
 * @param failure why it has no answer, or null where it has one
 */
public record RequestReport(
        SessionLabel of,
        long number,
        Inputs inputs,
        long queuedNanos,
        long ranNanos,
        @Nullable EngineException failure) {

    /** What its session is called. */
    public String session() {
        return of.name();
    }

    /** {@code OK}, or the name of the status that it failed with. */
    public String outcome() {
        return outcome(failure);
    }

    static String outcome(@Nullable EngineException failure) {
        return failure == null ? "OK" : failure.status().name();
    }

    public Duration queued() {
        return Duration.ofNanos(queuedNanos);
    }

    public Duration ran() {
        return Duration.ofNanos(ranNanos);
    }

    /** The shapes of those inputs that are tensors. */
    public Map<String, Shape> shapes() {
        return shapes(inputs);
    }

    static Map<String, Shape> shapes(Inputs inputs) {
        var shapes = new LinkedHashMap<String, Shape>();
        inputs.asMap().forEach((name, value) -> {
            if (value instanceof Tensor tensor) {
                shapes.put(name, tensor.shape());
            }
        });
        return shapes;
    }
}
