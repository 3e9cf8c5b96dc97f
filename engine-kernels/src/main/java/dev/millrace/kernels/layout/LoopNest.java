package dev.millrace.kernels.layout;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;

/**
 * The arguments that all kernels of copies have: f(to, from, strides, inner, middle, outer). The last three are how
 * often the loops run; strides is a block of six numbers, in bytes: of the inner, middle and outer loop, each first
 * where elements are written, then where they are read.
 */
final class LoopNest {
    static final int STRIDES = 6;

    private final ProgramBuilder builder;
    private final ScalarVar strides;

    final ScalarVar to;
    final ScalarVar from;
    final ScalarVar inner;
    final ScalarVar middle;
    final ScalarVar outer;

    LoopNest(ProgramBuilder builder) {
        this.builder = builder;
        to = builder.parameter("to");
        from = builder.parameter("from");
        strides = builder.parameter("strides");
        inner = builder.parameter("inner");
        middle = builder.parameter("middle");
        outer = builder.parameter("outer");
    }

    ScalarVar innerTo() {
        return stride(0, "innerTo");
    }

    ScalarVar middleTo() {
        return stride(2, "middleTo");
    }

    ScalarVar middleFrom() {
        return stride(3, "middleFrom");
    }

    private ScalarVar stride(int number, String name) {
        return builder.loadLong(Address.at(strides, Long.BYTES * number), name);
    }

    /** Moves both pointers to the next turn of the outer loop. */
    void nextOuter() {
        builder.advance(to, stride(4, "outerTo"));
        builder.advance(from, stride(5, "outerFrom"));
    }

    /** {@code pointer += factor * stride} */
    void advance(ScalarVar pointer, ScalarVar stride, ScalarVar factor) {
        ScalarVar bytes = builder.scalar("bytes");
        builder.scalar(bytes, ScalarOp.MUL, stride, factor);
        builder.advance(pointer, bytes);
    }
}
