package dev.millrace.bench.compare;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.session.Engine;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** GroupQueryAttention means to both engines what it means to ONNX Runtime. */
class GroupQueryTest {
    private static final Attributes GROUPS =
            Attributes.of("num_heads", Attribute.of(4)).with("kv_num_heads", Attribute.of(2));
    private static final Attributes ROTARY = GROUPS.with("do_rotary", Attribute.of(1));

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

    private void agrees(int outputs, Attributes attributes, @Nullable Tensor... given) throws Exception {
        OneContribNode.agrees(engine, folder, "GroupQueryAttention", outputs, attributes, given);
    }

    @Test
    void groupsAtAPrompt() throws Exception {
        Tensor q = floats(2, 5, 64);
        Tensor k = floats(2, 5, 32);
        Tensor v = floats(2, 5, 32);
        agreesOnGroups(GROUPS, List.of(q, k, v), null, 5);
        agreesOnGroups(GROUPS, List.of(floats(2, 5, 128)), null, 5);
        agreesOnGroups(GROUPS.with("softcap", Attribute.of(2f)), List.of(q, k, v), null, 5);
        agreesOnGroups(GROUPS.with("local_window_size", Attribute.of(2)), List.of(q, k, v), null, 5);
        agreesOnGroups(ROTARY, List.of(q, k, v), null, 5);
        agreesOnGroups(ROTARY, List.of(floats(2, 5, 128)), null, 5);
        agreesOnGroups(ROTARY.with("rotary_interleaved", Attribute.of(1)), List.of(q, k, v), null, 5);
    }

    @Test
    void groupsBehindAPast() throws Exception {
        Tensor q = floats(2, 1, 64);
        Tensor k = floats(2, 1, 32);
        Tensor past = floats(2, 2, 6, 16);
        agreesOnGroups(GROUPS, List.of(q, k, k), past, 7, 7);
        agreesOnGroups(GROUPS, List.of(q, k, k), past, 7, 4);
        agreesOnGroups(GROUPS, List.of(q, k, k), past, 6, 4);
        agreesOnGroups(GROUPS.with("local_window_size", Attribute.of(3)), List.of(q, k, k), past, 7, 2);
        agreesOnGroups(ROTARY, List.of(q, k, k), past, 7, 4);
        Tensor last = ints(6, 6);
        Tensor bias = floats(1, 1, 1, 7);
        agrees(3, GROUPS, q, k, k, past, past, last, ints(7), null, null, null, bias);
    }

    /** @param filled steps of each entry of the batch with those of this call; one number for both */
    private void agreesOnGroups(Attributes attributes, List<Tensor> rows, @Nullable Tensor past, int... filled)
            throws Exception {
        boolean turned = attributes.flag("do_rotary", false);
        agrees(
                3,
                attributes,
                rows.getFirst(),
                rows.size() > 1 ? rows.get(1) : null,
                rows.size() > 1 ? rows.get(2) : null,
                past,
                past,
                ints(filled[0] - 1, filled[filled.length - 1] - 1),
                ints(filled[0]),
                turned ? floats(12, 8) : null,
                turned ? floats(12, 8) : null);
    }

    /** Returns the largest batch of ONNX Runtime: several steps behind a past are those of one entry. */
    private static int batch(int steps) {
        return steps == 1 ? 2 : 1;
    }

    private static Tensor last(int steps, int length) {
        return steps == 1 ? ints(length - 1, length - 1) : ints(length - 1);
    }

    @Test
    void sinks() throws Exception {
        Tensor sinks = floats(4);
        for (int steps : new int[] {1, 5, 40}) {
            int batch = batch(steps);
            Tensor q = floats(batch, steps, 64);
            Tensor k = floats(batch, steps, 32);
            Tensor past = floats(batch, 2, 300, 16);
            Tensor last = last(steps, steps);
            Tensor later = last(steps, steps + 260);
            Tensor prompt = ints(steps);
            Tensor total = ints(steps + 260);
            Attributes window = GROUPS.with("local_window_size", Attribute.of(7));
            for (Attributes attributes : List.of(GROUPS, GROUPS.with("softcap", Attribute.of(2f)), window)) {
                agrees(3, attributes, q, k, k, null, null, last, prompt, null, null, null, null, sinks);
                agrees(3, attributes, q, k, k, past, past, later, total, null, null, null, null, sinks);
                Attributes smooth = attributes.with("smooth_softmax", Attribute.of(1));
                agrees(3, smooth, q, k, k, null, null, last, prompt);
                agrees(3, smooth, q, k, k, past, past, later, total);
                agrees(3, smooth, q, k, k, past, past, later, total, null, null, null, null, sinks);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"1", "2"})
    void scores(int stage) throws Exception {
        Attributes kept = GROUPS.with("qk_output", Attribute.of(stage));
        Tensor q = floats(1, 3, 64);
        Tensor k = floats(1, 3, 32);
        Tensor past = floats(1, 2, 9, 16);
        Tensor last = ints(2);
        Attributes window = kept.with("local_window_size", Attribute.of(2));
        Attributes capped = kept.with("softcap", Attribute.of(0.5f));
        for (Attributes attributes : List.of(kept, window, capped)) {
            agrees(4, attributes, q, k, k, null, null, last, ints(3));
            agrees(4, attributes, q, k, k, past, past, last, ints(3));
            agrees(4, attributes, q, k, k, past, past, ints(6), ints(7));
            agrees(4, attributes, q, k, k, past, past, ints(6), ints(7), null, null, null, floats(1, 1, 3, 7));
            agrees(4, attributes, q, k, k, past, past, last, ints(3), null, null, null, null, floats(4));
        }
    }

    @ParameterizedTest
    @CsvSource({"8, PER_TENSOR", "8, PER_CHANNEL", "4, PER_TENSOR", "4, PER_CHANNEL"})
    void scaledCaches(int bits, String kind) throws Exception {
        Attributes scaled = GROUPS.with("k_quant_type", Attribute.of(kind))
                .with("v_quant_type", Attribute.of(kind))
                .with("kv_cache_bit_width", Attribute.of(bits));
        Attributes turned = scaled.with("do_rotary", Attribute.of(1));
        Attributes kept = scaled.with("qk_output", Attribute.of(1));
        Tensor ofKeys = scales(kind, bits);
        Tensor ofValues = scales(kind, bits);
        for (int steps : new int[] {1, 3}) {
            int batch = batch(steps);
            Tensor q = floats(batch, steps, 64);
            Tensor k = floats(batch, steps, 32);
            Tensor v = floats(batch, steps, 32);
            Tensor keys = numbers(bits, batch);
            Tensor values = numbers(bits, batch);
            for (int length : new int[] {steps, steps + 2, steps + 6}) {
                Tensor last = last(steps, length);
                Tensor total = ints(length);
                Tensor angles = floats(12, 8);
                agrees(3, scaled, q, k, v, keys, values, last, total, null, null, null, null, null, ofKeys, ofValues);
                agrees(4, kept, q, k, v, keys, values, last, total, null, null, null, null, null, ofKeys, ofValues);
                agrees(
                        3, turned, q, k, v, keys, values, last, total, angles, angles, null, null, null, ofKeys,
                        ofValues);
            }
        }
    }

    private Tensor scales(String kind, int bits) {
        float most = bits == 4 ? 0.4f : 0.03f;
        Shape shape = kind.equals("PER_TENSOR") ? Shape.of(1) : Shape.of(1, 2, 1, 16);
        Tensor scales = Tensor.allocate(ElementType.FLOAT, shape);
        for (long i = 0; i < scales.elements(); i++) {
            Elements.setDouble(scales.type(), scales.segment(), i, random.nextDouble(most / 4, most));
        }
        return scales;
    }

    /** A cache of random numbers. */
    private Tensor numbers(int bits, int batch) {
        Tensor cache = Tensor.allocate(
                bits == 4 ? ElementType.UINT8 : ElementType.INT8, Shape.of(batch, 2, 6, bits == 4 ? 8 : 16));
        for (long i = 0; i < cache.elements(); i++) {
            Elements.setLong(cache.type(), cache.segment(), i, random.nextInt(256));
        }
        return cache;
    }

    @Test
    void cachesOfHalfPrecision() throws Exception {
        Tensor q = floats(1, 3, 64);
        Tensor k = floats(1, 3, 32);
        Tensor past = Tensor.allocate(ElementType.FLOAT16, Shape.of(1, 2, 6, 16));
        for (long i = 0; i < past.elements(); i++) {
            Elements.setDouble(past.type(), past.segment(), i, random.nextGaussian());
        }
        agrees(3, GROUPS, q, k, k, past, past, ints(2), ints(3));
        agrees(3, GROUPS, q, k, k, past, past, ints(5), ints(6));
        agrees(3, GROUPS, q, k, k, past, past, ints(8), ints(9));
    }
}
