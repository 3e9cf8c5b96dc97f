package dev.millrace.kernels.conv;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.function.IntConsumer;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** However many threads a convolution is cut for, and however many do it, each output is the same but for its rounding. */
class ManyThreadsTest {
    /** Small tiles add in another order. */
    private static final float ROUNDING = 5e-5f;

    @AutoClose
    private final Kernels kernels = Kernels.open(System::getProperty);

    @AutoClose
    private final Arena arena = Arena.ofConfined();

    private final Random random = new Random(11);

    /** So many threads, whose tasks come in an order that nobody expects. */
    private record Backwards(int width) implements Parallel {
        @Override
        public void run(int tasks, IntConsumer task) {
            for (int i = tasks - 1; i >= 0; i--) {
                task.accept(i);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"13, 4, 16, 1", "14, 1, 3, 1", "28, 2, 9, 1", "56, 3, 4, 1", "7, 2, 5, 3", "68, 1, 2, 2", "5, 1, 1, 1"})
    void cutForAnyNumberOfThreads(int size, int inBlocks, int outBlocks, int batch) {
        int lanes = kernels.set().target().lanes();
        Axis axis = Axis.of(size, 3, 1, 1, 1, 1);
        ConvShape shape = ConvShape.flat(batch, inBlocks * lanes, outBlocks * lanes, axis, axis);
        MemorySegment in = numbers(batch * BlockedImages.elements(lanes, shape.channels(), shape.inPixels()));
        MemorySegment weights = numbers(shape.weightElements());
        for (ConvMethod method : ConvMethod.values()) {
            float[] expected = run(shape, method, 1, 1, in, weights);
            for (int width : new int[] {2, 3, 4, 8, 16, 61}) {
                assertArrayEquals(
                        expected, run(shape, method, width, width, in, weights), ROUNDING, method + " for " + width);
            }
            assertArrayEquals(expected, run(shape, method, 16, 2, in, weights), ROUNDING, method + " of fewer");
        }
    }

    private float[] run(
            ConvShape shape, ConvMethod method, int cutFor, int threads, MemorySegment in, MemorySegment weights) {
        var conv = new Conv(kernels.set(), shape, false, ConvCase.AFTER[0].expression(), method, cutFor);
        MemorySegment packed = arena.allocate(conv.packedBytes(), 64);
        conv.pack(weights, null, packed);
        MemorySegment scratch = arena.allocate(Math.max(1, conv.scratchBytes(threads)), 64);
        scratch.fill((byte) 0xff);
        int lanes = kernels.set().target().lanes();
        MemorySegment out = arena.allocate(
                Float.BYTES * shape.batch() * BlockedImages.elements(lanes, shape.outChannels(), shape.outPixels()),
                64);
        conv.run(in, packed, null, out, scratch, new Backwards(threads));
        return out.toArray(ConvReference.FLOAT);
    }

    private MemorySegment numbers(long count) {
        MemorySegment numbers = arena.allocate(Float.BYTES * count, 64);
        for (long i = 0; i < count; i++) {
            numbers.setAtIndex(ConvReference.FLOAT, i, random.nextFloat() - 0.5f);
        }
        return numbers;
    }
}
