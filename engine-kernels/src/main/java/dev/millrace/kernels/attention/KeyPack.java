package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.LaneSums;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.List;

/**
 * f(from, to, from stride, to stride, depth, count): transposes up to as many rows as there are lanes; each column
 * becomes a vector, its lanes from count on being zero. Strides are in bytes.
 */
final class KeyPack implements KernelFamily {
    static final String NAME = "attention.keys";

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        int lanes = target.lanes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar from = builder.parameter("from");
        ScalarVar to = builder.parameter("to");
        ScalarVar fromStride = builder.parameter("fromStride");
        ScalarVar toStride = builder.parameter("toStride");
        ScalarVar depth = builder.parameter("depth");
        ScalarVar count = builder.parameter("count");
        ScalarVar missing = builder.scalar("missing");
        builder.scalar(missing, ScalarOp.SUB, count, lanes);
        ScalarVar squares = builder.copy(depth, "squares");
        try (var _ = builder.ifNotZero(missing)) {
            builder.set(squares, 0);
        }
        builder.scalar(depth, ScalarOp.SUB, depth, squares);
        try (var _ = builder.loop(squares, lanes)) {
            ScalarVar row = builder.copy(from, "row");
            List<VectorVar> rows = new ArrayList<>();
            for (int i = 0; i < lanes; i++) {
                rows.add(builder.load(Address.at(row, 0)));
                builder.advance(row, fromStride);
            }
            for (VectorVar column : builder.transpose(rows)) {
                builder.store(Address.at(to, 0), column);
                builder.advance(to, toStride);
            }
            builder.advance(from, 4 * lanes);
        }
        builder.scalar(depth, ScalarOp.ADD, depth, squares);
        ScalarVar wordStride = builder.scalar("wordStride");
        builder.scalar(wordStride, ScalarOp.SHR, fromStride, 2);
        VectorVar indices =
                builder.binary(BinaryOp.INT_MUL, LaneSums.laneNumbers(builder), builder.broadcast(wordStride));
        MaskVar mask = builder.prefixMask(count);
        try (var _ = builder.loop(depth, 1)) {
            builder.store(Address.at(to, 0), builder.gather(from, indices, mask));
            builder.advance(from, 4);
            builder.advance(to, toStride);
        }
        return builder.build();
    }
}
