package dev.millrace.bench.compare;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.session.Engine;
import java.nio.file.Path;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Operators that ONNX Runtime defines mean to both what they mean to ONNX Runtime. */
@Tag("reference")
class ContribTest {
    private static final Attributes TWO_HEADS = Attributes.of("num_heads", Attribute.of(2));

    @TempDir
    private Path folder;

    @AutoClose
    private final Engine engine = Engine.create();

    private final Random random = new Random(41);

    private Tensor floats(long... dims) {
        return RandomTensors.normal(random, dims);
    }

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private void agrees(String op, int outputs, Attributes attributes, @Nullable Tensor... given) throws Exception {
        OneContribNode.agrees(engine, folder, op, outputs, attributes, given);
    }

    @Test
    void headsOfSeparateOperands() throws Exception {
        Tensor q = floats(2, 5, 16);
        Tensor k = floats(2, 7, 16);
        Tensor v = floats(2, 7, 16);
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, v);
        agrees("MultiHeadAttention", 1, TWO_HEADS.with("scale", Attribute.of(0.3f)), q, k, v);
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, v, floats(48));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, v, null, null, floats(1, 2, 5, 7));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, v, null, null, floats(2, 1, 5, 7));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, k, floats(2, 7, 24));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, floats(2, 2, 7, 8), floats(2, 2, 7, 8));
    }

    @Test
    void masksOfPadding() throws Exception {
        Tensor q = floats(2, 7, 16);
        Tensor keys = Tensor.copyOf(new int[] {1, 1, 1, 0, 0, 1, 0, 1, 1, 1, 1, 1, 1, 0}, 2, 7);
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, q, q, null, keys);
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, q, q, null, keys, floats(1, 1, 7, 7));
        agrees("MultiHeadAttention", 1, TWO_HEADS, q, q, q, null, ints(3, 7));
        agrees("MultiHeadAttention", 1, TWO_HEADS.with("unidirectional", Attribute.of(1)), q, q, q);
    }

    @Test
    void aPast() throws Exception {
        Tensor q = floats(2, 3, 16);
        Tensor past = floats(2, 2, 4, 8);
        agrees("MultiHeadAttention", 3, TWO_HEADS, q, q, q, null, null, null, past, floats(2, 2, 4, 8));
        agrees("MultiHeadAttention", 3, TWO_HEADS, q, q, q, floats(48), null, null, past, past);
        Attributes causal = TWO_HEADS.with("unidirectional", Attribute.of(1));
        agrees("MultiHeadAttention", 3, causal, q, q, q, null, null, null, past, past);
    }

    @Test
    void rotations() throws Exception {
        Tensor x = floats(2, 3, 16);
        Tensor cos = floats(9, 4);
        Tensor sin = floats(9, 4);
        Tensor from = Tensor.copyOf(new long[] {4}, 1);
        Tensor each = Tensor.copyOf(new long[] {0, 8, 3, 1, 1, 7}, 2, 3);
        for (int interleaved = 0; interleaved <= 1; interleaved++) {
            Attributes turned = Attributes.of("interleaved", Attribute.of(interleaved));
            agrees("RotaryEmbedding", 1, turned, x, from, cos, sin);
            agrees("RotaryEmbedding", 1, turned, x, each, cos, sin);
            agrees("RotaryEmbedding", 1, turned, floats(2, 2, 3, 8), each, cos, sin);
            Attributes part = turned.with("num_heads", Attribute.of(2)).with("rotary_embedding_dim", Attribute.of(4));
            agrees("RotaryEmbedding", 1, part, x, each, floats(9, 2), floats(9, 2));
        }
    }

    @Test
    void embeddings() throws Exception {
        Tensor words = Tensor.copyOf(new int[] {1, 0, 9, 4, 4, 2}, 2, 3);
        Tensor segments = Tensor.copyOf(new int[] {0, 0, 1, 0, 1, 1}, 2, 3);
        Tensor mask = Tensor.copyOf(new int[] {1, 1, 0, 1, 1, 1}, 2, 3);
        Tensor table = floats(10, 8);
        Tensor positions = floats(5, 8);
        Tensor kinds = floats(2, 8);
        Tensor gamma = floats(8);
        agrees("EmbedLayerNormalization", 2, Attributes.NONE, words, segments, table, positions, kinds, gamma, gamma);
        agrees(
                "EmbedLayerNormalization",
                3,
                Attributes.of("epsilon", Attribute.of(1e-5f)),
                words,
                segments,
                table,
                positions,
                kinds,
                gamma,
                gamma,
                mask);
        agrees("EmbedLayerNormalization", 2, Attributes.NONE, words, null, table, positions, null, gamma, gamma, mask);
    }
}
