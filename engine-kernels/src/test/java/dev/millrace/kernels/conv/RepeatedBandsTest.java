package dev.millrace.kernels.conv;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.BlockedImages;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Images of many bands, most of which are planned as others are, but elsewhere. */
class RepeatedBandsTest {
    @AutoClose
    private final Kernels kernels = Kernels.open(System::getProperty);

    @AutoClose
    private final Arena arena = Arena.ofConfined();

    private final Random random = new Random(7);

    static Stream<Arguments> cases() {
        Axis same = Axis.of(48, 3, 1, 1, 1, 1);
        Axis halved = Axis.of(97, 3, 2, 1, 1, 1);
        Axis spread = Axis.of(64, 3, 1, 2, 2, 2);
        return Stream.of(
                Arguments.of(ConvMethod.DIRECT, same, Axis.of(90, 3, 1, 1, 1, 1), 1),
                Arguments.of(ConvMethod.DIRECT, halved, halved, 2),
                Arguments.of(ConvMethod.DIRECT, spread, spread, 1),
                Arguments.of(ConvMethod.DIRECT, Axis.pointwise(1), Axis.pointwise(9_000), 2),
                Arguments.of(ConvMethod.DIRECT, Axis.pointwise(1), Axis.of(9_000, 5, 1, 1, 2, 2), 1),
                Arguments.of(ConvMethod.WINOGRAD_2, same, same, 2),
                Arguments.of(ConvMethod.WINOGRAD_4, same, same, 1));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void bandsThatAreAlikeComputeWhatIsTheirs(ConvMethod method, Axis height, Axis width, int outBlocks) {
        int lanes = kernels.set().target().lanes();
        ConvShape shape = ConvShape.flat(2, lanes, outBlocks * lanes - 1, height, width);
        ConvCase.After after = ConvCase.AFTER[2];
        var conv = new Conv(kernels.set(), shape, false, after.expression(), method, 4);
        assertTrue(
                method == ConvMethod.DIRECT || method.fits(shape, kernels.set().target()));
        MemorySegment in = numbers(2 * BlockedImages.elements(lanes, lanes, shape.inPixels()));
        MemorySegment weights = numbers(shape.weightElements());
        MemorySegment bias = numbers(shape.outChannels());
        long outElements = 2 * BlockedImages.elements(lanes, shape.outChannels(), shape.outPixels());
        MemorySegment residual = numbers(outElements);
        MemorySegment out = numbers(outElements);
        MemorySegment packed = arena.allocate(conv.packedBytes(), 64);
        conv.pack(weights, bias, packed);
        MemorySegment scratch = arena.allocate(Math.max(1, conv.scratchBytes(1)), 64);

        conv.run(in, packed, residual, out, scratch, Parallel.NONE);

        ConvCase.compare(
                ConvCase.bound(method), shape, in, lanes, weights, bias, residual, after, out, lanes, shape.toString());
    }

    private MemorySegment numbers(long count) {
        MemorySegment numbers = arena.allocate(Float.BYTES * count, 64);
        for (long i = 0; i < count; i++) {
            numbers.setAtIndex(ConvReference.FLOAT, i, random.nextFloat() - 0.5f);
        }
        return numbers;
    }
}
