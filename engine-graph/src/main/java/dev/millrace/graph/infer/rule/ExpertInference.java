package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.op.OpName;
import java.util.List;

/** MoE and QMoE: each token goes through a few of many small networks. */
final class ExpertInference {
    /** How many inputs further on the weights of a quantised layer are, with their scales between weights and bias. */
    private static final int QUANTISED_STEP = 3;

    private static final int ROUTER_WEIGHTS = 14;

    private ExpertInference() {}

    static void apply(InferenceContext c) {
        boolean quantised = c.op().equals(OpName.Q_MOE);
        List<Dim> tokens = c.dims(0, 2, 3);
        List<Dim> router = c.dims(1, 2);
        c.set(0, c.tensor(0));
        if (tokens == null || router == null) {
            return;
        }
        Dim rows = tokens.size() == 2 ? tokens.getFirst() : Dims.mul(tokens.get(0), tokens.get(1));
        Dim experts = router.get(1);
        c.expect(1, 0, rows);
        long chosen = c.attributes().integer("k", 1);
        if (chosen < 1 || experts instanceof Dim.Known known && known.extent() < chosen) {
            throw c.refuse(chosen + " of " + experts + " experts are to be chosen");
        }
        boolean together = c.attributes().text("activation_type", "relu").equals("swiglu")
                && c.attributes().integer("swiglu_fusion", 0) != 0;
        int step = quantised ? QUANTISED_STEP : 2;
        int second = 2 + step;
        Dim width = tokens.getLast();
        Dim inner = Dims.mul(c.dim(second, 2), perByte(c, quantised));
        Dim both = together ? Dims.mul(inner, 2) : inner;
        layer(c, 2, experts, both, width);
        layer(c, second, experts, width, inner);
        layer(c, second + step, experts, inner, width);
        if (quantised && c.has(ROUTER_WEIGHTS)) {
            OperandChecks.shape(c, ROUTER_WEIGHTS, rows, experts);
        }
    }

    /** How many weights lie in an element. */
    private static long perByte(InferenceContext c, boolean quantised) {
        if (!quantised) {
            return 1;
        }
        long bits = c.attributes().integer("expert_weight_bits", 4);
        if (bits != 2 && bits != 4 && bits != 8) {
            throw c.refuse("attribute 'expert_weight_bits' is " + bits + " where 2, 4 or 8 is expected");
        }
        return 8 / bits;
    }

    /** A matrix for each expert, whose columns may be packed, with scales and zero points by row or by block, and a bias. */
    private static void layer(InferenceContext c, int weights, Dim experts, Dim rows, Dim columns) {
        boolean quantised = c.op().equals(OpName.Q_MOE);
        long packed = perByte(c, quantised);
        OperandChecks.shape(c, weights, experts, rows, Dims.ceilDiv(columns, packed));
        OperandChecks.shape(c, weights + (quantised ? 2 : 1), experts, rows);
        if (!quantised || !c.has(weights)) {
            return;
        }
        OperandChecks.required(c, weights + 1);
        int zeros = 11 + (weights - 2) / QUANTISED_STEP;
        long block = c.attributes().integer("block_size", 0);
        if (block > 0) {
            Dim blocks = Dims.ceilDiv(columns, block);
            OperandChecks.shape(c, weights + 1, experts, rows, blocks);
            OperandChecks.shape(c, zeros, experts, rows, Dims.ceilDiv(blocks, packed));
        } else {
            OperandChecks.shape(c, weights + 1, experts, rows);
            OperandChecks.shape(c, zeros, experts, Dims.ceilDiv(rows, packed));
        }
    }
}
