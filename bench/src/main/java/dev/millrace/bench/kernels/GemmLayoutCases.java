package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.gemm.Batch;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.EpilogueOperand;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.gemm.Matrix;
import java.util.List;
import java.util.Map;

/** Products of fp32 matrices that are not known before: in batches, transposed, with factors. */
final class GemmLayoutCases {
    private static final float ALPHA = 0.5f;
    private static final float BETA = 2;

    private GemmLayoutCases() {}

    static List<KernelCase> all() {
        return List.of(
                scores(12, 128, 64),
                scores(12, 512, 64),
                batched(12, 128, 128, 64),
                batched(12, 512, 512, 64),
                batched(12, 1, 512, 64),
                gemm(256, 256, 256, true, true),
                gemm(256, 256, 256, false, true),
                gemm(1, 1024, 1024, false, true));
    }

    private static LayerWork work(long batches, long m, long k, long n) {
        return LayerWork.flops(2.0 * batches * m * k * n);
    }

    /** A B^T for many pairs. */
    private static KernelCase scores(int batches, int rows, int depth) {
        String shape = "%dx %dx%dx%d, B^T".formatted(batches, rows, depth, rows);
        return KernelCase.of("gemm.f32.batch", shape, work(batches, rows, depth, rows), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor a = operands.floats(batches, rows, depth);
            Tensor b = operands.floats(batches, rows, depth);
            Tensor c = operands.zeros(ElementType.FLOAT, batches, rows, rows);
            long each = (long) rows * depth;
            GemmProduct product = GemmProduct.builder(
                            rows, rows, depth, Matrix.rows(a.segment(), depth), Matrix.columns(b.segment(), depth))
                    .writing(Matrix.rows(c.segment(), rows))
                    .batch(Batch.of(batches, each, each, (long) rows * rows))
                    .build();
            return new Sides(() -> kernels.gemm().run(product, parallel), Map.of("y", c), () -> {
                var model = new ReferenceModel();
                Value turned = model.node(
                        "Transpose",
                        Attributes.of("perm", new Attribute.Ints(List.of(0L, 2L, 1L))),
                        model.input("b", b));
                model.output("y", model.node("MatMul", model.input("a", a), turned));
                return model;
            });
        });
    }

    private static KernelCase batched(int batches, int m, int k, int n) {
        String shape = "%dx %dx%dx%d".formatted(batches, m, k, n);
        return KernelCase.of("gemm.f32.batch", shape, work(batches, m, k, n), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor a = operands.floats(batches, m, k);
            Tensor b = operands.floats(batches, k, n);
            Tensor c = operands.zeros(ElementType.FLOAT, batches, m, n);
            GemmProduct product = GemmProduct.builder(m, n, k, Matrix.rows(a.segment(), k), Matrix.rows(b.segment(), n))
                    .writing(Matrix.rows(c.segment(), n))
                    .batch(Batch.of(batches, (long) m * k, (long) k * n, (long) m * n))
                    .build();
            return new Sides(() -> kernels.gemm().run(product, parallel), Map.of("y", c), () -> {
                var model = new ReferenceModel();
                model.output("y", model.node("MatMul", model.input("a", a), model.input("b", b)));
                return model;
            });
        });
    }

    /** {@code alpha A B + beta C}, C being a row that goes with all rows. */
    private static KernelCase gemm(int m, int k, int n, boolean aTransposed, boolean bTransposed) {
        String shape = m + "x" + k + "x" + n + (aTransposed ? ", A^T" : "") + (bTransposed ? ", B^T" : "");
        return KernelCase.of("gemm.f32.gemm", shape, work(1, m, k, n), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor a = aTransposed ? operands.floats(k, m) : operands.floats(m, k);
            Tensor b = bTransposed ? operands.floats(n, k) : operands.floats(k, n);
            Tensor row = operands.floats(n);
            Tensor c = operands.zeros(ElementType.FLOAT, m, n);
            Expr scaled = Expr.input(0).times(Expr.number(ALPHA));
            Epilogue epilogue =
                    Epilogue.of(scaled.plus(Expr.input(1).times(Expr.number(BETA))), List.of(EpilogueOperand.COLUMN));
            GemmProduct product = GemmProduct.builder(
                            m,
                            n,
                            k,
                            aTransposed ? Matrix.columns(a.segment(), m) : Matrix.rows(a.segment(), k),
                            bTransposed ? Matrix.columns(b.segment(), k) : Matrix.rows(b.segment(), n))
                    .writing(Matrix.rows(c.segment(), n))
                    .then(epilogue, row.segment())
                    .build();
            return new Sides(() -> kernels.gemm().run(product, parallel), Map.of("y", c), () -> {
                var model = new ReferenceModel();
                Attributes attributes = Attributes.of("alpha", new Attribute.Float(ALPHA))
                        .with("beta", new Attribute.Float(BETA))
                        .with("transA", new Attribute.Int(aTransposed ? 1 : 0))
                        .with("transB", new Attribute.Int(bTransposed ? 1 : 0));
                model.output(
                        "y",
                        model.node(
                                "Gemm", attributes, model.input("a", a), model.input("b", b), model.input("c", row)));
                return model;
            });
        });
    }
}
