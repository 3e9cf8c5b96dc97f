package dev.millrace.kernels.conv.bytes;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.lowp.QuantisedOutput;
import dev.millrace.kernels.lowp.Requantisation;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The writer of the program of one {@link DepthwiseTile}. */
final class DepthwiseTileWriter {
    /** The number of neighbouring columns that are addressed from one pointer. */
    static final int COLUMNS = 3;

    private final ProgramBuilder builder;
    private final DepthwiseTile.Variant variant;
    private final int vectorBytes;
    private final ScalarVar in;
    private final ScalarVar weights;
    private final ScalarVar out;
    private final ScalarVar arguments;
    private final ScalarVar counts;
    private final ScalarVar channel;
    private final ScalarVar pitch;
    /** Bytes between groups of columns that are addressed from one pointer. */
    private final ScalarVar pitches;

    DepthwiseTileWriter(String name, Target target, DepthwiseTile.Variant variant) {
        this.variant = variant;
        vectorBytes = target.vectorBytes();
        builder = new ProgramBuilder(name, target);
        in = builder.parameter("in");
        weights = builder.parameter("weights");
        out = builder.parameter("out");
        arguments = builder.parameter("arguments");
        counts = builder.parameter("counts");
        channel = builder.parameter("channel");
        pitch = argument(DepthwiseArguments.PITCH);
        pitches = builder.scalar("pitches");
        builder.scalar(pitches, ScalarOp.MUL, pitch, COLUMNS);
    }

    private ScalarVar argument(int at) {
        return builder.loadLong(Address.at(arguments, at), "argument");
    }

    Program program() {
        ScalarVar blocks = builder.high(counts, "blocks");
        try (var _ = builder.loop(blocks, 1)) {
            VectorVar start = start();
            ScalarVar tiles = builder.low(counts, "tiles");
            try (var _ = builder.loop(tiles, 1)) {
                VectorVar[] sums = sums(start);
                finish(sums);
                builder.advance(in, argument(DepthwiseArguments.IN_TILE));
            }
            builder.advance(in, argument(DepthwiseArguments.IN_BLOCK));
            builder.advance(weights, argument(DepthwiseArguments.WEIGHTS));
            builder.advance(out, argument(DepthwiseArguments.OUT_BLOCK));
            builder.advance(channel, vectorBytes);
        }
        return builder.build();
    }

    private @Nullable MaskVar mask() {
        return variant.masked() ? builder.prefixMask(argument(DepthwiseArguments.TAIL)) : null;
    }

    /** Returns the initial value of all sums of a block of channels. */
    private VectorVar start() {
        VectorVar zero = builder.unary(
                UnaryOp.TO_FLOAT, builder.broadcast(element(), Address.at(argument(DepthwiseArguments.ZERO_OF_IN), 0)));
        VectorVar start = builder.sub(Constant.ZERO, builder.mul(zero, builder.load(Address.at(weights, 0))));
        if (variant.small()) {
            VectorVar bias = builder.unary(UnaryOp.TO_FLOAT, term(DepthwiseArguments.BIAS, mask()));
            start = builder.add(start, bias);
        }
        return start;
    }

    private VectorVar[] sums(VectorVar start) {
        VectorVar[] sums = new VectorVar[variant.pixels()];
        for (int pixel = 0; pixel < sums.length; pixel++) {
            sums[pixel] = builder.vector("sum");
            builder.set(sums[pixel], start);
        }
        ScalarVar from = builder.copy(in, "from");
        ScalarVar weight = builder.copy(weights, "weight");
        builder.advance(weight, vectorBytes);
        ScalarVar rows = argument(DepthwiseArguments.ROWS);
        try (var _ = builder.loop(rows, 1)) {
            columns(from, weight, sums);
            builder.advance(from, argument(DepthwiseArguments.IN_ROW));
            builder.advance(weight, variant.taps() * vectorBytes);
        }
        return sums;
    }

    /** Adds up one row of taps for all pixels. Each input is read once. */
    private void columns(ScalarVar from, ScalarVar weight, VectorVar[] sums) {
        VectorVar[] row = new VectorVar[variant.taps()];
        for (int tap = 0; tap < row.length; tap++) {
            row[tap] = builder.load(Address.at(weight, tap * vectorBytes));
        }
        for (int column = 0; column < variant.columns(); column++) {
            if (column > 0 && column % COLUMNS == 0) {
                builder.advance(from, pitches);
            }
            @Nullable VectorVar input = null;
            for (int tap = 0; tap < row.length; tap++) {
                int start = column - tap * variant.dilation();
                int pixel = start / variant.stride();
                if (start < 0 || start % variant.stride() != 0 || pixel >= sums.length) {
                    continue;
                }
                if (input == null) {
                    input = input(from, column % COLUMNS);
                }
                builder.accumulate(sums[pixel], input, row[tap]);
            }
        }
    }

    private Element element() {
        return variant.signed() ? Element.S8 : Element.U8;
    }

    private VectorVar input(ScalarVar from, int column) {
        Address at = column == 0 ? Address.at(from, 0) : Address.at(from, pitch, column, 0);
        return builder.unary(UnaryOp.TO_FLOAT, builder.load(element(), at, null));
    }

    private void finish(VectorVar[] sums) {
        MaskVar mask = mask();
        @Nullable VectorVar bias = variant.bias() && !variant.small() ? term(DepthwiseArguments.BIAS, mask) : null;
        @Nullable VectorVar factor = variant.output() == QuantisedOutput.S32 ? null : factor(mask);
        ScalarVar outPitch = argument(DepthwiseArguments.OUT_PITCH);
        if (factor != null && variant.output().isQuantised()) {
            requantise(sums, factor, bias, mask, outPitch);
            return;
        }
        for (VectorVar sum : sums) {
            Address to = Address.at(out, 0);
            if (factor == null) {
                builder.store(to, withBias(builder.unary(UnaryOp.TO_INT, sum), bias), mask);
            } else {
                builder.store(to, dequantised(builder.mul(sum, factor), bias), mask);
            }
            builder.advance(out, outPitch);
        }
    }

    /** Requantises and stores the bytes of several pixels at once where the block of channels is full. */
    private void requantise(
            VectorVar[] sums, VectorVar factor, @Nullable VectorVar bias, @Nullable MaskVar mask, ScalarVar outPitch) {
        ScalarVar outPitch3 = builder.scalar("outPitch3");
        builder.scalar(outPitch3, ScalarOp.MUL, outPitch, 3);
        Address[] pixels = {
            Address.at(out, 0),
            Address.at(out, outPitch, 1, 0),
            Address.at(out, outPitch, 2, 0),
            Address.at(out, outPitch3, 1, 0)
        };
        int block = DepthwiseArguments.REQUANTISATION;
        boolean toSigned = variant.output() == QuantisedOutput.S8;
        var packing = new Requantisation.Packing(builder, arguments, block, toSigned, variant.cut());
        for (int pixel = 0; pixel < sums.length; ) {
            int together = mask == null ? Requantisation.together(builder, sums.length - pixel) : 1;
            VectorVar[] values = new VectorVar[together];
            for (int i = 0; i < together; i++) {
                VectorVar sum = sums[pixel + i];
                values[i] = builder.mul(bias == null ? sum : floatWithBias(sum, bias), factor);
            }
            if (together > 1) {
                packing.store(values, Arrays.copyOf(pixels, together));
            } else {
                builder.store(Element.U8, pixels[0], Requantisation.write(builder, values[0], arguments, block), mask);
            }
            for (int i = 0; i < together; i++) {
                builder.advance(out, outPitch);
            }
            pixel += together;
        }
    }

    private VectorVar term(int pointer, @Nullable MaskVar mask) {
        return builder.load(Address.at(argument(pointer), channel, 1, 0), mask);
    }

    private VectorVar factor(@Nullable MaskVar mask) {
        VectorVar scale = variant.scales()
                ? term(DepthwiseArguments.SCALES, mask)
                : builder.broadcast(Address.at(argument(DepthwiseArguments.SCALES), 0));
        return builder.mul(builder.broadcast(Address.at(argument(DepthwiseArguments.SCALE_OF_IN), 0)), scale);
    }

    private VectorVar withBias(VectorVar sum, @Nullable VectorVar bias) {
        return bias == null ? sum : builder.binary(BinaryOp.INT_ADD, sum, bias);
    }

    /** Adds an int bias that has more digits than a float to the sum as an int. */
    private VectorVar floatWithBias(VectorVar sum, VectorVar bias) {
        return builder.unary(UnaryOp.TO_FLOAT, withBias(builder.unary(UnaryOp.TO_INT, sum), bias));
    }

    private VectorVar dequantised(VectorVar scaled, @Nullable VectorVar bias) {
        VectorVar value = bias == null ? scaled : builder.add(scaled, bias);
        return variant.relu() ? builder.max(Constant.ZERO, value) : value;
    }
}
