package dev.millrace.bench.generate;

import dev.millrace.bench.kernels.ReferenceModel;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A mixture of experts with random weights, two of which compute each token. */
final class SmallExperts {
    /** The weights of a row that share a scale. */
    private static final int BLOCK = 32;
    /** The standard deviation of four random bits. */
    private static final double SPREAD_OF_CODES = 4.6;

    private final ReferenceModel model;
    private final Random random;
    private final int experts;
    private final int hidden;
    private final int inner;

    SmallExperts(ReferenceModel model, Random random, int experts, int hidden, int inner) {
        this.model = model;
        this.random = random;
        this.experts = experts;
        this.hidden = hidden;
        this.inner = inner;
    }

    /** Returns the results of experts whose weights are floats. */
    Value floats(Value x, Value shares) {
        return mixed(node("MoE", x, shares, weights(shares, inner, hidden), null, weights(shares, hidden, inner)));
    }

    /** Returns the results of experts whose weights have 4 bits, with a scale for each block. */
    Value quantised(Value x, Value shares) {
        NodeSpec spec = node(
                "QMoE",
                x,
                shares,
                codes(shares, inner, hidden),
                scales(shares, inner, hidden),
                null,
                codes(shares, hidden, inner),
                scales(shares, hidden, inner));
        return mixed(spec.with("expert_weight_bits", Attribute.of(4L)).with("block_size", Attribute.of((long) BLOCK)));
    }

    private static NodeSpec node(String name, @Nullable Value... inputs) {
        return NodeSpec.of(new OpId(OpId.MICROSOFT, name), 1, inputs);
    }

    private Value mixed(NodeSpec spec) {
        return model.node(spec.with("k", Attribute.of(2L))
                .with("activation_type", Attribute.of("silu"))
                .with("normalize_routing_weights", Attribute.of(1L)));
    }

    private Value weights(Value shares, int out, int in) {
        double spread = 2 / Math.sqrt(in);
        return model.constant(
                shares.name() + " weights " + out,
                RandomTensors.reals(
                        ElementType.FLOAT, Shape.of(experts, out, in), () -> spread * random.nextGaussian()));
    }

    private Value codes(Value shares, int out, int in) {
        return model.constant(
                shares.name() + " codes " + out, RandomTensors.bits(random, ElementType.UINT8, experts, out, in / 2));
    }

    private Value scales(Value shares, int out, int in) {
        double middle = 2 / Math.sqrt(in) / SPREAD_OF_CODES;
        Shape shape = Shape.of(experts, out, in / BLOCK);
        return model.constant(
                shares.name() + " scales " + out,
                RandomTensors.reals(ElementType.FLOAT, shape, () -> middle * (0.8 + 0.4 * random.nextDouble())));
    }
}
