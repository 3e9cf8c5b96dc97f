package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.Epilogue;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import dev.millrace.kernels.gemm.Matrix;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Products of fp32 matrices with a constant B. */
final class GemmCases {
    private static final int[][] SHAPES = {
        {128, 768, 768},
        {128, 768, 3072},
        {512, 512, 512},
        {1024, 1024, 1024},
        {49, 2304, 256},
        {196, 1152, 256},
        {3136, 64, 256},
        {12544, 27, 32},
        {1, 4096, 4096},
        {1, 768, 3072},
        {2, 768, 3072},
        {4, 768, 3072},
        {16, 768, 768},
        {128, 64, 128},
    };
    private static final int[][] FUSED = {{128, 768, 3072}, {128, 384, 1536}, {16, 768, 3072}};

    private GemmCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (int[] shape : SHAPES) {
            cases.add(product(shape[0], shape[1], shape[2]));
        }
        for (int[] shape : FUSED) {
            cases.add(biasAndGelu(shape[0], shape[1], shape[2]));
        }
        return cases;
    }

    private static String text(int m, int k, int n) {
        return m + "x" + k + "x" + n;
    }

    private static LayerWork work(int m, int k, int n) {
        return LayerWork.flops(2.0 * m * k * n);
    }

    private static KernelCase product(int m, int k, int n) {
        return KernelCase.of("gemm.f32", text(m, k, n), work(m, k, n), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor a = operands.floats(m, k);
            Tensor b = operands.floats(k, n);
            Tensor c = operands.zeros(ElementType.FLOAT, m, n);
            GemmProduct product = GemmProduct.of(a.segment(), packed(kernels, arena, b, k, n), c.segment(), m, n, k);
            return new Sides(() -> kernels.gemm().run(product, parallel), Map.of("y", c), () -> {
                var model = new ReferenceModel();
                model.output("y", model.node("MatMul", model.input("a", a), model.constant("b", b)));
                return model;
            });
        });
    }

    private static KernelCase biasAndGelu(int m, int k, int n) {
        return KernelCase.of("gemm.f32+bias+gelu", text(m, k, n), work(m, k, n), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor a = operands.floats(m, k);
            Tensor b = operands.floatsBetween(-0.1f, 0.1f, k, n);
            Tensor bias = operands.floats(n);
            Tensor c = operands.zeros(ElementType.FLOAT, m, n);
            GemmProduct product = GemmProduct.builder(
                            m, n, k, Matrix.rows(a.segment(), k), Matrix.packed(packed(kernels, arena, b, k, n)))
                    .writing(Matrix.rows(c.segment(), n))
                    .then(Epilogue.of(true, Activation.GELU), bias.segment())
                    .build();
            return new Sides(() -> kernels.gemm().run(product, parallel), Map.of("y", c), () -> {
                var model = new ReferenceModel();
                Value sum = model.node(
                        "Add",
                        model.node("MatMul", model.input("a", a), model.constant("b", b)),
                        model.constant("bias", bias));
                model.output("y", model.node("Gelu", sum));
                return model;
            });
        });
    }

    private static MemorySegment packed(Kernels kernels, Arena arena, Tensor b, int k, int n) {
        Gemm gemm = kernels.gemm();
        MemorySegment packed = arena.allocate(gemm.packedBytes(k, n), 64);
        gemm.pack(b.segment(), n, k, n, packed);
        return packed;
    }
}
