package dev.millrace.kernels.conv.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedResult;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import org.junit.jupiter.api.Test;

class QuantisedConvTest {
    private static final int CHANNELS = 4;
    private static final Axis AXIS = Axis.of(5, 3, 1, 1, 1, 1);
    private static final ConvShape SHAPE = ConvShape.flat(1, CHANNELS, CHANNELS, AXIS, AXIS);

    private final KernelSet kernels = Kernels.shared().set();
    private final Arena arena = Arena.ofAuto();
    private final QuantisedConv conv = new QuantisedConv(kernels, SHAPE);
    private final QuantisedDepthwiseConv depthwise = new QuantisedDepthwiseConv(kernels, SHAPE.inGroups(CHANNELS));
    private final MemorySegment packed = arena.allocate(conv.packedBytes());

    private MemorySegment filled(long bytes, int value) {
        return arena.allocate(bytes).fill((byte) value);
    }

    private QuantisedMatrix image(long bytes) {
        return QuantisedMatrix.of(filled(bytes, 0), false, CHANNELS);
    }

    private QuantisedResult ints(long elements) {
        return QuantisedResult.ints(arena.allocate(4 * elements), CHANNELS);
    }

    private void run(QuantisedConvolution of, QuantisedMatrix in, MemorySegment weights, QuantisedResult out) {
        of.run(in, weights, out, arena.allocate(of.scratchBytes(true, 1), 64), Parallel.NONE);
    }

    /** A corner sees four of nine taps: of the greatest bytes and weights, none of which may saturate. */
    @Test
    void theGreatestSumsAreExact() {
        MemorySegment weights = filled(SHAPE.weightElements(), -128);
        conv.pack(QuantisedMatrix.of(weights, true, 9L * CHANNELS), packed);
        QuantisedResult out = ints(25L * CHANNELS);
        run(conv, QuantisedMatrix.of(filled(25L * CHANNELS, 255), false, CHANNELS), packed, out);
        assertThat(out.data().getAtIndex(ValueLayout.JAVA_INT, 0)).isEqualTo(-128 * 255 * 4 * CHANNELS);
        assertThat(out.data().getAtIndex(ValueLayout.JAVA_INT, 12 * CHANNELS)).isEqualTo(-128 * 255 * 9 * CHANNELS);
    }

    /** A line that no cache holds is done in parts. */
    @Test
    void allPixelsOfALongLineAreThere() {
        int width = 100_003;
        Axis line = Axis.of(width, 3, 1, 1, 1, 1);
        ConvShape shape = ConvShape.flat(1, CHANNELS, 1, Axis.pointwise(1), line);
        QuantisedConv ofLine = new QuantisedConv(kernels, shape);
        MemorySegment weights = arena.allocate(ofLine.packedBytes());
        ofLine.pack(QuantisedMatrix.of(filled(3L * CHANNELS, 1), true, 3L * CHANNELS), weights);
        QuantisedResult out = QuantisedResult.ints(arena.allocate(4L * width), 1);
        QuantisedMatrix in = QuantisedMatrix.of(filled((long) width * CHANNELS, 1), false, CHANNELS);
        run(ofLine, in, weights, out);
        for (int x = 0; x < width; x++) {
            int taps = x == 0 || x == width - 1 ? 2 : 3;
            assertThat(out.data().getAtIndex(ValueLayout.JAVA_INT, x)).isEqualTo(taps * CHANNELS);
        }
    }

    @Test
    void noImagesAreNoWork() {
        for (Axis axis : new Axis[] {AXIS, Axis.pointwise(5)}) {
            ConvShape none = ConvShape.flat(0, CHANNELS, CHANNELS, axis, axis);
            QuantisedConv empty = new QuantisedConv(kernels, none);
            MemorySegment weights = arena.allocate(empty.packedBytes());
            run(empty, image(0), weights, ints(0));
        }
    }

    @Test
    void theGreatestDepthwiseSumsAreExact() {
        MemorySegment weights = filled(9L * CHANNELS, -128);
        MemorySegment packedWeights = arena.allocate(depthwise.packedBytes());
        depthwise.pack(QuantisedMatrix.of(weights, true, 9), packedWeights);
        QuantisedResult out = ints(25L * CHANNELS);
        QuantisedMatrix in = QuantisedMatrix.of(filled(25L * CHANNELS, 255), false, CHANNELS);
        run(depthwise, in, packedWeights, out);
        assertThat(out.data().getAtIndex(ValueLayout.JAVA_INT, 0)).isEqualTo(-128 * 255 * 4);
        assertThat(out.data().getAtIndex(ValueLayout.JAVA_INT, 12 * CHANNELS)).isEqualTo(-128 * 255 * 9);
    }

    @Test
    void anInputThatIsTooSmallIsRefused() {
        assertThatThrownBy(() -> run(conv, image(25L * CHANNELS - 1), packed, ints(25L * CHANNELS)))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("the input");
    }

    @Test
    void anOutputThatIsTooSmallIsRefused() {
        assertThatThrownBy(() -> run(conv, image(25L * CHANNELS), packed, ints(25L * CHANNELS - 1)))
                .isInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void weightsThatAreTooSmallAreRefused() {
        MemorySegment small = packed.asSlice(0, packed.byteSize() - 1);
        assertThatThrownBy(() -> run(conv, image(25L * CHANNELS), small, ints(25L * CHANNELS)))
                .isInstanceOf(IndexOutOfBoundsException.class)
                .hasMessageContaining("the packed weights");
    }

    /** Work for many threads stays in the memory that is there for two. */
    @Test
    void muchWorkStaysInItsScratchMemory() {
        int side = 300;
        int channels = 64;
        Axis axis = Axis.of(side, 5, 1, 1, 2, 2);
        ConvShape shape = ConvShape.flat(1, channels, channels, axis, axis).inGroups(channels);
        var large = new QuantisedDepthwiseConv(kernels, shape);
        MemorySegment weights = arena.allocate(large.packedBytes());
        large.pack(QuantisedMatrix.of(filled(25L * channels, 1), true, 25), weights);
        long pixels = (long) side * side;
        QuantisedResult out = QuantisedResult.ints(arena.allocate(4 * pixels * channels), channels);
        QuantisedMatrix in = QuantisedMatrix.of(filled(pixels * channels, 1), false, channels);
        MemorySegment scratch = new GuardedMemory(arena).bytes(large.scratchBytes(true, 2));
        large.run(in, weights, out, scratch, TestThreads.of(2));
        assertThat(out.data().getAtIndex(ValueLayout.JAVA_INT, (pixels + side) / 2 * channels))
                .isEqualTo(25);
    }

    @Test
    void scratchMemoryThatIsTooSmallIsRefused() {
        for (QuantisedConvolution of : List.of(conv, depthwise)) {
            MemorySegment small = arena.allocate(of.scratchBytes(true, 1) / 2);
            assertThatThrownBy(() -> of.run(image(25L * CHANNELS), packed, ints(25L * CHANNELS), small, Parallel.NONE))
                    .isInstanceOf(IndexOutOfBoundsException.class)
                    .hasMessageContaining("the scratch memory");
        }
    }

    @Test
    void aZeroPointForEachPixelIsRefused() {
        QuantisedMatrix in = image(25L * CHANNELS).withZeroPoints(filled(25, 0));
        assertThatThrownBy(() -> run(conv, in, packed, ints(25L * CHANNELS)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("one zero point");
    }

    @Test
    void anOutputOverItsInputIsRefused() {
        MemorySegment both = arena.allocate(100L * CHANNELS);
        QuantisedMatrix in = QuantisedMatrix.of(both, false, CHANNELS);
        assertThatThrownBy(() -> run(conv, in, packed, QuantisedResult.ints(both, CHANNELS)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("overlaps");
    }

    @Test
    void onlyReluFollowsADepthwiseConvolution() {
        MemorySegment scale = arena.allocateFrom(ValueLayout.JAVA_FLOAT, 1);
        MemorySegment data = arena.allocate(100L * CHANNELS);
        QuantisedResult out = QuantisedResult.floats(data, CHANNELS, scale, null, Activation.TANH);
        assertThatThrownBy(() -> run(depthwise, image(25L * CHANNELS), packed, out))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("TANH");
    }

    @Test
    void aConvolutionOfWholeImagesIsNotDepthwise() {
        assertThatThrownBy(() -> new QuantisedDepthwiseConv(kernels, SHAPE))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("depthwise");
    }

    @Test
    void aKeyWithTooManyTapsIsRefused() {
        KernelKey key = KernelKey.parse("conv.s8.depthwise:bias=0,dilation=1,masked=0,output=u8,pixels=1,relu=0,"
                + "scales=0,signed=0,stride=1,taps=8");
        assertThatThrownBy(() -> kernels.kernel(key))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("taps");
    }
}
