package dev.millrace.providers.cpu.attention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Caches of numbers with scales, held against caches of floats that hold the same numbers. */
class ScaledCacheTest {
    private static final int PLACES = 6;
    private static final int PAST = 4;
    private static final int SIZE = 16;

    private final Random random = new Random(47);

    private static OneNode groups() {
        return OneNode.of(OpId.MICROSOFT, "GroupQueryAttention", 1)
                .with("num_heads", 4)
                .with("kv_num_heads", 2)
                .outputs(3);
    }

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    /** The numbers of a cache times their scales, as floats. */
    private static Tensor floats(Tensor cache, int bits, Tensor scales) {
        Tensor floats = Tensor.allocate(ElementType.FLOAT, Shape.of(1, 2, PLACES, SIZE));
        for (int i = 0; i < floats.elements(); i++) {
            double number = bits == 4
                    ? Elements.getLong(ElementType.UINT4, cache.segment(), i) - 8
                    : Elements.getDouble(cache.type(), cache.segment(), i);
            int scale = scales.elements() == 1 ? 0 : i / (PLACES * SIZE) * SIZE + i % SIZE;
            Elements.setDouble(ElementType.FLOAT, floats.segment(), i, number * scales.floats()[scale]);
        }
        return floats;
    }

    private Tensor cache(ElementType type, int bits) {
        Shape shape = Shape.of(1, 2, PLACES, SIZE * bits / 8);
        return type.isFloating()
                ? RandomTensors.reals(type, shape, random::nextGaussian)
                : RandomTensors.whole(type, shape, () -> random.nextInt(0, 128));
    }

    private Tensor scales(boolean perChannel) {
        long[] dims = perChannel ? new long[] {2, 1, SIZE} : new long[] {1};
        return RandomTensors.uniform(random, 0.01f, 0.1f, dims);
    }

    @ParameterizedTest
    @CsvSource({
        "INT8, 8, false, true",
        "UINT8, 4, true, false",
        "UINT8, 4, true, true",
        "FLOAT8E4M3FN, 8, false, false",
        "FLOAT8E4M3FN, 8, true, true"
    })
    void numbersTimesScalesAreTheRowsOfACache(ElementType type, int bits, boolean ofKeys, boolean ofValues) {
        Tensor q = RandomTensors.normal(random, 1, 1, 4 * SIZE);
        Tensor row = RandomTensors.normal(random, 1, 1, 2 * SIZE);
        Tensor keys = cache(type, bits);
        Tensor values = cache(type, bits);
        Tensor keyScales = scales(ofKeys);
        Tensor valueScales = scales(ofValues);
        Tensor last = ints(PAST);
        Tensor total = ints(PAST + 1);
        List<Datum> out = groups().with("k_quant_type", ofKeys ? "PER_CHANNEL" : "PER_TENSOR")
                .with("v_quant_type", ofValues ? "PER_CHANNEL" : "PER_TENSOR")
                .with("kv_cache_bit_width", bits)
                .runAll(q, row, row, keys, values, last, total, null, null, null, null, null, keyScales, valueScales);
        Tensor newKeys = floats((Tensor) out.get(1), bits, keyScales);
        Tensor newValues = floats((Tensor) out.get(2), bits, valueScales);
        Tensor ownKey = own(newKeys);
        Tensor ownValue = own(newValues);
        Tensor expected = groups().run(
                        q,
                        ownKey,
                        ownValue,
                        floats(keys, bits, keyScales),
                        floats(values, bits, valueScales),
                        last,
                        total);
        assertThat(((Tensor) out.getFirst()).floats()).containsExactly(expected.floats(), within(1e-5f));
        float[] written = ownKey.floats();
        for (int i = 0; i < written.length; i++) {
            float scale = keyScales.floats()[ofKeys ? i : 0];
            float nearest = Math.clamp(row.floats()[i], (bits == 4 ? -8 : -128) * scale, (bits == 4 ? 7 : 127) * scale);
            float step = type.isFloating() ? Math.abs(row.floats()[i]) / 8 + scale / 256 : scale;
            assertThat(written[i]).isCloseTo(type.isFloating() ? row.floats()[i] : nearest, within(step * 0.51f));
        }
    }

    /** The rows of the last step that is filled. */
    private static Tensor own(Tensor cache) {
        float[] rows = new float[2 * SIZE];
        for (int head = 0; head < 2; head++) {
            System.arraycopy(cache.floats(), (head * PLACES + PAST) * SIZE, rows, head * SIZE, SIZE);
        }
        return Tensor.copyOf(rows, 1, 1, rows.length);
    }

    @Test
    void whatACacheIsMadeOfIsChecked() {
        Tensor q = RandomTensors.normal(random, 1, 1, 4 * SIZE);
        Tensor row = RandomTensors.normal(random, 1, 1, 2 * SIZE);
        Tensor cache = cache(ElementType.INT8, 8);
        assertRefused("'k_quant_type' is NONE", groups(), q, row, cache, null);
        OneNode scaled = groups().with("k_quant_type", "PER_CHANNEL").with("v_quant_type", "PER_CHANNEL");
        assertRefused("0 scales where 32 are expected", scaled, q, row, cache, null);
        assertRefused("1 scales where 32 are expected", scaled, q, row, cache, scales(false));
        scaled.with("kv_cache_bit_width", 4);
        assertRefused("no numbers of 4 bits", scaled, q, row, cache, scales(true));
        scaled.with("k_quant_type", "PER_ROW");
        assertRefused("'k_quant_type' is 'PER_ROW'", scaled, q, row, cache, scales(true));
    }

    private static void assertRefused(
            String what, OneNode node, Tensor q, Tensor row, Tensor cache, @Nullable Tensor scales) {
        assertThatThrownBy(() -> node.run(
                        q,
                        row,
                        row,
                        cache,
                        cache,
                        ints(PAST),
                        ints(PAST + 1),
                        null,
                        null,
                        null,
                        null,
                        null,
                        scales,
                        scales))
                .hasMessageContaining(what);
    }
}
