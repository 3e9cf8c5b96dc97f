package dev.millrace.kernels.gather;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Interleaving;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.VectorVar;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Writes how indices are read, those below 0 counting from a limit, and checked: one that is out of range is remembered,
 * and another one, which is in range, takes its place.
 */
final class IndexReader {
    private final ProgramBuilder builder;
    private final boolean wide;
    private final VectorVar limit;
    private final VectorVar last;
    private final VectorVar wrong;

    /**
     * A reader.
     *
     * @param wide whether indices have 64 bits
     * @param limit in all lanes, more than 0
     */
    IndexReader(ProgramBuilder builder, boolean wide, VectorVar limit) {
        this.builder = builder;
        this.wide = wide;
        this.limit = limit;
        last = builder.binary(BinaryOp.INT_SUB, limit, Constant.ofBits(1));
        wrong = builder.vector("wrong");
        builder.set(wrong, Constant.ZERO);
    }

    /** Bytes from one index to the next where they lie side by side. */
    int bytes() {
        return wide ? Long.BYTES : Integer.BYTES;
    }

    /** Indices that lie side by side: as many as there are lanes, or fewer if a number is given. */
    VectorVar read(ScalarVar indices, @Nullable ScalarVar count) {
        if (!wide) {
            return checked(
                    builder.load(Address.at(indices, 0), count == null ? null : builder.prefixMask(count)), null);
        }
        List<VectorVar> halves =
                new Interleaving(builder, 2).apart(List.of(words(indices, 0, count), words(indices, 1, count)));
        return checked(halves.get(0), halves.get(1));
    }

    private VectorVar words(ScalarVar indices, int vector, @Nullable ScalarVar count) {
        int lanes = builder.target().lanes();
        MaskVar mask = null;
        if (count != null) {
            ScalarVar words = builder.scalar("words");
            builder.scalar(words, ScalarOp.SHL, count, 1);
            builder.scalar(words, ScalarOp.SUB, words, vector * lanes);
            builder.scalar(words, ScalarOp.MAX, words, 0);
            builder.scalar(words, ScalarOp.MIN, words, lanes);
            mask = builder.prefixMask(words);
        }
        return builder.load(Address.at(indices, 4 * lanes * vector), mask);
    }

    /** Indices that lie apart, at some places counted in words. */
    VectorVar read(ScalarVar indices, VectorVar places, @Nullable MaskVar mask) {
        VectorVar lower = builder.gather(indices, places, mask);
        if (!wide) {
            return checked(lower, null);
        }
        ScalarVar upper = builder.copy(indices, "upper");
        builder.advance(upper, Integer.BYTES);
        return checked(lower, builder.gather(upper, places, mask));
    }

    /** The upper half of an index must be nothing but the sign of the lower one. */
    private VectorVar checked(VectorVar lower, @Nullable VectorVar upper) {
        VectorVar sign = builder.binary(BinaryOp.SHIFT_RIGHT_SIGNED, lower, Constant.ofBits(31));
        VectorVar index = builder.binary(BinaryOp.INT_ADD, lower, builder.binary(BinaryOp.AND, sign, limit));
        VectorVar inside =
                builder.binary(BinaryOp.INT_MAX, builder.binary(BinaryOp.INT_MIN, index, last), Constant.ZERO);
        builder.binary(wrong, BinaryOp.OR, wrong, builder.binary(BinaryOp.XOR, index, inside));
        if (upper != null) {
            builder.binary(wrong, BinaryOp.OR, wrong, builder.binary(BinaryOp.XOR, upper, sign));
        }
        return inside;
    }

    /** Writes a word that is 0 if all indices were in range. */
    void storeWrong(ScalarVar to) {
        MaskVar fine = builder.compare(Comparison.INT_EQUAL, wrong, Constant.ZERO);
        VectorVar bad = builder.select(fine, Constant.ZERO, Constant.ofBits(1));
        builder.storeFirst(Address.at(to, 0), builder.reduce(BinaryOp.INT_ADD, bad));
    }
}
