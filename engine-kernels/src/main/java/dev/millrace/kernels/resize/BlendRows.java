package dev.millrace.kernels.resize;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * f(table, from, to, results, taps, width in bytes): each result is a row of floats, the sum of some rows of from by
 * their weights. The table has a pair for each tap of each result: the number of a row as an int, and a weight.
 */
final class BlendRows implements KernelFamily {
    static final int TAP_BYTES = 8;
    static final String NAME = "resize.rows";
    private static final int UNROLL = 4;

    static KernelKey key() {
        return KernelKey.of(NAME);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas();
        return new Writer(key.toString(), target).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final ScalarVar table;
        private final ScalarVar from;
        private final ScalarVar to;
        private final ScalarVar results;
        private final ScalarVar taps;
        private final ScalarVar width;
        private final ScalarVar offset;

        Writer(String name, Target target) {
            builder = new ProgramBuilder(name, target);
            table = builder.parameter("table");
            from = builder.parameter("from");
            to = builder.parameter("to");
            results = builder.parameter("results");
            taps = builder.parameter("taps");
            width = builder.parameter("width");
            offset = builder.scalar("offset");
        }

        Program program() {
            int bytes = builder.target().vectorBytes();
            try (var _ = builder.loop(results, 1)) {
                builder.set(offset, 0);
                ScalarVar left = builder.copy(width, "left");
                try (var _ = builder.loop(left, UNROLL * bytes)) {
                    blend(UNROLL, null);
                    builder.advance(offset, UNROLL * bytes);
                }
                try (var _ = builder.loop(left, bytes)) {
                    blend(1, null);
                    builder.advance(offset, bytes);
                }
                try (var _ = builder.ifNotZero(left)) {
                    builder.scalar(left, ScalarOp.SHR, left, 2);
                    blend(1, builder.prefixMask(left));
                }
                builder.advance(to, width);
                ScalarVar entry = builder.scalar("entry");
                builder.scalar(entry, ScalarOp.MUL, taps, TAP_BYTES);
                builder.advance(table, entry);
            }
            return builder.build();
        }

        private void blend(int vectors, @Nullable MaskVar mask) {
            int bytes = builder.target().vectorBytes();
            VectorVar[] sums = new VectorVar[vectors];
            for (int i = 0; i < vectors; i++) {
                sums[i] = builder.vector("sum");
                builder.set(sums[i], Constant.ZERO);
            }
            ScalarVar tap = builder.copy(table, "tap");
            ScalarVar tapsLeft = builder.copy(taps, "tapsLeft");
            try (var _ = builder.loop(tapsLeft, 1)) {
                ScalarVar row = builder.loadInt(Address.at(tap, 0), "row");
                builder.scalar(row, ScalarOp.MUL, row, width);
                builder.scalar(row, ScalarOp.ADD, row, from);
                VectorVar weight = builder.broadcast(Address.at(tap, 4));
                for (int i = 0; i < vectors; i++) {
                    builder.accumulate(sums[i], weight, builder.load(Address.at(row, offset, 1, i * bytes), mask));
                }
                builder.advance(tap, TAP_BYTES);
            }
            for (int i = 0; i < vectors; i++) {
                builder.store(Address.at(to, offset, 1, i * bytes), sums[i], mask);
            }
        }
    }
}
