package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/**
 * The kernel f(B, packed, fours, strides, vectors, indices): copies columns of bytes into a panel, in quads of four
 * elements along K, or of eight elements of 4 bits. fours counts the whole quads, vectors the whole vectors of columns.
 *
 * <p>If neighbours along the columns are contiguous in B, strides is the step from row to row | that from quad to quad
 * of the panel &lt;&lt; 32, in bytes, and indices is unused. If neighbours along K are contiguous, the first stride is
 * that of a vector of columns, and indices holds the offsets of the columns of a vector, in words.
 */
final class PackQuads implements KernelFamily {
    static final String NAME = "gemm.s8.pack";

    /** The bits that are inverted, so that unsigned numbers become signed ones. */
    enum Turned {
        NONE(0),
        BYTES(0x80808080),
        HALVES_OF_BYTES(0x88888888);

        private final int bits;

        Turned(int bits) {
            this.bits = bits;
        }
    }

    /** @param gathered whether neighbours along K are contiguous in B */
    record Variant(Turned turned, boolean gathered) {
        KernelKey key() {
            return KernelKey.of(NAME).with("turned", turned).with("gathered", gathered ? 1 : 0);
        }
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("turned", "gathered");
        var variant = new Variant(key.oneOf("turned", Turned.values()), key.number("gathered", 0, 1) == 1);
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar b = builder.parameter("b");
        ScalarVar packed = builder.parameter("packed");
        ScalarVar fours = builder.parameter("fours");
        ScalarVar strides = builder.parameter("strides");
        ScalarVar vectors = builder.parameter("vectors");
        ScalarVar indices = builder.parameter("indices");
        ScalarVar stride = builder.low(strides, "stride");
        ScalarVar packedStride = builder.high(strides, "packedStride");
        try (var _ = builder.loop(vectors, 1)) {
            ScalarVar from = builder.copy(b, "from");
            ScalarVar to = builder.copy(packed, "to");
            ScalarVar left = builder.copy(fours, "left");
            try (var _ = builder.loop(left, 1)) {
                VectorVar four = variant.gathered ? gathered(builder, from, indices) : joined(builder, from, stride);
                builder.store(Address.at(to, 0), turned(builder, four, variant.turned));
                builder.advance(to, packedStride);
            }
            if (variant.gathered) {
                builder.advance(b, stride);
            } else {
                builder.advance(b, target.lanes());
            }
            builder.advance(packed, target.vectorBytes());
        }
        return builder.build();
    }

    private static VectorVar turned(ProgramBuilder builder, VectorVar four, Turned turned) {
        return turned == Turned.NONE ? four : builder.binary(BinaryOp.XOR, four, Constant.ofBits(turned.bits));
    }

    private static VectorVar gathered(ProgramBuilder builder, ScalarVar from, ScalarVar indices) {
        VectorVar four = builder.gather(from, builder.load(Address.at(indices, 0)), null);
        builder.advance(from, Integer.BYTES);
        return four;
    }

    /** Returns the quads of four rows. */
    private static VectorVar joined(ProgramBuilder builder, ScalarVar from, ScalarVar stride) {
        VectorVar four = builder.load(Element.U8, Address.at(from, 0), null);
        builder.advance(from, stride);
        for (int i = 1; i < Integer.BYTES; i++) {
            VectorVar next = builder.load(Element.U8, Address.at(from, 0), null);
            builder.advance(from, stride);
            VectorVar moved = builder.binary(BinaryOp.SHIFT_LEFT, next, Constant.ofBits(Byte.SIZE * i));
            four = builder.binary(BinaryOp.OR, four, moved);
        }
        return four;
    }
}
