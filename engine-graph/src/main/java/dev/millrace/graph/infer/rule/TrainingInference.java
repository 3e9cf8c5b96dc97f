package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import java.util.List;

/** The preview domains: optimisers that give tensors shaped like those they update, and attention in preview. */
final class TrainingInference {
    private TrainingInference() {}

    static void apply(InferenceContext c) {
        switch (c.op()) {
            case "Adagrad", "Momentum" -> updated(c, 3, 2);
            case "Adam" -> updated(c, 4, 3);
            case "Gradient" -> gradient(c);
            case "FlexAttention" -> flexAttention(c);
            default -> {}
        }
    }

    /** Inputs after the first two are {@code groups} lists of equal length: tensors, gradients, and what is kept. */
    private static void updated(InferenceContext c, int groups, int kept) {
        int tensors = (c.inputs() - 2) / groups;
        if (tensors < 1 || tensors * groups != c.inputs() - 2 || c.outputs() > tensors * kept) {
            throw c.refuse(c.inputs() + " inputs and " + c.outputs() + " outputs do not fit; " + groups + " inputs and "
                    + kept + " outputs for each tensor are needed");
        }
        OperandChecks.one(c, 0, 1);
        for (int i = 0; i < tensors; i++) {
            for (int group = 1; group < groups; group++) {
                OperandChecks.shape(c, 2 + group * tensors + i, c.dims(2 + i));
            }
        }
        for (int i = 0; i < c.outputs(); i++) {
            int group = i / tensors;
            c.set(i, c.tensor(2 + i + (group == 0 ? 0 : tensors)));
        }
    }

    private static void gradient(InferenceContext c) {
        List<String> names = c.attributes().texts("xs");
        for (int i = 0; i < c.outputs() && names != null && i < names.size(); i++) {
            c.set(i, c.tensor(i));
        }
    }

    private static void flexAttention(InferenceContext c) {
        List<Dim> q = c.dims(0, 4);
        c.dims(1, 4);
        c.dims(2, 4);
        Dim size = c.dim(2, 3);
        c.set(0, c.element(0), q == null ? Dims.unknown(4) : InferenceContext.with(q, 3, size));
        ElementType precision = c.element(0) == ElementType.DOUBLE ? ElementType.DOUBLE : ElementType.FLOAT;
        List<Dim> scores = q == null ? Dims.unknown(4) : InferenceContext.with(q, 3, c.dim(1, 2));
        ValueType type = TypeLattice.tensor(c.elementAttribute("softmax_precision", precision), scores);
        for (Graph modifier : c.attributes().graphs()) {
            c.body(modifier, List.of(type));
        }
    }
}
