package dev.millrace.providers.cpu.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Attention as {@code com.microsoft} has it, held against ONNX's own operator, and against itself in another form. */
class ContribAttentionTest {
    private final Random random = new Random(43);

    private static OneNode node(String name) {
        return OneNode.of(OpId.MICROSOFT, name, 1);
    }

    private static OneNode twoHeads() {
        return node("MultiHeadAttention").with("num_heads", 2);
    }

    private static OneNode groups() {
        return node("GroupQueryAttention").with("num_heads", 4).with("kv_num_heads", 2);
    }

    private Tensor floats(long... dims) {
        return RandomTensors.normal(random, dims);
    }

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static void assertClose(Tensor actual, Tensor expected) {
        assertThat(actual.shape()).isEqualTo(expected.shape());
        assertThat(actual.floats()).containsExactly(expected.floats(), within(1e-6f));
    }

    /** Rows of parts of a size, from those of several operands that lie side by side at each step. */
    private static Tensor interleaved(int heads, int size, Tensor... operands) {
        long steps = operands[0].shape().dim(0) * operands[0].shape().dim(1);
        float[] all = new float[Math.toIntExact(steps) * heads * operands.length * size];
        for (int row = 0; row < steps * heads; row++) {
            for (int operand = 0; operand < operands.length; operand++) {
                System.arraycopy(
                        operands[operand].floats(), row * size, all, (row * operands.length + operand) * size, size);
            }
        }
        Shape shape = operands[0].shape();
        return Tensor.copyOf(all, shape.dim(0), shape.dim(1), heads, operands.length, size);
    }

    @Test
    void headsAreThoseOfOnnx() {
        Tensor q = floats(2, 3, 16);
        Tensor k = floats(2, 5, 16);
        Tensor expected = OneNode.onnx("Attention", 23)
                .with("q_num_heads", 2)
                .with("kv_num_heads", 2)
                .run(q, k, k);
        assertClose(twoHeads().run(q, k, k), expected);
    }

    @Test
    void operandsThatLieTogetherAreThoseThatLieApart() {
        Tensor q = floats(2, 3, 16);
        Tensor k = floats(2, 3, 16);
        Tensor v = floats(2, 3, 16);
        Tensor bias = floats(48);
        Tensor expected = twoHeads().run(q, k, v, bias);
        assertClose(twoHeads().run(interleaved(2, 8, q, k, v), null, null, bias), expected);
        assertClose(twoHeads().run(q, interleaved(2, 8, k, v), null, bias), expected);
    }

    @Test
    void headsAreAsManyAsTheAttributeSays() {
        Tensor q = floats(2, 3, 16);
        assertRefusedAsInvalid("has 3 heads", () -> twoHeads().run(floats(1, 2, 3, 3, 2)));
        assertRefusedAsInvalid("has 4 heads", () -> twoHeads().run(q, floats(2, 3, 4, 2, 4)));
        assertRefusedAsInvalid("has 1 heads", () -> twoHeads().run(q, floats(2, 1, 3, 8), floats(2, 2, 3, 8)));
        assertRefusedAsInvalid("has 1 heads", () -> twoHeads().run(q, floats(2, 2, 3, 8), floats(2, 1, 3, 8)));
        assertRefusedAsInvalid("rank 3 or 5", () -> twoHeads().run(floats(2, 2, 3, 8), q, q));
    }

    private static void assertRefusedAsInvalid(String what, Runnable run) {
        assertThatThrownBy(run::run)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining(what);
    }

    @Test
    void groupsAreThoseOfOnnx() {
        Tensor q = floats(2, 5, 32);
        Tensor k = floats(2, 5, 16);
        Tensor v = floats(2, 5, 16);
        Tensor expected = OneNode.onnx("Attention", 23)
                .with("q_num_heads", 4)
                .with("kv_num_heads", 2)
                .with("is_causal", 1)
                .run(q, k, v);
        assertClose(groups().run(q, k, v, null, null, ints(4, 4), ints(5)), expected);
    }

    @Test
    void productsOfQueriesAndKeysAreAnOutput() {
        Tensor q = Tensor.copyOf(new float[] {1, 2}, 1, 1, 2);
        Tensor k = Tensor.copyOf(new float[] {3, 4, 5, 6}, 1, 2, 2);
        Tensor products = (Tensor) node("MultiHeadAttention")
                .with("num_heads", 1)
                .with("scale", Attribute.of(0.5f))
                .outputs(4)
                .runAll(q, k, k)
                .get(3);
        assertThat(products.floats()).containsExactly(5.5f, 8.5f);
    }

    @Test
    void whatIsNotDoneIsRefusedByName() {
        Tensor q = floats(2, 3, 16);
        assertRefused(
                "a mask of padding of shape [8]", () -> twoHeads().run(q, q, q, null, Tensor.copyOf(new int[8], 8)));
        assertRefused("a mask of padding of shape []", () -> twoHeads().run(q, q, q, null, Tensor.scalar(1)));
    }

    private static void assertRefused(String what, Runnable run) {
        assertThatThrownBy(run::run)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_IMPLEMENTED))
                .hasMessageContaining(what);
    }

    @Test
    void positionsOutsideTheTableAreRefused() {
        Tensor cos = floats(4, 4);
        assertThatThrownBy(() ->
                        node("RotaryEmbedding").run(floats(1, 2, 8), Tensor.copyOf(new long[] {3}, 1), cos, cos))
                .hasMessageContaining("position 4 is outside a cache of 4 positions");
    }

    @Test
    void positionsAreAsManyAsRows() {
        Tensor cos = floats(4, 4);
        Tensor positions = Tensor.copyOf(new long[] {0, 1}, 1, 2);
        assertThatThrownBy(() -> node("RotaryEmbedding").run(floats(2, 2, 8), positions, cos, cos))
                .hasMessageContaining("2 positions where there are 4");
        assertThatThrownBy(() -> node("RotaryEmbedding").run(floats(1, 2, 8), positions, cos, floats(3, 4)))
                .hasMessageContaining("sines of shape [3, 4] beside cosines of shape [4, 4]");
    }

    @Test
    void queriesKeysAndValuesGoTogether() {
        Tensor q = floats(2, 3, 16);
        assertThatThrownBy(() -> twoHeads().run(q, floats(1, 5, 16), floats(1, 5, 16)))
                .hasMessageContaining("has another batch than queries of shape [2, 3, 16]");
        assertThatThrownBy(() -> twoHeads().run(q, floats(2, 5, 16), floats(2, 4, 16)))
                .hasMessageContaining("5 keys and 4 values");
        assertThatThrownBy(() -> twoHeads().run(q, q, q, null, null, null, floats(1, 2, 2, 8), floats(1, 2, 2, 8)))
                .hasMessageContaining("input 6 has shape [1, 2, 2, 8] where [2, 2, 2, 8] is expected");
        assertThatThrownBy(() -> twoHeads().run(q, q, q, floats(20))).hasMessageContaining("a bias of 20 elements");
    }

    @Test
    void wordsOutsideTheTableAreRefused() {
        Tensor words = Tensor.copyOf(new int[] {7}, 1, 1);
        Tensor table = floats(7, 4);
        assertThatThrownBy(() -> node("EmbedLayerNormalization")
                        .outputs(2)
                        .runAll(words, null, table, table, null, floats(4), floats(4)))
                .hasMessageContaining("index 7 is outside a table of 7 rows");
    }
}
