package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;

/**
 * The kernel f(O, out, state, strides, columns, rows): divides each row of O by the sum of its weights. strides is that
 * of O | that of the output &lt;&lt; 32, in bytes.
 */
public final class FinishRows implements KernelFamily {
    public static final String NAME = "attention.finish";

    /** The result of rows in which no key takes part. */
    public enum Empty {
        ZEROS,
        NAN
    }

    public static KernelKey key(Empty empty) {
        return KernelKey.of(NAME).with("empty", empty);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("empty");
        Empty empty = key.oneOf("empty", Empty.values());
        int lanes = target.lanes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar o = builder.parameter("o");
        ScalarVar out = builder.parameter("out");
        ScalarVar state = builder.parameter("state");
        ScalarVar strides = builder.parameter("strides");
        ScalarVar columns = builder.parameter("columns");
        ScalarVar rows = builder.parameter("rows");
        ScalarVar fromStride = builder.low(strides, "fromStride");
        ScalarVar toStride = builder.high(strides, "toStride");
        try (var _ = builder.loop(rows, 1)) {
            VectorVar sum = builder.reduce(BinaryOp.ADD, builder.load(Address.at(state, 2 * target.vectorBytes())));
            VectorVar factor = builder.div(Constant.of(1), sum);
            if (empty == Empty.ZEROS) {
                factor = builder.select(builder.compare(Comparison.EQUAL, sum, Constant.ZERO), Constant.ZERO, factor);
            }
            ScalarVar from = builder.copy(o, "from");
            ScalarVar to = builder.copy(out, "to");
            ScalarVar left = builder.copy(columns, "left");
            try (var _ = builder.loop(left, lanes)) {
                builder.store(Address.at(to, 0), builder.mul(builder.load(Address.at(from, 0)), factor));
                builder.advance(from, 4 * lanes);
                builder.advance(to, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                builder.store(
                        Address.at(to, 0),
                        builder.mul(builder.load(Address.at(from, 0)), factor),
                        builder.prefixMask(left));
            }
            builder.advance(o, fromStride);
            builder.advance(out, toStride);
            builder.advance(state, ScoreRows.STATE_VECTORS * target.vectorBytes());
        }
        return builder.build();
    }
}
