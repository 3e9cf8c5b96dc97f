package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Mixtures of experts: six tokens of 32 features, four experts of 64. */
@Tag("reference")
class ExpertOperatorsTest {
    private static final int TOKENS = 6;
    private static final int EXPERTS = 4;
    private static final int WIDTH = 32;
    private static final int INNER = 64;
    private static final double CLOSE = 2e-4;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(2).build());

    private final Draw draw = new Draw(90);

    private OneOperator mixture(String activation, int chosen) {
        return OneOperator.contributed("MoE")
                .with("activation_type", activation)
                .with("k", chosen)
                .on(draw.floats(2, 3, WIDTH), draw.floats(TOKENS, EXPERTS));
    }

    @ParameterizedTest
    @ValueSource(strings = {"relu", "gelu", "silu", "identity"})
    void functionsBetweenTheLayers(String activation) throws Exception {
        for (int normalised = 0; normalised <= 1; normalised++) {
            mixture(activation, 2)
                    .with("normalize_routing_weights", normalised)
                    .holding(small(EXPERTS, INNER, WIDTH), draw.floats(EXPERTS, INNER))
                    .holding(small(EXPERTS, WIDTH, INNER), draw.floats(EXPERTS, WIDTH))
                    .agrees(engine, CLOSE);
        }
    }

    private Tensor small(long... dims) {
        float[] values = draw.floats(dims).floats();
        for (int i = 0; i < values.length; i++) {
            values[i] /= 8;
        }
        return Tensor.copyOf(values, dims);
    }

    @Test
    void gatesInTheFirstLayer() throws Exception {
        mixture("swiglu", 3)
                .with("swiglu_fusion", 1)
                .with("swiglu_limit", 1.5f)
                .with("activation_alpha", 1.702f)
                .with("activation_beta", 1f)
                .holding(small(EXPERTS, 2 * INNER, WIDTH), draw.floats(EXPERTS, 2 * INNER))
                .holding(small(EXPERTS, WIDTH, INNER))
                .agrees(engine, CLOSE);
    }

    /** One expert, so that the router says nothing. */
    private OneOperator alone(String activation) {
        return OneOperator.contributed("MoE")
                .with("activation_type", activation)
                .on(Tensor.copyOf(new float[] {1, 2}, 1, 2), Tensor.copyOf(new float[] {7}, 1, 1));
    }

    private static double swish(double x) {
        return x / (1 + Math.exp(-x));
    }

    @Test
    void aThirdLayerIsGatedByTheFirst() {
        Tensor first = Tensor.copyOf(new float[] {1, 0, 0, 1}, 1, 2, 2);
        Tensor second = Tensor.copyOf(new float[] {1, 0, 0, 1}, 1, 2, 2);
        Tensor third = Tensor.copyOf(new float[] {3, 0, 0, 5}, 1, 2, 2);
        Tensor bias = Tensor.copyOf(new float[] {0, 1}, 1, 2);
        Tensor expected = Tensor.copyOf(new float[] {(float) (3 * swish(1)), (float) (11 * swish(2))}, 1, 2);
        for (String activation : new String[] {"silu", "swiglu"}) {
            alone(activation).on(first, null, second, null, third, bias).gives(engine, 1e-6, expected);
        }
        alone("identity")
                .on(first, null, second, null, third, bias)
                .gives(engine, 0, Tensor.copyOf(new float[] {3, 22}, 1, 2));
    }

    @Test
    void gatesMayLieBeforeWhatTheyGate() {
        Tensor both = Tensor.copyOf(new float[] {1, 0, 0, 1, 3, 0, 0, 5}, 1, 4, 2);
        Tensor second = Tensor.copyOf(new float[] {1, 0, 0, 1}, 1, 2, 2);
        alone("swiglu")
                .with("swiglu_fusion", 2)
                .on(both, null, second)
                .gives(
                        engine,
                        1e-6,
                        Tensor.copyOf(new float[] {(float) (3 * swish(1)), (float) (10 * swish(2))}, 1, 2));
    }

    private OneOperator quantised(int bits, int block, boolean zeros, @Nullable Tensor router) {
        int inByte = 8 / bits;
        boolean byBlock = block > 0;
        OneOperator mixture = OneOperator.contributed("QMoE")
                .with("activation_type", "silu")
                .with("k", 2)
                .with("normalize_routing_weights", 1)
                .with("expert_weight_bits", bits)
                .on(draw.floats(TOKENS, WIDTH), draw.floats(TOKENS, EXPERTS))
                .holding(draw.whole(ElementType.UINT8, EXPERTS, INNER, WIDTH / inByte))
                .holding(byBlock ? draw.scales(EXPERTS, INNER, WIDTH / block) : draw.scales(EXPERTS, INNER))
                .holding(draw.floats(EXPERTS, INNER))
                .holding(draw.whole(ElementType.UINT8, EXPERTS, WIDTH, INNER / inByte))
                .holding(byBlock ? draw.scales(EXPERTS, WIDTH, INNER / block) : draw.scales(EXPERTS, WIDTH))
                .holding(draw.floats(EXPERTS, WIDTH));
        if (byBlock) {
            mixture.with("block_size", block);
        }
        mixture.on(null, null, null);
        if (zeros) {
            mixture.holding(
                    byBlock
                            ? draw.whole(ElementType.UINT8, EXPERTS, INNER, WIDTH / block / inByte)
                            : draw.whole(ElementType.UINT8, EXPERTS, INNER / inByte));
            mixture.holding(
                    byBlock
                            ? draw.whole(ElementType.UINT8, EXPERTS, WIDTH, INNER / block / inByte)
                            : draw.whole(ElementType.UINT8, EXPERTS, WIDTH / inByte));
        } else if (router != null) {
            mixture.on(null, null);
        }
        return router == null ? mixture : mixture.on(null, router);
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void weightsOfFewBits(int bits) throws Exception {
        quantised(bits, 0, false, null).agrees(engine, 2e-2);
        quantised(bits, 16, false, null).agrees(engine, 2e-2);
        quantised(bits, 0, true, null).agrees(engine, 2e-2);
        quantised(bits, 16, true, null).agrees(engine, 2e-2);
        quantised(bits, 16, false, draw.scales(TOKENS, EXPERTS)).agrees(engine, 2e-2);
    }

    /** The form that model builders write: gates and values take turns, in blocks of 32. */
    @ParameterizedTest
    @ValueSource(ints = {4, 8})
    void gatesOfFewBits(int bits) throws Exception {
        int inByte = 8 / bits;
        OneOperator.contributed("QMoE")
                .with("activation_type", "swiglu")
                .with("swiglu_fusion", 1)
                .with("swiglu_limit", 7f)
                .with("activation_alpha", 1.702f)
                .with("activation_beta", 1f)
                .with("k", 2)
                .with("normalize_routing_weights", 1)
                .with("expert_weight_bits", bits)
                .with("block_size", 32)
                .on(draw.floats(TOKENS, INNER), draw.floats(TOKENS, EXPERTS))
                .holding(draw.whole(ElementType.UINT8, EXPERTS, 2 * INNER, INNER / inByte))
                .holding(draw.scales(EXPERTS, 2 * INNER, INNER / 32))
                .holding(draw.floats(EXPERTS, 2 * INNER))
                .holding(draw.whole(ElementType.UINT8, EXPERTS, INNER, INNER / inByte))
                .holding(draw.scales(EXPERTS, INNER, INNER / 32))
                .holding(draw.floats(EXPERTS, INNER))
                .agrees(engine, 2e-2);
    }

    @Test
    void whatCannotBeMixedIsNamed() {
        assertThatThrownBy(() -> mixture("relu", 5)
                        .on(small(EXPERTS, INNER, WIDTH), null, small(EXPERTS, WIDTH, INNER))
                        .run(engine))
                .hasMessageContaining("5 of 4 experts");
        assertThatThrownBy(() -> mixture("relu", 1)
                        .on(small(EXPERTS, INNER, WIDTH + 1), null, small(EXPERTS, WIDTH, INNER))
                        .run(engine))
                .hasMessageContaining("input 2 has shape");
        assertThatThrownBy(() -> mixture("relu", 2)
                        .with("use_sparse_mixer", 1)
                        .on(small(EXPERTS, INNER, WIDTH), null, small(EXPERTS, WIDTH, INNER))
                        .run(engine))
                .hasMessageContaining("use_sparse_mixer");
    }
}
