package dev.millrace.graph.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;
import org.junit.jupiter.api.Test;

/** Elements of a byte, in runs that are longer than the pieces in which they are read. */
class BytesTest {
    private static void check(ElementType type, LongUnaryOperator value) {
        Tensor tensor = Tensor.allocate(ElementType.UINT8, Shape.of(1500));
        MemorySegment bytes = tensor.segment();
        for (int i = 0; i < 1500; i++) {
            bytes.set(ByteLayouts.BYTE, i, (byte) (i * 7));
        }
        long[] read = new long[1400];
        Elements.read(type, bytes, 50, read, 3, 1300);
        for (int i = 0; i < read.length; i++) {
            long expected = i < 3 || i >= 1303 ? 0 : value.applyAsLong((byte) ((50 + i - 3) * 7));
            assertThat(read[i]).as("%s at %d", type, i).isEqualTo(expected);
        }
    }

    @Test
    void bytesAreReadAsLongsOfTheirType() {
        check(ElementType.INT8, stored -> stored);
        check(ElementType.UINT8, stored -> stored & 0xff);
        check(ElementType.BOOL, stored -> stored == 0 ? 0 : 1);
    }
}
