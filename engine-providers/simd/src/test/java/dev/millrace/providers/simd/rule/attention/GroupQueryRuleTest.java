package dev.millrace.providers.simd.rule.attention;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.rule.Comparison;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GroupQueryRuleTest {
    private static final int INPUTS = 14;
    private static final int SCALES = 12;
    private static final int DEPTH = 16;
    private static final int PLACES = 40;

    private final Random random = new Random(11);
    private final @Nullable Tensor[] inputs = new Tensor[INPUTS];
    private final Map<String, Attribute> attributes = new TreeMap<>();
    private int heads = 4;
    private int keyHeads = 2;

    /** New rows behind a past of room for {@code given}, of which entries have filled so many places. */
    private GroupQueryRuleTest cached(int now, int count, int total, int... past) {
        int batch = past.length;
        inputs[0] = Comparison.random(random, batch, now, (long) heads * DEPTH);
        inputs[1] = Comparison.random(random, batch, now, (long) keyHeads * DEPTH);
        inputs[2] = Comparison.random(random, batch, now, (long) keyHeads * DEPTH);
        if (count > 0) {
            inputs[3] = Comparison.random(random, batch, keyHeads, count, DEPTH);
            inputs[4] = Comparison.random(random, batch, keyHeads, count, DEPTH);
        }
        inputs[5] = Tensor.copyOf(Arrays.stream(past).map(p -> p + now - 1).toArray(), batch);
        inputs[6] = Tensor.copyOf(new int[] {total}, 1);
        return this;
    }

    private GroupQueryRuleTest packed() {
        Tensor query = Objects.requireNonNull(inputs[0]);
        long now = query.shape().dim(1);
        inputs[0] = Comparison.random(random, query.shape().dim(0), now, (heads + 2L * keyHeads) * DEPTH);
        inputs[1] = null;
        inputs[2] = null;
        return this;
    }

    private GroupQueryRuleTest rotated(boolean interleaved, int pairs) {
        attributes.put("do_rotary", Attribute.of(1));
        attributes.put("rotary_interleaved", Attribute.of(interleaved ? 1 : 0));
        inputs[7] = Comparison.random(random, PLACES, pairs);
        inputs[8] = Comparison.random(random, PLACES, pairs);
        return this;
    }

    private Comparison comparison(ElementType type, boolean presents) {
        return new Comparison(editor -> graph(editor, type, presents));
    }

    private void graph(GraphEditor editor, ElementType type, boolean presents) {
        var values = new ArrayList<@Nullable Value>();
        for (int i = 0; i < INPUTS; i++) {
            Tensor tensor = inputs[i];
            boolean wide =
                    i >= SCALES || tensor == null || tensor.type() != ElementType.FLOAT || type == ElementType.FLOAT;
            Value value = tensor == null
                    ? null
                    : Comparison.input(
                            editor, "x" + i, tensor.type(), tensor.shape().rank());
            values.add(wide || value == null ? value : cast(editor, value, type));
        }
        NodeSpec spec = NodeSpec.of(new OpId(OpId.MICROSOFT, "GroupQueryAttention"), 1, values)
                .with(Attributes.of(attributes))
                .with("num_heads", Attribute.of(heads))
                .with("kv_num_heads", Attribute.of(keyHeads));
        List<String> names = presents ? List.of("y", "k", "v") : List.of("y");
        Node node = editor.append(spec, new ArrayList<>(names));
        for (int i = 0; i < names.size(); i++) {
            Value output = node.requireOutput(i);
            boolean converted = type != ElementType.FLOAT && (i == 0 || inputs[SCALES] == null);
            editor.addOutput("out" + i, converted ? cast(editor, output, ElementType.FLOAT) : output);
        }
    }

    /** Replaces the floats of the past by numbers with scales. */
    private GroupQueryRuleTest scaled(int bits, boolean ofKeys, boolean ofValues) {
        attributes.put("kv_cache_bit_width", Attribute.of(bits));
        attributes.put("k_quant_type", Attribute.of(ofKeys ? "PER_CHANNEL" : "PER_TENSOR"));
        attributes.put("v_quant_type", Attribute.of(ofValues ? "PER_CHANNEL" : "PER_TENSOR"));
        for (int input = 3; input <= 4; input++) {
            Shape past = Objects.requireNonNull(inputs[input]).shape();
            ElementType type = bits == 4 ? ElementType.UINT8 : ElementType.INT8;
            inputs[input] = RandomTensors.whole(
                    type,
                    past.with(3, (long) DEPTH * bits / Byte.SIZE),
                    () -> random.nextInt(0, 1 << bits) - (bits == 4 ? 0 : 128));
        }
        float most = bits == 4 ? 0.2f : 0.01f;
        inputs[SCALES] = RandomTensors.uniform(random, most / 2, most, ofKeys ? (long) keyHeads * DEPTH : 1);
        inputs[SCALES + 1] = RandomTensors.uniform(random, most / 2, most, ofValues ? (long) keyHeads * DEPTH : 1);
        return this;
    }

    private static Value cast(GraphEditor editor, Value value, ElementType type) {
        NodeSpec spec = NodeSpec.of(OpId.onnx("Cast"), 21, value).with("to", Attribute.of(type.code()));
        return editor.append(spec, List.of(value.name() + "_" + type)).requireOutput(0);
    }

    private Tensor[] inputs() {
        return Arrays.stream(inputs).filter(tensor -> tensor != null).toArray(Tensor[]::new);
    }

    private void check() {
        check(ElementType.FLOAT);
    }

    private void check(ElementType type) {
        try (Comparison comparison = comparison(type, true)) {
            comparison.agreesOn(inputs()).withoutFallback();
        }
    }

    @Test
    void aPromptFillsTheCache() {
        cached(7, 0, 7, 0).check();
        cached(7, 0, 7, 0).packed().rotated(false, 8).check();
    }

    @Test
    void aStepGrowsTheCache() {
        cached(1, 6, 7, 6).check();
        cached(1, 6, 7, 6).packed().rotated(false, 8).check();
        cached(5, 6, 11, 6).packed().rotated(true, 6).check();
    }

    @Test
    void entriesOfTheBatchHaveFilledTheCacheToDifferentPlaces() {
        cached(1, 12, 10, 9, 3, 0).packed().rotated(false, 8).check();
        cached(3, 12, 10, 7, 2).rotated(true, 4).check();
    }

    @Test
    void aPromptIsShorterInSomeEntriesOfTheBatch() {
        cached(6, 0, 6, 0, -2).packed().rotated(false, 8).check();
    }

    @Test
    void positionsAreGiven() {
        cached(3, 8, 8, 5, 2).rotated(false, 8);
        inputs[9] = Tensor.copyOf(new long[] {5, 39, 7, 0, 3, 4}, 2, 3);
        check();
    }

    @Test
    void aPositionBehindTheTableIsRefusedAsByCpu() {
        cached(3, 8, 8, 5).rotated(false, 8);
        inputs[9] = Tensor.copyOf(new long[] {5, PLACES, 7}, 1, 3);
        try (Comparison comparison = comparison(ElementType.FLOAT, true)) {
            assertThatThrownBy(() -> comparison.agreesOn(inputs()))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("position 40 is outside a cache of 40 positions");
        }
    }

    @ParameterizedTest
    @CsvSource({"1, 9, 4", "1, 9, 1", "1, 9, 0", "1, 9, 30", "4, 9, 3", "9, 0, 2"})
    void aWindowHidesWhatIsTooFarBehind(int now, int past, int window) {
        attributes.put("local_window_size", Attribute.of(window));
        cached(now, past, now + past, past).packed().rotated(false, 8).check();
    }

    @Test
    void aWindowOfSeveralEntries() {
        attributes.put("local_window_size", Attribute.of(3));
        cached(1, 12, 10, 9, 3).check();
    }

    @Test
    void scoresAreCapped() {
        attributes.put("softcap", Attribute.of(0.5f));
        attributes.put("scale", Attribute.of(0.9f));
        cached(2, 6, 8, 6).check();
    }

    @Test
    void aBiasIsAdded() {
        for (long[] shape : List.of(new long[] {2, 4, 3, 9}, new long[] {1, 1, 3, 9}, new long[] {2, 1, 3, 9})) {
            cached(3, 6, 9, 6, 4);
            inputs[10] = Comparison.random(random, shape);
            check();
        }
    }

    /** Sinks above and below the scores, and scores in several blocks of keys. */
    @ParameterizedTest
    @CsvSource({"1, 9, 16", "1, 700, 16", "4, 300, 16", "60, 0, 16", "1, 300, 64", "3, 9, 64"})
    void headsHaveSinks(int now, int past, int allHeads) {
        heads = allHeads;
        for (float more : new float[] {-4, 0, 30}) {
            cached(now, past, now + past, past).packed();
            inputs[11] = RandomTensors.uniform(random, more - 1, more + 1, heads);
            check();
            attributes.put("softcap", Attribute.of(2f));
            check();
            attributes.put("local_window_size", Attribute.of(7));
            check();
            attributes.clear();
        }
    }

    @Test
    void aSmoothSoftmaxHasSinksOfZero() {
        attributes.put("smooth_softmax", Attribute.of(1));
        cached(1, 12, 10, 9, 3).check();
        cached(5, 6, 11, 6).check();
        attributes.put("smooth_softmax", Attribute.of(-1));
        cached(1, 12, 10, 9, 3).check();
    }

    @Test
    void manyHeadsShareOne() {
        heads = 16;
        keyHeads = 2;
        cached(1, 30, 31, 30).packed().rotated(false, 8).check();
        cached(9, 20, 29, 20).packed().rotated(false, 8).check();
    }

    @Test
    void halvesAreComputedInFloats() {
        cached(2, 6, 8, 6).packed().rotated(false, 8).check(ElementType.FLOAT16);
    }

    @Test
    void halvesHaveSinks() {
        cached(2, 6, 8, 6);
        inputs[11] = Comparison.random(random, heads);
        check(ElementType.FLOAT16);
    }

    @ParameterizedTest
    @CsvSource({"1, 9", "1, 300", "3, 9", "20, 70", "40, 0"})
    void cachesOfHalvesAreReadBlockByBlock(int now, int past) {
        attributes.put("local_window_size", Attribute.of(now == 3 ? 4 : -1));
        cached(now, past, now + past, past).packed().check(ElementType.FLOAT16);
        cached(now, past, now + past, past).packed().check(ElementType.BFLOAT16);
    }

    @ParameterizedTest
    @CsvSource({"8, 1, 9", "8, 3, 9", "8, 20, 70", "4, 1, 9", "4, 1, 300", "4, 3, 9", "4, 20, 70"})
    void cachesHaveNumbersWithScales(int bits, int now, int past) {
        for (boolean perChannel : new boolean[] {false, true}) {
            cached(now, past, now + past, past)
                    .packed()
                    .scaled(bits, perChannel, !perChannel)
                    .check();
            cached(now, past + 30, now + past, past, past / 2).scaled(bits, perChannel, perChannel);
            attributes.put("local_window_size", Attribute.of(now == 3 ? 4 : -1));
            check();
            attributes.clear();
        }
    }

    @Test
    void numbersWithScalesAreRotatedBefore() {
        cached(2, 9, 11, 9).packed().scaled(8, true, true).rotated(false, 8).check();
        cached(1, 12, 10, 9, 3).packed().scaled(4, true, false).rotated(true, 4).check();
        cached(1, 12, 10, 9, 3).packed().scaled(8, false, true).check(ElementType.FLOAT16);
    }

    @Test
    void nobodyReadsTheCaches() {
        cached(2, 6, 8, 6).packed().rotated(false, 8);
        try (Comparison comparison = comparison(ElementType.FLOAT, false)) {
            comparison.agreesOn(inputs()).withoutFallback();
        }
    }

    @Test
    void largeCachesAreCopiedByTasks() {
        cached(1, 700, 701, 700, 650).check();
    }
}
