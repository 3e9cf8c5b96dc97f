package dev.millrace.providers.simd.rule.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.SmallGraph;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AttentionRulesTest {
    private static final double TOLERANCE = 1e-5;

    private final Random random = new Random(7);

    private Value input(SmallGraph graph, long... dims) {
        return graph.input(SmallGraph.random(random, dims));
    }

    private Tensor truths(long... dims) {
        boolean[] truths = new boolean[Math.toIntExact(Shape.of(dims).elements())];
        for (int i = 0; i < truths.length; i++) {
            truths[i] = random.nextInt(3) > 0;
        }
        return Tensor.copyOf(truths, dims);
    }

    /** Eight queries of four heads, eleven keys of two. */
    private Value attention(SmallGraph graph, Map<String, Attribute> attributes, @Nullable Value mask) {
        return graph.node(
                "Attention",
                23,
                attributes,
                input(graph, 2, 4, 8, 16),
                input(graph, 2, 2, 11, 16),
                input(graph, 2, 2, 11, 24),
                mask);
    }

    @Test
    void grouped() {
        var graph = new SmallGraph();
        graph.output(
                attention(graph, Map.of(), null),
                attention(graph, Map.of("scale", Attribute.of(0.7f)), null),
                attention(graph, Map.of("softcap", Attribute.of(1.5f)), null),
                attention(graph, Map.of("is_causal", Attribute.of(1)), null));
        graph.check(TOLERANCE);
    }

    @Test
    void masksOfAnyShape() {
        for (long[] dims : List.of(
                new long[] {8, 11},
                new long[] {1, 11},
                new long[] {8, 1},
                new long[] {4, 8, 11},
                new long[] {2, 1, 8, 11},
                new long[] {2, 1, 1, 11},
                new long[] {2, 4, 8, 7})) {
            var graph = new SmallGraph();
            graph.output(
                    attention(graph, Map.of(), graph.input(SmallGraph.random(random, dims))),
                    attention(graph, Map.of("is_causal", Attribute.of(1)), graph.input(truths(dims))));
            graph.check(TOLERANCE);
        }
    }

    @Test
    void rowsThatSeeNoKeyAreZeros() {
        boolean[] none = new boolean[8 * 11];
        none[11] = true;
        float[] hidden = new float[8 * 11];
        Arrays.fill(hidden, 0, 22, Float.NEGATIVE_INFINITY);
        Arrays.fill(hidden, 22, 33, -Float.MAX_VALUE);
        var graph = new SmallGraph();
        graph.output(
                attention(graph, Map.of(), graph.input(Tensor.copyOf(none, 8, 11))),
                attention(graph, Map.of(), graph.input(Tensor.copyOf(hidden, 8, 11))));
        graph.check(TOLERANCE);
    }

    /** Eleven keys for each of three queries, whose products are finite, -infinity and infinity. */
    @Test
    void rowsOfNothingButMinusInfinityAreZerosAndMaskedInfinitiesDoNotCount() {
        float[] queries = new float[3 * 16];
        float[] keys = new float[11 * 16];
        Arrays.fill(queries, 0.5f);
        queries[16] = Float.POSITIVE_INFINITY;
        queries[32] = Float.NEGATIVE_INFINITY;
        Arrays.fill(keys, -0.25f);
        float[] hidden = new float[3 * 11];
        Arrays.fill(hidden, 22, 33, Float.NEGATIVE_INFINITY);
        hidden[3] = Float.NEGATIVE_INFINITY;
        var graph = new SmallGraph();
        Value q = graph.input(Tensor.copyOf(queries, 1, 1, 3, 16));
        Value k = graph.input(Tensor.copyOf(keys, 1, 1, 11, 16));
        Value v = input(graph, 1, 1, 11, 24);
        Value mask = graph.input(Tensor.copyOf(hidden, 3, 11));
        graph.output(graph.node("Attention", 23, Map.of(), q, k, v, mask));
        for (int stage = 2; stage < 4; stage++) {
            Map<String, Attribute> attributes = Map.of("qk_matmul_output_mode", Attribute.of(stage));
            for (Value bias : Arrays.asList(null, mask)) {
                List<Value> results = graph.nodes(4, "Attention", 23, attributes, q, k, v, bias);
                graph.output(results.getFirst(), results.getLast());
            }
        }
        graph.check(TOLERANCE);
    }

    /** The largest score of a row weighs 1, though its last place is a thousand. */
    @Test
    void scoresOfTenThousandMillions() {
        float[] numbers = new float[11 * 16];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) (70_000 * Math.cos(i * i));
        }
        var graph = new SmallGraph();
        Value q = graph.input(Tensor.copyOf(numbers, 1, 1, 11, 16));
        Value k = graph.input(Tensor.copyOf(numbers, 1, 1, 11, 16));
        Value v = input(graph, 1, 1, 11, 24);
        for (float scale : new float[] {0.3f, 0.7f, 1.1f}) {
            graph.output(graph.node("Attention", 23, Map.of("scale", Attribute.of(scale)), q, k, v));
        }
        graph.check(TOLERANCE);
    }

    @Test
    void headsSideBySideWithAPast() {
        for (int queries : new int[] {1, 5}) {
            var graph = new SmallGraph();
            Map<String, Attribute> attributes = Map.of(
                    "q_num_heads", Attribute.of(6), "kv_num_heads", Attribute.of(2), "is_causal", Attribute.of(1));
            List<Value> results = graph.nodes(
                    3,
                    "Attention",
                    23,
                    attributes,
                    input(graph, 2, queries, 48),
                    input(graph, 2, queries, 16),
                    input(graph, 2, queries, 20),
                    null,
                    input(graph, 2, 2, 9, 8),
                    input(graph, 2, 2, 9, 10));
            graph.output(results.toArray(new Value[0]));
            graph.check(TOLERANCE);
        }
    }

    @Test
    void keysWithoutAPastAreThePresent() {
        var graph = new SmallGraph();
        Map<String, Attribute> attributes = Map.of("q_num_heads", Attribute.of(2), "kv_num_heads", Attribute.of(2));
        List<Value> results = graph.nodes(
                3, "Attention", 23, attributes, input(graph, 2, 5, 16), input(graph, 2, 5, 16), input(graph, 2, 5, 16));
        graph.output(results.toArray(new Value[0]));
        graph.check(TOLERANCE);
    }

    private Tensor halves(long... dims) {
        Tensor floats = SmallGraph.random(random, dims);
        Tensor halves = Tensor.allocate(ElementType.FLOAT16, floats.shape());
        Elements.write(ElementType.FLOAT16, halves.segment(), 0, floats.floats(), 0, (int) floats.elements());
        return halves;
    }

    @Test
    void scoresOfEachStage() {
        for (int stage = 0; stage < 4; stage++) {
            var graph = new SmallGraph();
            Map<String, Attribute> attributes =
                    Map.of("qk_matmul_output_mode", Attribute.of(stage), "softcap", Attribute.of(1.5f));
            boolean[] none = new boolean[8 * 11];
            none[11] = true;
            for (Value mask : Arrays.asList(
                    null,
                    graph.input(SmallGraph.random(random, 8, 11)),
                    graph.input(truths(2, 1, 8, 11)),
                    graph.input(Tensor.copyOf(none, 8, 11)))) {
                List<Value> results = graph.nodes(
                        4,
                        "Attention",
                        23,
                        attributes,
                        input(graph, 2, 4, 8, 16),
                        input(graph, 2, 2, 11, 16),
                        input(graph, 2, 2, 11, 24),
                        mask);
                graph.output(results.get(0), results.get(3));
            }
            graph.check(TOLERANCE);
        }
    }

    @Test
    void scoresOfHeadsSideBySideWithAPast() {
        var graph = new SmallGraph();
        List<Value> results = graph.nodes(
                4,
                "Attention",
                23,
                Map.of("q_num_heads", Attribute.of(2), "kv_num_heads", Attribute.of(2)),
                input(graph, 2, 5, 16),
                input(graph, 2, 5, 16),
                input(graph, 2, 5, 16),
                null,
                input(graph, 2, 2, 9, 8),
                input(graph, 2, 2, 9, 8));
        graph.output(results.toArray(new Value[0]));
        graph.check(TOLERANCE);
    }

    @Test
    void halvesAreComputedAsFloats() {
        var graph = new SmallGraph();
        for (int rank = 3; rank < 5; rank++) {
            List<Value> results = graph.nodes(
                    4,
                    "Attention",
                    23,
                    Map.of("q_num_heads", Attribute.of(4), "kv_num_heads", Attribute.of(2)),
                    graph.input(rank == 4 ? halves(2, 4, 6, 8) : halves(2, 6, 32)),
                    graph.input(rank == 4 ? halves(2, 2, 6, 8) : halves(2, 6, 16)),
                    graph.input(rank == 4 ? halves(2, 2, 6, 8) : halves(2, 6, 16)),
                    graph.input(halves(6, 9)),
                    graph.input(halves(2, 2, 3, 8)),
                    graph.input(halves(2, 2, 3, 8)));
            graph.output(results.toArray(new Value[0]));
        }
        graph.check(1e-3);
    }

    @Test
    void turnedPairs() {
        for (int form = 0; form < 8; form++) {
            var graph = new SmallGraph();
            Map<String, Attribute> attributes = Map.of(
                    "interleaved", Attribute.of(form & 1),
                    "num_heads", Attribute.of(3),
                    "rotary_embedding_dim", Attribute.of((form & 2) * 8));
            long[] pairs = {(form & 2) == 0 ? 16 : 8};
            boolean positions = (form & 4) != 0;
            Value cosines = positions ? input(graph, 20, pairs[0]) : input(graph, 2, 5, pairs[0]);
            Value sines = positions ? input(graph, 20, pairs[0]) : input(graph, 2, 5, pairs[0]);
            Value places =
                    positions ? graph.input(Tensor.copyOf(new long[] {3, 1, 4, 1, 5, 9, 2, 6, 5, 19}, 2, 5)) : null;
            graph.output(
                    graph.node("RotaryEmbedding", 23, attributes, input(graph, 2, 3, 5, 32), cosines, sines, places),
                    graph.node("RotaryEmbedding", 23, attributes, input(graph, 2, 5, 96), cosines, sines, places));
            graph.check(TOLERANCE);
        }
    }

    @Test
    void aNegativePositionIsRefused() {
        var graph = new SmallGraph();
        Value places = graph.input(Tensor.copyOf(new long[] {0, -1}, 1, 2));
        graph.output(graph.node(
                "RotaryEmbedding",
                23,
                Map.of(),
                input(graph, 1, 1, 2, 32),
                input(graph, 4, 16),
                input(graph, 4, 16),
                places));
        assertThatThrownBy(graph::run).hasMessageContaining("position is negative");
    }

    @Test
    void lengthsOfEachEntry() {
        lengths(11, 9);
    }

    @Test
    void lengthsBeyondTheKeysAreAllOfThemAndThoseBelowNone() {
        lengths(1L << 32, -3);
        lengths(Long.MIN_VALUE, 12);
    }

    private void lengths(long... extents) {
        var graph = new SmallGraph();
        Value lengths = graph.input(Tensor.copyOf(extents, 2));
        for (int causal = 0; causal < 2; causal++) {
            graph.output(graph.node(
                    "Attention",
                    24,
                    Map.of("is_causal", Attribute.of(causal)),
                    input(graph, 2, 4, 8, 16),
                    input(graph, 2, 2, 11, 16),
                    input(graph, 2, 2, 11, 24),
                    null,
                    null,
                    null,
                    lengths));
        }
        graph.check(TOLERANCE);
    }

    @Test
    void headsAreReadAndWrittenWhereTheProductsLeaveThem() {
        var graph = new SmallGraph();
        Value in = input(graph, 2, 9, 32);
        var parts = new ArrayList<Value>();
        Value apart = graph.constant(Tensor.copyOf(new long[] {0, 0, 4, 8}, 4));
        Map<String, Attribute> exchanged = Map.of("perm", Attribute.of(0L, 2L, 1L, 3L));
        for (int i = 0; i < 3; i++) {
            Value weights = graph.constant(SmallGraph.random(random, 32, 32));
            Value product = graph.node("MatMul", 13, Map.of(), in, weights);
            Value heads = graph.node("Reshape", 14, Map.of(), product, apart);
            parts.add(graph.node("Transpose", 13, exchanged, heads));
        }
        Value result = graph.node("Attention", 23, Map.of(), parts.get(0), parts.get(1), parts.get(2));
        Value places = graph.node("Transpose", 13, exchanged, result);
        Value together = graph.constant(Tensor.copyOf(new long[] {0, 0, 32}, 3));
        Value joined = graph.node("Reshape", 14, Map.of(), places, together);
        graph.output(graph.node("MatMul", 13, Map.of(), joined, graph.constant(SmallGraph.random(random, 32, 32))));
        graph.check(TOLERANCE);
        assertThat(graph.kernels()).hasSize(5).noneMatch(kernel -> kernel.equals("copy"));
    }

    @Test
    void headsSideBySide() {
        OpId op = new OpId(OpId.MICROSOFT, "MultiHeadAttention");
        Map<String, Attribute> heads = Map.of("num_heads", Attribute.of(3));
        Map<String, Attribute> causal = Map.of("num_heads", Attribute.of(3), "unidirectional", Attribute.of(1));
        var graph = new SmallGraph();
        Value q = input(graph, 2, 5, 48);
        Value k = input(graph, 2, 7, 48);
        Value v = input(graph, 2, 7, 60);
        Value bias = input(graph, 1, 3, 5, 7);
        Value past = input(graph, 2, 3, 4, 16);
        graph.output(graph.nodes(op, 1, 1, heads, q, k, v).toArray(new Value[0]))
                .output(graph.nodes(op, 1, 1, heads, q, k, v, null, null, bias).toArray(new Value[0]))
                .output(graph.nodes(op, 3, 1, causal, q, q, q, null, null, null, past, past)
                        .toArray(new Value[0]));
        graph.check(TOLERANCE);
        assertThat(graph.kernels())
                .filteredOn(kernel -> kernel.startsWith("attention"))
                .hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "7,6,4,4,has no kernel that can be part of a program",
        "7,7,4,3,'input 7 has shape [2, 3, 3, 16] where [2, 3, 4, 16] is expected'",
        "6,7,0,0,has no kernel that can be part of a program"
    })
    void keysAndValuesOfDifferentLengthsAreLeftToWhoRefusesThem(
            long keys, long values, long pastKeys, long pastValues, String refusal) {
        OpId op = new OpId(OpId.MICROSOFT, "MultiHeadAttention");
        Map<String, Attribute> heads = Map.of("num_heads", Attribute.of(3));
        var graph = new SmallGraph();
        Value q = input(graph, 2, 5, 48);
        Value k = input(graph, 2, 3, keys, 16);
        Value v = input(graph, 2, 3, values, 16);
        List<Value> outputs = pastKeys == 0
                ? graph.nodes(op, 1, 1, heads, q, k, v)
                : graph.nodes(
                        op,
                        3,
                        1,
                        heads,
                        q,
                        k,
                        v,
                        null,
                        null,
                        null,
                        input(graph, 2, 3, pastKeys, 16),
                        input(graph, 2, 3, pastValues, 16));
        graph.output(outputs.getFirst());
        assertThatThrownBy(graph::run).hasMessageContaining(refusal);
    }
}
