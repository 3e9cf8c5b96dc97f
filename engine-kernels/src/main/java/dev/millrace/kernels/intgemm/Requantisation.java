package dev.millrace.kernels.intgemm;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * How scaled sums become bytes: rounded to nearest even, a zero point being added, saturated. Kernels find what they
 * need for it in a few words of a block of memory.
 */
public final class Requantisation {
    /** What the words take in a block. */
    public static final int BYTES = 12;

    private static final int ZERO = 0;
    /** The least and the greatest float that do not saturate. */
    private static final int LEAST = 4;

    private static final int MOST = 8;

    private Requantisation() {}

    /** Puts the words of a result into a block. */
    public static void put(QuantisedResult result, MemorySegment block, long at) {
        QuantisedOutput output = result.output();
        block.set(ValueLayout.JAVA_INT_UNALIGNED, at + ZERO, result.zeroPoint());
        block.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at + LEAST, output.least() - result.zeroPoint());
        block.set(ValueLayout.JAVA_FLOAT_UNALIGNED, at + MOST, output.most() - result.zeroPoint());
    }

    /** Writes the steps from a scaled sum to an int whose lowest 8 bits are the byte. */
    public static VectorVar write(ProgramBuilder builder, VectorVar value, ScalarVar block, int at) {
        VectorVar notBelow = builder.max(value, builder.spread(Address.at(block, at + LEAST)));
        VectorVar within = builder.min(notBelow, builder.spread(Address.at(block, at + MOST)));
        VectorVar zero = builder.spread(Address.at(block, at + ZERO));
        return builder.binary(BinaryOp.INT_ADD, builder.unary(UnaryOp.TO_INT, within), zero);
    }
}
