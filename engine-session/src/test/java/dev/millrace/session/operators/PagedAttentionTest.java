package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that sequences whose caches are stored in blocks give the same result as each with a contiguous cache. */
class PagedAttentionTest {
    private static final int HEADS = 4;
    private static final int KEY_HEADS = 2;
    private static final int SIZE = 8;
    private static final int HIDDEN = HEADS * SIZE;
    private static final int OF_KEYS = KEY_HEADS * SIZE;
    private static final int BLOCK = 4;
    private static final int BLOCKS = 9;
    private static final int[] PASTS = {0, 6, 3};
    private static final int[] STEPS = {5, 1, 3};
    private static final int[][] TABLE = {{7, 2, -1}, {0, 5, -1}, {8, 1, 3}};

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(157);

    private final Tensor queries = draw.floats(9, HIDDEN);
    private final Tensor keys = draw.floats(9, OF_KEYS);
    private final Tensor values = draw.floats(9, OF_KEYS);
    private final Tensor keyCache = draw.floats(BLOCKS, BLOCK, KEY_HEADS, SIZE);
    private final Tensor valueCache = draw.floats(BLOCKS, BLOCK, KEY_HEADS, SIZE);
    private final Tensor cosines = draw.floats(16, SIZE / 2);
    private final Tensor sines = draw.floats(16, SIZE / 2);

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor rows(Tensor all, int from, int count, long... dims) {
        float[] floats = all.floats();
        int width = Math.toIntExact(all.shape().dim(1));
        return Tensor.copyOf(Arrays.copyOfRange(floats, from * width, (from + count) * width), dims);
    }

    private static int slot(int text, int place) {
        return TABLE[text][place / BLOCK] * BLOCK + place % BLOCK;
    }

    /** Returns a sequence's entries of a block cache, by head. */
    private static Tensor past(Tensor cache, int text) {
        float[] floats = cache.floats();
        float[] past = new float[OF_KEYS * PASTS[text]];
        for (int i = 0; i < past.length; i++) {
            int head = i / SIZE / PASTS[text];
            past[i] = floats[(slot(text, i / SIZE % PASTS[text]) * KEY_HEADS + head) * SIZE + i % SIZE];
        }
        return Tensor.copyOf(past, 1, KEY_HEADS, PASTS[text], SIZE);
    }

    private OneOperator set(OneOperator operator, int flags) {
        operator.with("num_heads", HEADS).with("kv_num_heads", KEY_HEADS);
        if ((flags & 1) != 0) {
            operator.with("do_rotary", 1).with("rotary_interleaved", 1);
        }
        if ((flags & 2) != 0) {
            operator.with("local_window_size", 3).with("scale", 0.5f);
        }
        return (flags & 4) != 0 ? operator.with("softcap", 2f) : operator;
    }

    private OneOperator paged(int flags) {
        return paged(queries, keys, values, flags);
    }

    private OneOperator paged(Tensor query, @Nullable Tensor key, @Nullable Tensor value, int flags) {
        OneOperator operator = set(OneOperator.contributed("PagedAttention"), flags);
        int[] table = Arrays.stream(TABLE).flatMapToInt(Arrays::stream).toArray();
        return operator.on(query, key, value, keyCache, valueCache)
                .on(ints(0, 5, 6, 9), ints(PASTS), Tensor.copyOf(table, 3, 3))
                .on((flags & 1) != 0 ? new @Nullable Tensor[] {cosines, sines} : new @Nullable Tensor[2]);
    }

    private double[] alone(int text, int from, int flags) {
        int steps = STEPS[text];
        boolean rotates = (flags & 1) != 0;
        OneOperator operator = set(OneOperator.contributed("GroupQueryAttention"), flags)
                .on(rows(queries, from, steps, 1, steps, HIDDEN))
                .on(rows(keys, from, steps, 1, steps, OF_KEYS), rows(values, from, steps, 1, steps, OF_KEYS))
                .on(past(keyCache, text), past(valueCache, text))
                .on(ints(PASTS[text] + steps - 1), ints(PASTS[text] + steps));
        return OneOperator.numbers((rotates ? operator.on(cosines, sines) : operator).run(engine));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2, 4, 7})
    void textsInBlocksAreAsTextsAlone(int flags) {
        Tensor expected = Tensor.allocate(ElementType.FLOAT, Shape.of(9, HIDDEN));
        int from = 0;
        for (int text = 0; text < PASTS.length; text++) {
            double[] one = alone(text, from, flags);
            Elements.write(ElementType.FLOAT, expected.segment(), (long) from * HIDDEN, one, 0, one.length);
            from += STEPS[text];
        }
        paged(flags).gives(engine, 1e-5, expected);
    }

    /** Returns a copy of a cache with the new rows written to their blocks, except steps that have no slot. */
    private static Tensor written(Tensor cache, Tensor rows, int[] slots) {
        float[] floats = cache.floats();
        for (int row = 0; row < slots.length; row++) {
            if (slots[row] >= 0) {
                System.arraycopy(rows.floats(), row * OF_KEYS, floats, slots[row] * OF_KEYS, OF_KEYS);
            }
        }
        return Tensor.copyOf(floats, cache.shape().toArray());
    }

    @Test
    void whatIsNewIsWrittenIntoItsBlocks() {
        int[] slots = new int[9];
        int row = 0;
        for (int text = 0; text < PASTS.length; text++) {
            for (int i = 0; i < STEPS[text]; i++) {
                slots[row++] = slot(text, PASTS[text] + i);
            }
        }
        Tensor output = paged(0).run(engine);
        Tensor[] caches = {written(keyCache, keys, slots), written(valueCache, values, slots)};
        paged(0).outputs(3).gives(engine, 1e-5, output, caches[0], caches[1]);
        paged(0).on(ints(slots)).outputs(3).gives(engine, 1e-5, output, caches[0], caches[1]);
        slots[8] = -1;
        slots[2] = slot(1, 7);
        Tensor other = paged(0).on(ints(slots)).run(engine);
        Tensor[] others = {written(keyCache, keys, slots), written(valueCache, values, slots)};
        paged(0).on(ints(slots)).outputs(3).gives(engine, 1e-5, other, others[0], others[1]);
    }

    /** Returns the rows of heads after RMS normalisation. */
    private static Tensor normed(Tensor rows, Tensor scale) {
        float[] floats = rows.floats();
        for (int from = 0; from < floats.length; from += SIZE) {
            double squares = 0;
            for (int i = 0; i < SIZE; i++) {
                squares += floats[from + i] * floats[from + i] / (double) SIZE;
            }
            for (int i = 0; i < SIZE; i++) {
                floats[from + i] = (float) (floats[from + i] / Math.sqrt(squares + 1e-6) * scale.floats()[i]);
            }
        }
        return Tensor.copyOf(floats, rows.shape().toArray());
    }

    @Test
    void queriesAndKeysMayLieTogetherAndBeNormed() {
        Tensor[] scales = {draw.floats(SIZE), draw.floats(SIZE)};
        int width = HIDDEN + 2 * OF_KEYS;
        float[] together = new float[9 * width];
        for (int row = 0; row < 9; row++) {
            System.arraycopy(queries.floats(), row * HIDDEN, together, row * width, HIDDEN);
            System.arraycopy(keys.floats(), row * OF_KEYS, together, row * width + HIDDEN, OF_KEYS);
            System.arraycopy(values.floats(), row * OF_KEYS, together, row * width + HIDDEN + OF_KEYS, OF_KEYS);
        }
        Tensor expected = paged(normed(queries, scales[0]), normed(keys, scales[1]), values, 0)
                .run(engine);
        paged(Tensor.copyOf(together, 9, width), null, null, 0)
                .on(null, null)
                .on(scales)
                .gives(engine, 1e-5, expected);
    }

    @Test
    void whatIsNotHereIsNamed() {
        assertThatThrownBy(() -> paged(0).with("kv_cache_layout", "LATENT").run(engine))
                .hasMessageContaining("a cache of keys alone");
        assertThatThrownBy(() -> paged(0).on(null, draw.floats(HEADS)).run(engine))
                .hasMessageContaining("sinks of heads");
    }
}
