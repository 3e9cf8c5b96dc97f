package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * f(P, V, O, strides, sizes, V's stride): {@code O[i] += sum over j of P[i][j] V[j]} for few rows of P and a strip of
 * columns, V being read as it lies.
 *
 * <p>strides is that of P | that of O &lt;&lt; 32, all in bytes; sizes is rows of V | lanes of the last vector &lt;&lt;
 * 32 (masked kernels only). The rows of O are whole vectors.
 */
final class WeightedRows implements KernelFamily {
    static final int MAX_ROWS = 4;
    static final int MAX_VECTORS = 8;
    static final String NAME = "attention.values";
    private static final int PREFETCH_ROWS = 8;
    private static final int CACHE_LINE = 64;

    /** @param masked whether the last vector of a row of V is read in part */
    static KernelKey key(int rows, int vectors, boolean masked) {
        return KernelKey.of(NAME).with("rows", rows).with("vectors", vectors).with("masked", masked ? 1 : 0);
    }

    /** How wide a strip can be for so many rows. */
    static int widest(int rows) {
        return MAX_VECTORS / rows;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("rows", "vectors", "masked");
        int rows = key.number("rows", 1, MAX_ROWS);
        int vectors = key.number("vectors", 1, widest(rows));
        boolean masked = key.number("masked", 0, 1) == 1;
        int bytes = target.vectorBytes();
        ProgramBuilder builder = new ProgramBuilder(key.toString(), target);
        ScalarVar p = builder.parameter("p");
        ScalarVar v = builder.parameter("v");
        ScalarVar o = builder.parameter("o");
        ScalarVar strides = builder.parameter("strides");
        ScalarVar sizes = builder.parameter("sizes");
        ScalarVar stride = builder.parameter("stride");
        ScalarVar weightStride = builder.low(strides, "weightStride");
        ScalarVar sumStride = builder.high(strides, "sumStride");
        ScalarVar keys = builder.low(sizes, "keys");
        MaskVar mask = masked ? builder.prefixMask(builder.high(sizes, "tail")) : null;
        VectorVar[][] sums = new VectorVar[rows][vectors];
        ScalarVar row = builder.copy(o, "row");
        for (VectorVar[] ofRow : sums) {
            for (int j = 0; j < vectors; j++) {
                ofRow[j] = builder.load(Address.at(row, j * bytes));
            }
            builder.advance(row, sumStride);
        }
        ScalarVar weight = builder.scalar("weight");
        ScalarVar ahead = builder.scalar("ahead");
        builder.scalar(ahead, ScalarOp.MUL, stride, PREFETCH_ROWS);
        try (var _ = builder.loop(keys, 1)) {
            builder.set(weight, p);
            VectorVar[] weights = new VectorVar[rows];
            for (int i = 0; i < rows; i++) {
                weights[i] = builder.broadcast(Address.at(weight, 0));
                builder.advance(weight, weightStride);
            }
            for (int j = 0; j < vectors; j++) {
                VectorVar value = builder.load(Address.at(v, j * bytes), maskOf(j, vectors, mask));
                if (j * bytes % CACHE_LINE == 0) {
                    builder.prefetch(Address.at(v, ahead, 1, j * bytes));
                }
                for (int i = 0; i < rows; i++) {
                    builder.accumulate(sums[i][j], weights[i], value);
                }
            }
            builder.advance(p, 4);
            builder.advance(v, stride);
        }
        for (VectorVar[] ofRow : sums) {
            for (int j = 0; j < vectors; j++) {
                builder.store(Address.at(o, j * bytes), ofRow[j]);
            }
            builder.advance(o, sumStride);
        }
        return builder.build();
    }

    private static @Nullable MaskVar maskOf(int vector, int vectors, @Nullable MaskVar mask) {
        return vector == vectors - 1 ? mask : null;
    }
}
