package dev.millrace.kernels.layout;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/**
 * Runs that repeat one element each: a {@link LoopNest} whose inner loop is over the bytes of a run, at least as many as
 * a vector has. The parameter {@code bytes} is the size of an element.
 */
final class RunFill implements KernelFamily {
    static final String NAME = "layout.fill";
    private static final String BYTES = "bytes";

    static KernelKey key(int bytes) {
        return KernelKey.of(NAME).with(BYTES, bytes);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas(BYTES);
        int bytes = key.powerOfTwo(BYTES, Long.BYTES);
        var builder = new ProgramBuilder(key.toString(), target);
        var nest = new LoopNest(builder);
        int vectorBytes = target.vectorBytes();
        ScalarVar middleTo = nest.middleTo();
        ScalarVar middleFrom = nest.middleFrom();
        try (var _ = builder.loop(nest.outer, 1)) {
            ScalarVar row = builder.copy(nest.to, "row");
            ScalarVar from = builder.copy(nest.from, "rowFrom");
            ScalarVar left = builder.copy(nest.middle, "left");
            try (var _ = builder.loop(left, 1)) {
                VectorVar repeated = repeated(builder, from, bytes);
                ScalarVar to = builder.copy(row, "to");
                ScalarVar run = builder.copy(nest.inner, "bytes");
                try (var _ = builder.loop(run, vectorBytes)) {
                    builder.store(Address.at(to, 0), repeated);
                    builder.advance(to, vectorBytes);
                }
                try (var _ = builder.ifNotZero(run)) {
                    builder.scalar(run, ScalarOp.SUB, run, vectorBytes);
                    builder.store(Address.at(to, run, 1, 0), repeated);
                }
                builder.advance(row, middleTo);
                builder.advance(from, middleFrom);
            }
            nest.nextOuter();
        }
        return builder.build();
    }

    private static VectorVar repeated(ProgramBuilder builder, ScalarVar from, int bytes) {
        return switch (bytes) {
            case 1 -> {
                VectorVar element = builder.broadcast(Element.U8, Address.at(from, 0));
                yield builder.binary(BinaryOp.INT_MUL, element, Constant.ofBits(0x01010101));
            }
            case 2 -> {
                VectorVar element = builder.broadcast(Element.U16, Address.at(from, 0));
                VectorVar upper = builder.binary(BinaryOp.SHIFT_LEFT, element, Constant.ofBits(16));
                yield builder.binary(BinaryOp.OR, element, upper);
            }
            case 4 -> builder.broadcast(Address.at(from, 0));
            default -> {
                VectorVar lower = builder.broadcast(Address.at(from, 0));
                yield builder.binary(BinaryOp.INTERLEAVE_LOW, lower, builder.broadcast(Address.at(from, 4)));
            }
        };
    }
}
