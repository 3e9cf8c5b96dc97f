package dev.millrace.graph.infer.rule;

import static dev.millrace.graph.infer.rule.InferenceContext.with;

import dev.millrace.graph.ir.Dim;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Products with weights in blocks that have a scale each. */
final class BlockInference {
    private BlockInference() {}

    static void apply(InferenceContext c) {
        switch (c.op()) {
            case "MatMulNBitsMlp" -> {
                c.set(0, c.element(0), product(c, inner(c), attribute(c, "N")));
                c.set(1, c.tensor(0));
            }
            case "MatMulNBitsQkv" -> {
                c.set(0, c.element(0), product(c, inner(c), attribute(c, "Nq")));
                c.set(1, c.element(0), product(c, inner(c), attribute(c, "Nkv")));
                c.set(2, c.element(0), product(c, inner(c), attribute(c, "Nkv")));
                c.set(3, c.tensor(0));
            }
            default -> smallFloats(c, c.op().contains("Fp4") ? 2 : 1);
        }
    }

    private static Dim attribute(InferenceContext c, String name) {
        return Dim.of(c.attributes().integer(name));
    }

    private static Dim inner(InferenceContext c) {
        return attribute(c, "K");
    }

    private static @Nullable List<Dim> product(InferenceContext c, Dim inner, Dim columns) {
        List<Dim> a = c.dims(0, 1, Integer.MAX_VALUE);
        c.expect(0, -1, inner);
        return a == null ? null : with(a, a.size() - 1, columns);
    }

    /** Weights of which so many lie in an element. */
    private static void smallFloats(InferenceContext c, int packed) {
        c.dims(1, 2);
        c.dims(2, 2);
        Dim inner = Dims.mul(c.dim(1, 1), packed);
        long block = c.attributes().integer("block_size", packed == 2 ? 16 : 128);
        if (block < 1) {
            throw c.refuse("attribute 'block_size' is " + block + " where a positive number is expected");
        }
        OperandChecks.shape(c, 2, c.dim(1, 0), Dims.ceilDiv(inner, block));
        OperandChecks.shape(c, packed == 2 ? 5 : 4, c.dim(1, 0));
        c.set(0, c.element(0), product(c, inner, c.dim(1, 0)));
    }
}
