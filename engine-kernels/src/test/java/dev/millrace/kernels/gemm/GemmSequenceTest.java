package dev.millrace.kernels.gemm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;
import org.junit.jupiter.api.Test;

class GemmSequenceTest {
    private static final long ROWS = 7;
    private static final long DEPTH = 9;
    private static final long COUNT = 3;

    private final Gemm gemm = Kernels.shared().gemm();
    private final long panel = gemm.panelColumns();
    private final long columns = 2 * panel + 3;
    private final Random random = new Random(3);
    private final MemorySegment a = floats(COUNT * ROWS * DEPTH);
    private final MemorySegment packed = floats(gemm.packedBytes(DEPTH, columns) / 4);
    private final MemorySegment scratch = Arena.ofAuto().allocate(GemmSequence.SCRATCH_BYTES, 64);

    private MemorySegment floats(long count) {
        MemorySegment memory = Arena.ofAuto().allocate(4 * count, 64);
        for (long i = 0; i < count; i++) {
            memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, random.nextFloat());
        }
        return memory;
    }

    private GemmProduct.Builder product(Matrix b, MemorySegment c) {
        return GemmProduct.builder(ROWS, columns, DEPTH, Matrix.rows(a, DEPTH), b)
                .batch(Batch.of(COUNT, ROWS * DEPTH, 0, ROWS * columns))
                .writing(Matrix.rows(c, columns));
    }

    private GemmSequence sequence(MemorySegment c) {
        return gemm.sequence(product(Matrix.packed(packed), c).build(), scratch);
    }

    @Test
    void partsOfProductsInAnyOrderMakeTheWhole() {
        MemorySegment whole = floats(COUNT * ROWS * columns);
        MemorySegment inParts = floats(COUNT * ROWS * columns);
        gemm.run(product(Matrix.packed(packed), whole).build(), Parallel.NONE);
        GemmSequence sequence = sequence(inParts);
        for (long index = COUNT - 1; index >= 0; index--) {
            sequence.run(index, panel, columns);
            sequence.run(index, 0, panel);
        }
        assertThat(inParts.mismatch(whole)).isEqualTo(-1);
    }

    @Test
    void aPartOutsideOfTheProductsIsRefused() {
        GemmSequence sequence = sequence(floats(COUNT * ROWS * columns));
        assertThatThrownBy(() -> sequence.run(COUNT, 0, columns)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> sequence.run(0, 0, columns + 1)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> sequence.run(0, 1, columns)).hasMessageContaining("not whole panels");
        assertThatThrownBy(() -> sequence.run(0, 0, columns - 1)).hasMessageContaining("not whole panels");
    }

    @Test
    void operandsThatDoNotFitAreRefused() {
        MemorySegment c = floats(COUNT * ROWS * columns);
        GemmProduct unpacked =
                product(Matrix.rows(floats(DEPTH * columns), columns), c).build();
        assertThatThrownBy(() -> gemm.sequence(unpacked, scratch)).hasMessageContaining("a packed B");
        GemmProduct small = product(Matrix.packed(packed.asSlice(4)), c).build();
        assertThatThrownBy(() -> gemm.sequence(small, scratch)).hasMessageContaining("the packed B needs");
        GemmProduct fitting = product(Matrix.packed(packed), c).build();
        assertThatThrownBy(() -> gemm.sequence(fitting, scratch.asSlice(1))).hasMessageContaining("the scratch needs");
        assertThatThrownBy(() -> gemm.sequence(fitting, scratch.asReadOnly())).hasMessageContaining("read-only");
        MemorySegment numbers = MemorySegment.ofArray(new float[(int) GemmSequence.SCRATCH_BYTES / 4]);
        assertThatThrownBy(() -> gemm.sequence(fitting, numbers)).hasMessageContaining("array of bytes");
    }
}
