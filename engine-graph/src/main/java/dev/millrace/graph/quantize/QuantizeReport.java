package dev.millrace.graph.quantize;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import java.util.List;

/**
 * The result of a quantisation, weight by weight.
 *
 * @param weights the weights that were quantised, those with the largest error first
 * @param kept the weights of at least two dimensions that stay floats
 * @param bytesBefore the bytes of all constants of the source
 * @param bytesAfter the bytes of all constants of the quantised model
 */
public record QuantizeReport(List<Weight> weights, List<Kept> kept, long bytesBefore, long bytesAfter) {
    /**
     * A weight that was quantised.
     *
     * @param operator the operator that reads it now
     * @param shape the shape that it had
     * @param bytesAfter its bytes with scales and zero points
     * @param error the root of the sum of the squared errors, relative to that of the squared weights
     * @param sourceStays whether the floats stay in the model, too, because other nodes read them
     */
    public record Weight(
            String name,
            String operator,
            Shape shape,
            ElementType type,
            int bits,
            long bytesBefore,
            long bytesAfter,
            double error,
            boolean sourceStays) {}

    /** A weight that stays as it is, with the reason. */
    public record Kept(String name, Shape shape, ElementType type, long bytes, String reason) {}

    public QuantizeReport {
        weights = List.copyOf(weights);
        kept = List.copyOf(kept);
    }
}
