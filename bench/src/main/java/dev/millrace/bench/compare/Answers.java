package dev.millrace.bench.compare;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;

/** Holds two answers side by side. */
public final class Answers {
    private Answers() {}

    /** The largest distance between two numbers; infinite where shapes, types or what is NaN disagree. */
    public static double maxAbsDiff(Map<String, Tensor> ours, Map<String, Tensor> theirs) {
        double worst = 0;
        for (Map.Entry<String, Tensor> entry : ours.entrySet()) {
            Tensor other = theirs.get(entry.getKey());
            worst = Math.max(worst, other == null ? Double.POSITIVE_INFINITY : maxAbsDiff(entry.getValue(), other));
        }
        return ours.keySet().equals(theirs.keySet()) ? worst : Double.POSITIVE_INFINITY;
    }

    /** The largest distance of two numbers, relative to the largest number of their output; infinite as above. */
    public static double relativeDiff(Map<String, Tensor> ours, Map<String, Tensor> theirs) {
        double worst = 0;
        for (Map.Entry<String, Tensor> entry : ours.entrySet()) {
            Tensor other = theirs.get(entry.getKey());
            double distance = other == null ? Double.POSITIVE_INFINITY : maxAbsDiff(entry.getValue(), other);
            worst = Math.max(worst, other == null || distance == 0 ? distance : distance / largest(other));
        }
        return ours.keySet().equals(theirs.keySet()) ? worst : Double.POSITIVE_INFINITY;
    }

    private static double largest(Tensor tensor) {
        double largest = 0;
        for (long i = 0; i < tensor.elements(); i++) {
            double size = Math.abs(Elements.getDouble(tensor.type(), tensor.segment(), i));
            if (Double.isFinite(size)) {
                largest = Math.max(largest, size);
            }
        }
        return largest;
    }

    private static double maxAbsDiff(Tensor ours, Tensor theirs) {
        if (!ours.shape().equals(theirs.shape()) || ours.type() != theirs.type() || ours.type() == ElementType.STRING) {
            return Double.POSITIVE_INFINITY;
        }
        double worst = 0;
        for (long i = 0; i < ours.elements(); i++) {
            double a = Elements.getDouble(ours.type(), ours.segment(), i);
            double b = Elements.getDouble(theirs.type(), theirs.segment(), i);
            if (Double.isNaN(a) != Double.isNaN(b)) {
                return Double.POSITIVE_INFINITY;
            }
            if (a != b && !Double.isNaN(a)) {
                worst = Math.max(worst, Math.abs(a - b));
            }
        }
        return worst;
    }
}
