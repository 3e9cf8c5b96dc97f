package dev.millrace.kernels.conv;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.ImageEpilogues;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class ConvTest {
    private static final Expr SUM = Expr.input(0);

    @AutoClose
    private final Kernels kernels = Kernels.open(System::getProperty);

    @AutoClose
    private final Arena arena = Arena.ofConfined();

    private static ConvShape shape(int size) {
        return ConvShape.flat(1, 1, 1, Axis.pointwise(size), Axis.pointwise(size));
    }

    private static void assertRefused(String reason, Executable action) {
        RuntimeException refusal = assertThrows(RuntimeException.class, action);
        assertTrue(refusal.toString().contains(reason), refusal.toString());
    }

    @Test
    void operandsThatDoNotFitAreRefusedBeforeAnythingIsTouched() {
        var conv = new Conv(kernels.set(), shape(2), true, SUM);
        MemorySegment in = arena.allocate(16, 4);
        MemorySegment packed = arena.allocate(conv.packedBytes(), 4);
        MemorySegment out = arena.allocate(4 * 4 * 16, 4);
        conv.run(in, packed, null, out, Parallel.NONE);
        assertRefused("the input needs", () -> conv.run(in.asSlice(4), packed, null, out, Parallel.NONE));
        assertRefused("the output needs", () -> conv.run(in, packed, null, out.asSlice(0, 4), Parallel.NONE));
        assertRefused("packed weights", () -> conv.run(in, packed.asSlice(4), null, out, Parallel.NONE));
        assertRefused("read-only", () -> conv.run(in, packed, null, out.asReadOnly(), Parallel.NONE));
        assertRefused("overlaps", () -> conv.run(out.asSlice(0, 16), packed, null, out, Parallel.NONE));
        assertRefused("residual", () -> conv.run(in, packed, in, out, Parallel.NONE));
    }

    @Test
    void methodsThatDoNotFitAreRefused() {
        assertRefused("WINOGRAD_4", () -> new Conv(kernels.set(), shape(4), false, SUM, ConvMethod.WINOGRAD_4));
        assertRefused("input 2", () -> new Conv(kernels.set(), shape(4), false, Expr.input(2)));
    }

    @Test
    void rowsLongerThanKeysCanTellAreNotTransformed() {
        Axis height = Axis.of(2, 3, 1, 1, 1, 1);
        int longest = 1 << 20;
        for (int columns : new int[] {longest, longest + 1}) {
            ConvShape shape = ConvShape.flat(1, 64, 64, height, Axis.of(columns, 3, 1, 1, 1, 1));
            boolean fits = columns == longest;
            assertEquals(fits, ConvMethod.WINOGRAD_2.fits(shape, kernels.set().target()));
            boolean isDirect =
                    ConvMethod.best(shape, false, false, kernels.set().target()) == ConvMethod.DIRECT;
            assertEquals(!fits, isDirect);
        }
    }

    /** Winograd's squares lie in a plane: several planes would be left with the first one only. */
    @Test
    void volumesAreSums() {
        int channels = 8 * kernels.set().target().lanes();
        Axis axis = Axis.of(56, 3, 1, 1, 1, 1);
        ConvShape flat = ConvShape.flat(1, channels, channels, axis, axis);
        ConvShape volume = new ConvShape(1, channels, channels, 1, Axis.pointwise(2), axis, axis);
        assertTrue(ConvMethod.WINOGRAD_4.fits(flat, kernels.set().target()));
        assertFalse(ConvMethod.WINOGRAD_4.fits(volume, kernels.set().target()));
        assertRefused("WINOGRAD_2", () -> new Conv(kernels.set(), volume, false, SUM, ConvMethod.WINOGRAD_2));
    }

    @Test
    void strictConvolutionsAreSums() {
        int channels = 8 * kernels.set().target().lanes();
        Axis axis = Axis.of(56, 3, 1, 1, 1, 1);
        ConvShape shape = ConvShape.flat(1, channels, channels, axis, axis);
        assertEquals(
                ConvMethod.DIRECT,
                ConvMethod.best(shape, false, true, kernels.set().target()));
        assertEquals(
                ConvMethod.WINOGRAD_4,
                ConvMethod.best(shape, false, false, kernels.set().target()));
    }

    @Test
    void wrongKeysNameTheParameter() {
        KernelKey good = new ConvTile.Variant(
                        2, 1, ConvInput.BLOCKED, 4, 3, 1, 1, 0, 0, 1, ConvTile.Start.ZERO, false, ImageEpilogues.NONE)
                .key();
        kernels.describe(good);
        String text = good.toString();
        assertRefused("pixels", () -> kernels.describe(KernelKey.parse(text.replace("pixels=2", "pixels=99"))));
        assertRefused("taps", () -> kernels.describe(KernelKey.parse(text.replace("taps=3", "taps=0"))));
        assertRefused("start", () -> kernels.describe(KernelKey.parse(text.replace("start=zero", "start=later"))));
        assertRefused("after", () -> kernels.describe(KernelKey.parse(text.replace("after=in0", "after=in3"))));
        assertRefused("more", () -> kernels.describe(good.with("more", 1)));
    }

    @Test
    void wherePaddingAloneIsSeenTheBiasRemains() {
        Axis axis = Axis.of(1, 1, 1, 1, 2, 2);
        var conv = new Conv(kernels.set(), ConvShape.flat(1, 1, 1, axis, axis), true, SUM);
        MemorySegment one = arena.allocate(4, 4);
        one.set(ValueLayout.JAVA_FLOAT, 0, 3);
        MemorySegment packed = arena.allocate(conv.packedBytes(), 4);
        conv.pack(one, one, packed);
        int lanes = kernels.set().target().lanes();
        MemorySegment out = arena.allocate(4L * 25 * lanes, 4);
        conv.run(one, packed, null, out, Parallel.NONE);
        assertEquals(3, out.getAtIndex(ValueLayout.JAVA_FLOAT, 0));
        assertEquals(12, out.getAtIndex(ValueLayout.JAVA_FLOAT, 12L * lanes));
    }

    /** Beside a bias of 2^20 each of these products is nothing, but not their sum. */
    @ParameterizedTest
    @EnumSource(ConvMethod.class)
    void aLargeBiasDoesNotSwallowProductsOneByOne(ConvMethod method) {
        int lanes = kernels.set().target().lanes();
        Axis axis = Axis.of(8, 3, 1, 1, 1, 1);
        ConvShape shape = ConvShape.flat(1, lanes, lanes, axis, axis);
        var conv = new Conv(kernels.set(), shape, false, SUM, method);
        MemorySegment in = filled(64L * lanes, 1);
        MemorySegment packed = arena.allocate(conv.packedBytes(), 64);
        conv.pack(filled(shape.weightElements(), 1f / (32 * lanes)), filled(lanes, 1 << 20), packed);
        MemorySegment out = arena.allocate(in.byteSize(), 64);
        MemorySegment scratch = arena.allocate(conv.scratchBytes(1) + 64, 64);
        conv.run(in, packed, null, out, scratch, Parallel.NONE);
        assertEquals((1 << 20) + 0.25f, out.getAtIndex(ValueLayout.JAVA_FLOAT, 9L * lanes));
    }

    private MemorySegment filled(long elements, float value) {
        MemorySegment memory = arena.allocate(4 * elements, 64);
        for (long i = 0; i < elements; i++) {
            memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, value);
        }
        return memory;
    }
}
