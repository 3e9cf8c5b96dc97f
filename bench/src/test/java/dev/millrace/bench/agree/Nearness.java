package dev.millrace.bench.agree;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides which of two answers is nearer to that of the same model in double, where sums that
 * cancel out leave few digits.
 */
final class Nearness {
    /** The factor by which roundings may make one answer worse by chance. */
    private static final double NEAR = 1.5;

    private Nearness() {}

    /** Whether this engine's answer is as near to the exact one as ONNX Runtime's in each output. */
    static boolean explains(Side.Result exact, Side.Result theirs, Side.Result ours) {
        if (exact.answers() == null || theirs.answers() == null || ours.answers() == null) {
            return false;
        }
        for (Map.Entry<String, Datum> answer : ours.answers().entrySet()) {
            Datum right = exact.answers().get(answer.getKey());
            double distance = distance(right, answer.getValue());
            double allowed = NEAR * distance(right, theirs.answers().get(answer.getKey()));
            if (!(distance <= allowed) || Double.isInfinite(distance)) {
                return false;
            }
        }
        return true;
    }

    /** Returns the largest difference of two numbers; infinity if the tensors cannot be compared. */
    private static double distance(@Nullable Datum right, @Nullable Datum answer) {
        if (!(right instanceof Tensor one && answer instanceof Tensor other)
                || !one.shape().equals(other.shape())) {
            return Double.POSITIVE_INFINITY;
        }
        double largest = 0;
        for (long i = 0; i < one.elements(); i++) {
            double a = Elements.getDouble(one.type(), one.segment(), i);
            double b = Elements.getDouble(other.type(), other.segment(), i);
            if (a != b && !(Double.isNaN(a) && Double.isNaN(b))) {
                double distance = Math.abs(a - b);
                largest = Double.isNaN(distance) ? Double.POSITIVE_INFINITY : Math.max(largest, distance);
            }
        }
        return largest;
    }
}
