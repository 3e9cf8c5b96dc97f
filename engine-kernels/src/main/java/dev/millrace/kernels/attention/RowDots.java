package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * f(Q, K, S, strides, depth, counts): {@code S[i][j] = Q[i] . K[j]} for few rows of Q, K being read once and as it lies.
 *
 * <p>strides is that of S | that of Q &lt;&lt; 32; depth is the depth | the stride of K &lt;&lt; 32; counts is keys |
 * rows of Q &lt;&lt; 32. Strides are in bytes.
 */
final class RowDots implements KernelFamily {
    static final String NAME = "attention.dots";
    /** Rows of K are fetched this many rows ahead. */
    private static final int PREFETCH_ROWS = 8;

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
        private final int lanes;
        private final ScalarVar q;
        private final ScalarVar k;
        private final ScalarVar s;
        private final ScalarVar strides;
        private final ScalarVar depth;
        private final ScalarVar counts;

        Writer(String name, Target target) {
            lanes = target.lanes();
            builder = new ProgramBuilder(name, target);
            q = builder.parameter("q");
            k = builder.parameter("k");
            s = builder.parameter("s");
            strides = builder.parameter("strides");
            depth = builder.parameter("depth");
            counts = builder.parameter("counts");
        }

        Program program() {
            ScalarVar keys = builder.low(counts, "keys");
            try (var _ = builder.loop(keys, lanes)) {
                group(lanes);
            }
            try (var _ = builder.loop(keys, 1)) {
                group(1);
            }
            return builder.build();
        }

        /** Some keys, all rows of Q. */
        private void group(int width) {
            ScalarVar row = builder.copy(q, "row");
            ScalarVar to = builder.copy(s, "to");
            ScalarVar rows = builder.high(counts, "rows");
            ScalarVar stride = builder.scalar("stride");
            try (var _ = builder.loop(rows, 1)) {
                VectorVar dots = dots(row, width);
                if (width == 1) {
                    builder.storeFirst(Address.at(to, 0), dots);
                } else {
                    builder.store(Address.at(to, 0), dots);
                }
                builder.scalar(stride, ScalarOp.SHR, strides, 32);
                builder.advance(row, stride);
                builder.scalar(stride, ScalarOp.SHL, strides, 32);
                builder.scalar(stride, ScalarOp.SHR, stride, 32);
                builder.advance(to, stride);
            }
            builder.scalar(stride, ScalarOp.SHR, depth, 32);
            builder.scalar(stride, ScalarOp.MUL, stride, width);
            builder.advance(k, stride);
            builder.advance(s, 4 * width);
        }

        private VectorVar dots(ScalarVar row, int width) {
            List<VectorVar> sums = new ArrayList<>();
            for (int i = 0; i < width; i++) {
                VectorVar sum = builder.vector("sum");
                builder.set(sum, Constant.ZERO);
                sums.add(sum);
            }
            ScalarVar left = builder.low(depth, "left");
            ScalarVar offset = builder.scalar("offset");
            builder.set(offset, 0);
            try (var _ = builder.loop(left, lanes)) {
                step(row, offset, sums, null);
                builder.advance(offset, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                step(row, offset, sums, builder.prefixMask(left));
            }
            if (width == 1) {
                return builder.reduce(BinaryOp.ADD, sums.getFirst());
            }
            List<VectorVar> parts = builder.transpose(sums);
            VectorVar total = parts.getFirst();
            for (VectorVar part : parts.subList(1, parts.size())) {
                total = builder.add(total, part);
            }
            return total;
        }

        private void step(ScalarVar row, ScalarVar offset, List<VectorVar> sums, @Nullable MaskVar mask) {
            VectorVar query = builder.load(Address.at(row, offset, 1, 0), mask);
            ScalarVar at = builder.scalar("at");
            builder.scalar(at, ScalarOp.ADD, k, offset);
            ScalarVar stride = builder.high(depth, "stride");
            for (VectorVar sum : sums) {
                builder.accumulate(sum, query, builder.load(Address.at(at, 0), mask));
                builder.prefetch(Address.at(at, stride, PREFETCH_ROWS, 0));
                builder.advance(at, stride);
            }
        }
    }
}
