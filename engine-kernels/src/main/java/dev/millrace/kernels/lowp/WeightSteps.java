package dev.millrace.kernels.lowp;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;

/** Writes steps that read a block of stored weights of a panel. */
final class WeightSteps {
    private static final int WORD = 32;

    /**
     * How far ahead weights are fetched: memory is slow, and a row reads every weight once. Four times as far, each
     * line would be in a page that is not known yet, and cost half of the speed on an AMD processor with AVX-512.
     */
    private static final int PREFETCH = 1024;

    /** Bytes of a line of the caches. */
    private static final int LINE = 64;

    private final ProgramBuilder builder;
    private final WeightFormat format;
    private final int vectors;
    private final int lanes;

    WeightSteps(ProgramBuilder builder, WeightFormat format, int vectors) {
        this.builder = builder;
        this.format = format;
        this.vectors = vectors;
        lanes = builder.target().lanes();
    }

    VectorVar scale(ScalarVar block, int vector) {
        Address at = Address.at(block, format.scaleBytes() * lanes * vector);
        return format.halfScales() ? builder.load(Element.F16, at, null) : builder.load(at);
    }

    VectorVar zero(ScalarVar block, int vector) {
        return builder.load(Address.at(block, lanes * (format.scaleBytes() * vectors + Float.BYTES * vector)));
    }

    /** Bytes of scales and zero points. */
    int termBytes() {
        return lanes * vectors * format.termBytes();
    }

    /** Bytes of a row of groups. */
    int groupBytes() {
        return format.type().groupBytes() * lanes * vectors;
    }

    /** Some weights of each column, as they are stored; {@code at} is where the row of groups begins. */
    VectorVar group(ScalarVar at, int displacement, int vector) {
        int start = displacement + format.type().groupBytes() * lanes * vector;
        Element element = format.type() == WeightType.F16 ? Element.F16 : Element.WORD;
        return builder.load(element, Address.at(at, start), null);
    }

    /** Fetches a row of groups of a later block; {@code at} is where the row of this one begins. */
    void fetch(ScalarVar at, int displacement) {
        for (int line = 0; line < groupBytes(); line += LINE) {
            builder.prefetchForLater(Address.at(at, displacement + PREFETCH + line));
        }
    }

    /** One weight of each column as a float, the middle of the numbers being 0; not scaled. */
    VectorVar weight(VectorVar group, int index) {
        return switch (format.type()) {
            case F16 -> group;
            case BF16 ->
                index == 0
                        ? builder.binary(BinaryOp.SHIFT_LEFT, group, Constant.ofBits(16))
                        : builder.binary(BinaryOp.AND, group, Constant.ofBits(0xffff0000));
            case INT4, INT8 -> builder.unary(UnaryOp.TO_FLOAT, number(group, index));
        };
    }

    private VectorVar number(VectorVar group, int index) {
        int bits = WORD / format.type().group();
        int toTheLeft = WORD - bits * (index + 1);
        VectorVar left =
                toTheLeft == 0 ? group : builder.binary(BinaryOp.SHIFT_LEFT, group, Constant.ofBits(toTheLeft));
        return builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, left, Constant.ofBits(WORD - bits));
    }
}
