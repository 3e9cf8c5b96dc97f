package dev.millrace.graph.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Runs of elements are what the elements one by one are. */
class ElementsTest {
    private static final int[] COUNTS = {0, 1, 7, 512, 1100};
    private static final int FIRST = 3;
    private static final int AT = 2;
    private static final double[] VALUES = {
        0, -0.0, 1, -1, 0.5, -2.5, 100, 255, 256, -129, 40_000, -70_000, 3e9, -3e9, 1e19, 1e300, -1e-320
    };

    private final Random random = new Random(7);

    static Stream<ElementType> numbers() {
        return Arrays.stream(ElementType.values()).filter(type -> type.bits() > 0 && type != ElementType.STRING);
    }

    private static MemorySegment room(ElementType type, int count) {
        return MemorySegment.ofArray(new byte[(int) type.bytes(FIRST + count + 1)]);
    }

    private MemorySegment filled(ElementType type, int count) {
        MemorySegment segment = room(type, count);
        for (int i = 0; i < FIRST + count + 1; i++) {
            if (random.nextBoolean()) {
                Elements.setLong(type, segment, i, random.nextLong());
            } else {
                Elements.setDouble(type, segment, i, VALUES[random.nextInt(VALUES.length)]);
            }
        }
        return segment;
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void readsWhatElementsAre(ElementType type) {
        for (int count : COUNTS) {
            MemorySegment segment = filled(type, count);
            float[] floats = new float[AT + count];
            double[] doubles = new double[AT + count];
            long[] longs = new long[AT + count];
            Elements.read(type, segment, FIRST, floats, AT, count);
            Elements.read(type, segment, FIRST, doubles, AT, count);
            Elements.read(type, segment, FIRST, longs, AT, count);
            for (int i = 0; i < count; i++) {
                assertThat(doubles[AT + i]).isEqualTo(Elements.getDouble(type, segment, FIRST + i));
                assertThat(longs[AT + i]).isEqualTo(Elements.getLong(type, segment, FIRST + i));
                // a whole number of 64 bits is rounded once
                boolean isLong = type == ElementType.INT64;
                float expected = isLong
                        ? (float) Elements.getLong(type, segment, FIRST + i)
                        : (float) Elements.getDouble(type, segment, FIRST + i);
                assertThat(floats[AT + i]).isEqualTo(expected);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("numbers")
    void writesWhatElementsAreAndNothingElse(ElementType type) {
        for (int count : COUNTS) {
            float[] floats = new float[AT + count];
            double[] doubles = new double[AT + count];
            long[] longs = new long[AT + count];
            MemorySegment before = filled(type, count);
            MemorySegment ofFloats = copy(before);
            MemorySegment ofDoubles = copy(before);
            MemorySegment ofLongs = copy(before);
            for (int i = 0; i < count; i++) {
                doubles[AT + i] = VALUES[random.nextInt(VALUES.length)];
                floats[AT + i] = (float) doubles[AT + i];
                longs[AT + i] = random.nextInt(4) == 0 ? 0 : random.nextLong();
                Elements.setDouble(type, ofFloats, FIRST + i, floats[AT + i]);
                Elements.setDouble(type, ofDoubles, FIRST + i, doubles[AT + i]);
                Elements.setLong(type, ofLongs, FIRST + i, longs[AT + i]);
            }
            MemorySegment written = copy(before);
            Elements.write(type, written, FIRST, floats, AT, count);
            assertThat(written.mismatch(ofFloats)).isEqualTo(-1);
            written = copy(before);
            Elements.write(type, written, FIRST, doubles, AT, count);
            assertThat(written.mismatch(ofDoubles)).isEqualTo(-1);
            written = copy(before);
            Elements.write(type, written, FIRST, longs, AT, count);
            assertThat(written.mismatch(ofLongs)).isEqualTo(-1);
        }
    }

    private static MemorySegment copy(MemorySegment of) {
        return MemorySegment.ofArray(of.toArray(ByteLayouts.BYTE));
    }
}
