package dev.millrace.kernels.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Edges of windows, and wrong uses, which are refused with a reason. */
class PoolTest {
    private static final Kernels KERNELS = Kernels.shared();
    private static final int LANES = KERNELS.set().target().lanes();
    private static final Axis THREE = Axis.of(4, 3, 1, 1, 1, 1);
    private static final WindowShape SHAPE = WindowShape.flat(1, 1, THREE, THREE);

    private static MemorySegment floats(long count) {
        return Arena.ofAuto().allocate(4 * count, 64);
    }

    private static void assertAll(float expected, MemorySegment elements) {
        assertThat(elements.toArray(ValueLayout.JAVA_FLOAT_UNALIGNED)).containsOnly(expected);
    }

    @Test
    void windowsOverNothingReadNothing() {
        WindowShape noColumns = WindowShape.flat(1, 1, THREE, Axis.of(0, 1, 1, 1, 1, 1));
        try (Arena arena = Arena.ofShared()) {
            GuardedMemory memory = new GuardedMemory(arena);
            MemorySegment out = memory.floats(8);
            MemorySegment places = memory.floats(8);
            new PlainPool(KERNELS.set(), noColumns, PoolingOperation.max(), true)
                    .run(memory.floats(0), out, places, Parallel.NONE);
            assertAll(Float.NEGATIVE_INFINITY, out);
            assertAll(0, places);
            new PlainPool(KERNELS.set(), noColumns, PoolingOperation.average(), false)
                    .run(memory.floats(0), out, null, Parallel.NONE);
            assertAll(Float.NaN, out);
            MemorySegment blocks = memory.floats(8L * LANES);
            new Pool(KERNELS.set(), noColumns, PoolingOperation.max()).run(memory.floats(0), blocks, Parallel.NONE);
            assertAll(Float.NEGATIVE_INFINITY, blocks);
        }
    }

    @Test
    void padsManyTimesAsWideAsTheImageTakeNoCodeOfTheirOwn() {
        Axis far = Axis.of(4, 3, 2, 1, 65_535, 1);
        var conv = new DepthwiseConv(KERNELS.set(), WindowShape.flat(1, 1, THREE, far), Expr.input(0));
        MemorySegment packed = floats(conv.packedBytes() / 4);
        conv.pack(MemorySegment.ofArray(filled(9, 1)), MemorySegment.ofArray(filled(1, 7)), packed);
        MemorySegment in = floats(16L * LANES);
        in.copyFrom(MemorySegment.ofArray(filled(16 * LANES, 1)));
        MemorySegment out = floats(4L * far.out() * LANES);
        conv.run(in, packed, null, out, Parallel.NONE);
        int last = far.out() - 1;
        assertThat(last).isEqualTo(32_768);
        int[] columns = {0, 1, 1000, last - 2, last - 1, last};
        assertThat(Arrays.stream(columns)
                        .mapToObj(column -> out.getAtIndex(ValueLayout.JAVA_FLOAT, (long) column * LANES)))
                .containsExactly(7f, 7f, 7f, 7f, 7f + 2 * 2, 7f + 2 * 3);
    }

    @Test
    void theLargestElementOfAWindowIsNaNWhereOneIs() {
        var random = new Random(5);
        float[] pixels = new float[19 * 45];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = random.nextInt(20) == 0 ? Float.NaN : random.nextInt(20) - 10;
        }
        MemorySegment in = floats(pixels.length);
        in.copyFrom(MemorySegment.ofArray(pixels));
        for (int stride = 1; stride <= 5; stride++) {
            Axis width = Axis.of(45, 4, stride, 1, 3, 3);
            WindowShape shape = WindowShape.flat(1, 1, Axis.of(19, 3, stride, 1, 1, 2), width);
            assertThat(PlanePool.fits(KERNELS.set(), shape, PoolingOperation.max()))
                    .isTrue();
            MemorySegment expected = MemorySegment.ofArray(largest(pixels, shape));
            MemorySegment out = floats(shape.outPixels());
            var planes = new PlanePool(KERNELS.set(), shape, PoolingOperation.max());
            planes.run(in, out, floats(planes.scratchBytes(1) / 4), Parallel.NONE);
            assertThat(out.mismatch(expected)).isEqualTo(-1);
            for (boolean places : new boolean[] {false, true}) {
                new PlainPool(KERNELS.set(), shape, PoolingOperation.max(), places)
                        .run(in, out, places ? floats(shape.outPixels()) : null, Parallel.NONE);
                assertThat(out.mismatch(expected)).isEqualTo(-1);
            }
            MemorySegment blocks = floats((long) LANES * pixels.length);
            for (int i = 0; i < LANES * pixels.length; i++) {
                blocks.setAtIndex(ValueLayout.JAVA_FLOAT, i, pixels[i / LANES]);
            }
            MemorySegment pooled = floats((long) LANES * shape.outPixels());
            new Pool(KERNELS.set(), shape, PoolingOperation.max()).run(blocks, pooled, Parallel.NONE);
            for (int i = 0; i < shape.outPixels(); i++) {
                out.setAtIndex(ValueLayout.JAVA_FLOAT, i, pooled.getAtIndex(ValueLayout.JAVA_FLOAT, (long) i * LANES));
            }
            assertThat(out.mismatch(expected)).isEqualTo(-1);
        }
    }

    private static float[] largest(float[] pixels, WindowShape shape) {
        float[] largest = new float[Math.toIntExact(shape.outPixels())];
        Arrays.fill(largest, Float.NEGATIVE_INFINITY);
        Axis height = shape.height();
        Axis width = shape.width();
        for (int i = 0; i < largest.length; i++) {
            for (int tap = 0; tap < height.taps() * width.taps(); tap++) {
                int row = i / width.out() * height.stride() - height.before() + tap / width.taps() * height.dilation();
                int column = i % width.out() * width.stride() - width.before() + tap % width.taps() * width.dilation();
                if (row >= 0 && row < height.in() && column >= 0 && column < width.in()) {
                    largest[i] = Math.max(largest[i], pixels[row * width.in() + column]);
                }
            }
        }
        return largest;
    }

    @Test
    void nothingIsWrittenWhereNoWindowFits() {
        Axis none = Axis.of(2, 3, 2, 1, 0, 0);
        assertThat(none.out()).isZero();
        for (WindowShape shape :
                new WindowShape[] {WindowShape.flat(1, 1, none, THREE), WindowShape.flat(1, 1, THREE, none)}) {
            new Pool(KERNELS.set(), shape, PoolingOperation.max()).run(floats(8L * LANES), floats(0), Parallel.NONE);
            new PlainPool(KERNELS.set(), shape, PoolingOperation.max(), false)
                    .run(floats(8), floats(0), null, Parallel.NONE);
        }
    }

    @Test
    void imagesOfMorePixelsThanCanBeCountedAreRefused() {
        Axis far = new Axis(1 << 24, 1, 1, 1, 1, 0);
        Axis wide = new Axis(1 << 16, 1, 1, 1, 1, 0);
        assertThatThrownBy(() -> new WindowShape(1, 1, far, far, wide))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pixels");
    }

    @Test
    void whatCountsForAnAverageIsNotNegative() {
        assertThatThrownBy(() -> PoolingOperation.averageWithPadding(0, -1, 0)).hasMessageContaining("-1");
        assertThatThrownBy(() -> PoolingOperation.averageWithPadding(0, 0, Integer.MAX_VALUE))
                .hasMessageContaining("2147483647");
    }

    @Test
    void outputsOverlapNothing() {
        MemorySegment in = floats(16L * LANES);
        MemorySegment out = floats(16L * LANES);
        Expr sum = Expr.input(0).plus(Expr.input(1));
        var conv = new DepthwiseConv(KERNELS.set(), SHAPE, sum);
        MemorySegment packed = floats(conv.packedBytes() / 4);
        conv.run(in, packed, floats(16L * LANES), out, Parallel.NONE);
        assertThatThrownBy(() -> conv.run(in, packed, out, out, Parallel.NONE))
                .hasMessageContaining("the output overlaps the residual");
        assertThatThrownBy(() -> conv.run(in, out, in, out, Parallel.NONE))
                .hasMessageContaining("the output overlaps the packed weights");
        assertThatThrownBy(() -> conv.run(in, packed, null, out, Parallel.NONE)).hasMessageContaining("none is given");
        var pool = new PlainPool(KERNELS.set(), SHAPE, PoolingOperation.max(), true);
        assertThatThrownBy(() -> pool.run(in, out, out, Parallel.NONE))
                .hasMessageContaining("the places overlaps the output");
        assertThatThrownBy(() -> pool.run(in, out, null, Parallel.NONE)).hasMessageContaining("no memory for places");
    }

    /** Beside a bias of 2^20 each of these products is nothing, but not their sum. */
    @Test
    void aLargeBiasDoesNotSwallowProductsOneByOne() {
        var conv = new DepthwiseConv(KERNELS.set(), SHAPE, Expr.input(0));
        MemorySegment packed = floats(conv.packedBytes() / 4);
        MemorySegment bias = MemorySegment.ofArray(filled(1, 1 << 20));
        conv.pack(MemorySegment.ofArray(filled(9, 1 / 32f)), bias, packed);
        MemorySegment in = floats(16L * LANES);
        in.copyFrom(MemorySegment.ofArray(filled(16 * LANES, 1)));
        MemorySegment out = floats(16L * LANES);
        conv.run(in, packed, null, out, Parallel.NONE);
        assertThat(out.getAtIndex(ValueLayout.JAVA_FLOAT, 5L * LANES)).isEqualTo((1 << 20) + 0.25f);
    }

    private static float[] filled(int length, float value) {
        float[] filled = new float[length];
        Arrays.fill(filled, value);
        return filled;
    }
}
