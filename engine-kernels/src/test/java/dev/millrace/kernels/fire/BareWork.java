package dev.millrace.kernels.fire;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.gemm.Matrix;
import dev.millrace.kernels.norm.ChannelNorm;
import dev.millrace.kernels.norm.NormRows;
import dev.millrace.kernels.norm.RowNorm;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.kernels.reduce.Reduction;
import dev.millrace.kernels.softmax.Softmax;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** The work of a driver from rows of floats to as many floats or fewer. */
record BareWork(String name, Driver driver) {
    private static final int WIDTH = 96;
    private static final float EPSILON = 1e-5f;

    @FunctionalInterface
    interface Driver {
        void run(MemorySegment in, MemorySegment out, int rows, Parallel threads);
    }

    long bytes(int rows) {
        return Float.BYTES * (long) WIDTH * rows;
    }

    void run(MemorySegment in, MemorySegment out, int rows, Parallel threads) {
        driver.run(in, out, rows, threads);
    }

    static List<BareWork> all(KernelSet kernels) {
        var norm = new RowNorm(kernels, new NormRows.Variant(true, false, false, false, false), EPSILON);
        var channels = new ChannelNorm(kernels);
        Softmax softmax = Softmax.of(kernels);
        var tanh = new Elementwise(kernels, Expr.input(0).apply(FloatFunction.TANH), DataType.F32);
        MemorySegment ones = numbers(WIDTH);
        return List.of(
                new BareWork(
                        "norm of rows",
                        (in, out, rows, threads) -> norm.run(RowNorm.Operands.of(in, out), rows, WIDTH, threads)),
                new BareWork(
                        "norm of channels",
                        (in, out, rows, threads) -> channels.groups(
                                new ChannelNorm.Images(in, out, ones, ones, 1, WIDTH, rows),
                                WIDTH / 8,
                                EPSILON,
                                threads)),
                new BareWork("softmax", (in, out, rows, threads) -> softmax.run(in, out, rows, WIDTH, 1, threads)),
                new BareWork(
                        "softmax of columns",
                        (in, out, rows, threads) -> softmax.run(in, out, 1, rows, WIDTH, threads)),
                new BareWork(
                        "elementwise",
                        (in, out, rows, threads) -> tanh.run(List.of(in), out, (long) WIDTH * rows, threads)),
                reduction(kernels, "roots of squares", ReduceOp.L2, 1),
                reduction(kernels, "logarithms of sums", ReduceOp.LOG_SUM_EXP, 0),
                product(kernels));
    }

    private static BareWork reduction(KernelSet kernels, String name, ReduceOp op, int axis) {
        return new BareWork(name, (in, out, rows, threads) -> {
            var reduction = new Reduction(kernels, op, NumberType.F32, new long[] {rows, WIDTH}, axis);
            MemorySegment scratch = Arena.ofAuto().allocate(Math.max(1, reduction.scratchBytes()), 64);
            reduction.run(in, out, scratch, threads);
        });
    }

    private static BareWork product(KernelSet kernels) {
        var gemm = new Gemm(kernels);
        MemorySegment packed = kernels.allocate(gemm.packedBytes(WIDTH, WIDTH));
        gemm.pack(numbers(WIDTH * WIDTH), WIDTH, WIDTH, WIDTH, packed);
        return new BareWork("product", (in, out, rows, threads) -> {
            var product = GemmProduct.builder(rows, WIDTH, WIDTH, Matrix.rows(in, WIDTH), Matrix.packed(packed))
                    .writing(Matrix.rows(out, WIDTH), WIDTH)
                    .build();
            gemm.run(product, threads);
        });
    }

    private static MemorySegment numbers(int count) {
        MemorySegment numbers = Arena.ofAuto().allocate(Float.BYTES * (long) count, 64);
        for (int i = 0; i < count; i++) {
            numbers.setAtIndex(ValueLayout.JAVA_FLOAT, i, 1 + i % 7);
        }
        return numbers;
    }
}
