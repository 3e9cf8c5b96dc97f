package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.code.GuardedMemory;
import dev.millrace.kernels.conv.ConvShape;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedOutput;
import dev.millrace.kernels.lowp.QuantisedResult;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Random operands of a convolution of bytes, and what it should write. */
final class ByteConv {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private final GuardedMemory memory;
    private final Random random;
    private final ConvShape shape;
    private final QuantisedMatrix in;
    private final QuantisedMatrix weights;
    private final QuantisedResult out;
    private final MemorySegment before;

    ByteConv(GuardedMemory memory, Random random, ConvShape shape) {
        this.memory = memory;
        this.random = random;
        this.shape = shape;
        QuantisedMatrix image = matrix(shape.batch() * shape.inPixels(), shape.channels(), gap(), random.nextBoolean());
        in = random.nextInt(4) == 0 ? image : image.withZeroPoints(memory.randomBytes(1, random));
        int columns = (int) shape.weightElements() / shape.outChannels();
        boolean withZeros = random.nextBoolean();
        QuantisedMatrix plain = matrix(shape.outChannels(), columns, 0, !withZeros);
        int zeros = random.nextBoolean() ? 1 : shape.outChannels();
        weights = withZeros ? plain.withZeroPoints(memory.randomBytes(zeros, random)) : plain;
        out = result(QuantisedOutput.values()[random.nextInt(4)]);
        before = MemorySegment.ofArray(out.data().toArray(ValueLayout.JAVA_BYTE));
    }

    QuantisedMatrix in() {
        return in;
    }

    /** Whether images have no sign, and weights no zero points. */
    boolean arePlain() {
        return !in.signed() && weights.signed() && weights.zeroPoints() == null;
    }

    QuantisedMatrix weights() {
        return weights;
    }

    QuantisedResult out() {
        return out;
    }

    private int gap() {
        return random.nextBoolean() ? 0 : random.nextInt(4);
    }

    private QuantisedMatrix matrix(long rows, int columns, int gap, boolean signed) {
        long stride = (long) columns + gap;
        long bytes = rows == 0 ? 0 : (rows - 1) * stride + columns;
        return QuantisedMatrix.of(memory.randomBytes(bytes, random), signed, stride);
    }

    private QuantisedResult result(QuantisedOutput output) {
        int channels = shape.outChannels();
        long stride = (long) channels + gap();
        long rows = shape.batch() * shape.outPixels();
        long elements = rows == 0 ? 0 : (rows - 1) * stride + channels;
        MemorySegment data = memory.randomBytes(elements * output.bytes(), random);
        MemorySegment scales = output == QuantisedOutput.S32 ? null : scales(random.nextBoolean() ? 1 : channels);
        MemorySegment bias = random.nextBoolean() ? null : memory.random(channels, random);
        for (int i = 0; bias != null && output != QuantisedOutput.F32 && i < channels; i++) {
            bias.setAtIndex(INT, i, random.nextInt(10000) - 5000);
        }
        int zero = output == QuantisedOutput.U8 ? random.nextInt(256) : output == QuantisedOutput.S8 ? -3 : 0;
        boolean small = scales != null && random.nextBoolean();
        return new QuantisedResult(data, output, stride, scales, bias, Activation.NONE, zero, small);
    }

    private MemorySegment scales(int count) {
        MemorySegment scales = memory.random(count, random);
        for (int i = 0; i < count; i++) {
            scales.setAtIndex(FLOAT, i, (float) (0.0001 + random.nextDouble() * 0.001));
        }
        return scales;
    }

    /** Compares the result with sums of ints. */
    void check(String message) {
        int width = shape.width().out();
        for (long row = 0; row < shape.batch() * shape.outPixels(); row++) {
            long line = row / width;
            for (int channel = 0; channel < shape.outChannels(); channel++) {
                long sum = sum(line, (int) (row % width), channel);
                String where = message + ": channel " + channel + " of pixel " + row;
                check(sum, row * out.stride() + channel, channel, where);
            }
            if (row * out.stride() + out.stride()
                    <= before.byteSize() / out.output().bytes()) {
                long end = (row * out.stride() + shape.outChannels())
                        * out.output().bytes();
                long next = (row + 1) * out.stride() * out.output().bytes();
                if (MemorySegment.mismatch(before, end, next, out.data(), end, next) >= 0) {
                    throw new AssertionError(message + ": wrote between pixels");
                }
            }
        }
    }

    private long sum(long line, int x, int channel) {
        int y = (int) (line % shape.height().out());
        long plane = line / shape.height().out();
        int z = (int) (plane % shape.depth().out());
        long image = plane / shape.depth().out();
        int taps = shape.taps();
        int first = channel / shape.groupOutChannels() * shape.groupChannels();
        long sum = 0;
        for (int tap = 0; tap < taps; tap++) {
            int tapX = tap % shape.width().taps();
            int tapY = tap / shape.width().taps() % shape.height().taps();
            int inX = input(shape.width(), x, tapX);
            int inY = input(shape.height(), y, tapY);
            int inZ = input(
                    shape.depth(),
                    z,
                    tap / shape.width().taps() / shape.height().taps());
            for (int i = 0; i < shape.groupChannels() && inX >= 0 && inY >= 0 && inZ >= 0; i++) {
                long pixel =
                        ((image * shape.depth().in() + inZ) * shape.height().in() + inY)
                                        * shape.width().in()
                                + inX;
                int weight = element(weights, channel, i * taps + tap) - zero(weights, channel);
                sum += (long) (element(in, pixel, first + i) - zero(in, 0)) * weight;
            }
        }
        return sum;
    }

    private static int input(Axis axis, int output, int tap) {
        int input = axis.start(output) + tap * axis.dilation();
        return input < axis.in() ? input : -1;
    }

    private static int element(QuantisedMatrix matrix, long row, int column) {
        byte value = matrix.data().get(ValueLayout.JAVA_BYTE, row * matrix.stride() + column);
        return matrix.signed() ? value : value & 0xff;
    }

    private static int zero(QuantisedMatrix matrix, int row) {
        MemorySegment zeros = matrix.zeroPoints();
        if (zeros == null) {
            return 0;
        }
        byte value = zeros.get(ValueLayout.JAVA_BYTE, zeros.byteSize() == 1 ? 0 : row);
        return matrix.signed() ? value : value & 0xff;
    }

    private void check(long sum, long at, int channel, String where) {
        MemorySegment bias = out.bias();
        MemorySegment scales = out.scales();
        float scale = scales == null ? 1 : scales.getAtIndex(FLOAT, scales.byteSize() == 4 ? 0 : channel);
        int added = bias == null ? 0 : bias.getAtIndex(INT, channel);
        switch (out.output()) {
            case S32 -> same(sum + added, out.data().getAtIndex(INT, at), where);
            case F32 -> {
                double expected = (float) sum * scale + (bias == null ? 0 : bias.getAtIndex(FLOAT, channel));
                float got = out.data().getAtIndex(FLOAT, at);
                if (!(Math.abs(got - expected) <= 1e-5)) {
                    throw new AssertionError(where + " is " + got + ", not " + expected);
                }
            }
            default -> {
                boolean signed = out.output() == QuantisedOutput.S8;
                double rounded = Math.rint((float) (sum + added) * scale) + out.zeroPoint();
                byte got = out.data().get(ValueLayout.JAVA_BYTE, at);
                same(
                        (long) Math.clamp(rounded, signed ? -128 : 0, signed ? 127 : 255),
                        signed ? got : got & 0xff,
                        where);
            }
        }
    }

    private static void same(long expected, long got, String where) {
        if (expected != got) {
            throw new AssertionError(where + " is " + got + ", not " + expected);
        }
    }

    @Override
    public String toString() {
        return "%s in %s by %d, weights %s, out %s by %d zero %d"
                .formatted(
                        shape,
                        in.signed() ? "s8" : "u8",
                        in.stride(),
                        weights.signed() ? "s8" : "u8",
                        out.output(),
                        out.stride(),
                        out.zeroPoint());
    }
}
