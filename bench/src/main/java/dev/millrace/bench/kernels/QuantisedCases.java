package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.cast.FloatType;
import dev.millrace.kernels.lowp.BlockedWeights;
import dev.millrace.kernels.lowp.QuantisedGemm;
import dev.millrace.kernels.lowp.QuantisedMatrix;
import dev.millrace.kernels.lowp.QuantisedProduct;
import dev.millrace.kernels.lowp.QuantisedResult;
import dev.millrace.kernels.lowp.WeightExtents;
import dev.millrace.kernels.lowp.WeightGemm;
import dev.millrace.kernels.lowp.WeightProduct;
import dev.millrace.kernels.lowp.WeightType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Products of bytes, and products with weights of 4 bits.
 *
 * <p>Weights with sign are from -64 to 63 in the cases named s7: without an instruction for whole products, ONNX Runtime's
 * sums of others saturate, and its answers would be wrong. Those from -32 to 31, named s6, are like most of what
 * calibration leaves.
 */
final class QuantisedCases {
    private static final int[][] SHAPES = {{128, 768, 3072}, {128, 384, 1536}, {1, 768, 3072}, {512, 512, 512}};
    private static final int[][] BLOCKED = {{1, 4096, 4096}, {128, 4096, 4096}};

    private QuantisedCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (int[] shape : SHAPES) {
            cases.add(integers("u8 x s6", ElementType.INT8, 31, shape[0], shape[1], shape[2]));
            cases.add(integers("u8 x s7", ElementType.INT8, 63, shape[0], shape[1], shape[2]));
            cases.add(integers("u8 x u8", ElementType.UINT8, 255, shape[0], shape[1], shape[2]));
        }
        cases.add(requantised(128, 768, 3072));
        for (int[] shape : BLOCKED) {
            cases.add(blocked(32, shape[0], shape[1], shape[2]));
            cases.add(blocked(128, shape[0], shape[1], shape[2]));
        }
        return cases;
    }

    private static String text(String what, int m, int k, int n) {
        return what + " " + m + "x" + k + "x" + n;
    }

    private static LayerWork work(int m, int k, int n) {
        return LayerWork.flops(2.0 * m * k * n);
    }

    private static KernelCase integers(String what, ElementType type, int most, int m, int k, int n) {
        return KernelCase.of("gemm.s8", text(what, m, k, n), work(m, k, n), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            int least = type == ElementType.INT8 ? -most - 1 : 0;
            Tensor a = operands.bytes(ElementType.UINT8, 0, 255, m, k);
            Tensor b = operands.bytes(type, least, most, k, n);
            Tensor c = operands.zeros(ElementType.INT32, m, n);
            var gemm = new QuantisedGemm(kernels.set());
            QuantisedProduct product = new QuantisedProduct(
                    QuantisedMatrix.of(a.segment(), false, k),
                    packed(gemm, arena, b, k, n),
                    QuantisedResult.ints(c.segment(), n),
                    m,
                    n,
                    k);
            MemorySegment scratch =
                    arena.allocate(gemm.scratchBytes(m, k, type == ElementType.INT8, parallel.width()), 64);
            return new Sides(() -> gemm.run(product, scratch, parallel), Map.of("y", c), () -> {
                var model = new ReferenceModel();
                model.output("y", model.node("MatMulInteger", model.input("a", a), model.constant("b", b)));
                return model;
            });
        });
    }

    private static MemorySegment packed(QuantisedGemm gemm, Arena arena, Tensor b, int k, int n) {
        MemorySegment packed = arena.allocate(gemm.packedBytes(k, n), 64);
        gemm.pack(QuantisedMatrix.of(b.segment(), b.type() == ElementType.INT8, n), k, n, packed);
        return packed;
    }

    private static KernelCase requantised(int m, int k, int n) {
        return KernelCase.of(
                "gemm.s8.requantised", text("u8 x s7", m, k, n), work(m, k, n), (kernels, arena, parallel) -> {
                    var operands = new Operands(arena);
                    Tensor a = operands.bytes(ElementType.UINT8, 0, 255, m, k);
                    Tensor b = operands.bytes(ElementType.INT8, -64, 63, k, n);
                    Tensor c = operands.zeros(ElementType.UINT8, m, n);
                    Tensor zero = operands.bytes(ElementType.UINT8, 128, 128);
                    Tensor zeroOfB = operands.bytes(ElementType.INT8, 0, 0);
                    Tensor scale = operands.floatsBetween(0.01f, 0.01f);
                    Tensor scaleOfC = operands.floatsBetween(1f, 1f);
                    Tensor combined = operands.floatsBetween(0.01f * 0.01f, 0.01f * 0.01f);
                    var gemm = new QuantisedGemm(kernels.set());
                    QuantisedProduct product = new QuantisedProduct(
                            QuantisedMatrix.of(a.segment(), false, k)
                                    .withZeroPoints(zero.segment().asSlice(0, 1)),
                            packed(gemm, arena, b, k, n),
                            QuantisedResult.bytes(
                                            c.segment(),
                                            false,
                                            n,
                                            combined.segment().asSlice(0, 4),
                                            128)
                                    .withSmallScales(),
                            m,
                            n,
                            k);
                    MemorySegment scratch = arena.allocate(gemm.scratchBytes(m, k, true, parallel.width()), 64);
                    return new Sides(() -> gemm.run(product, scratch, parallel), Map.of("y", c), () -> {
                        var model = new ReferenceModel();
                        model.output(
                                "y",
                                model.node(
                                        "QLinearMatMul",
                                        model.input("a", a),
                                        model.constant("as", scale),
                                        model.constant("az", zero),
                                        model.constant("b", b),
                                        model.constant("bs", scale),
                                        model.constant("bz", zeroOfB),
                                        model.constant("cs", scaleOfC),
                                        model.constant("cz", zero)));
                        return model;
                    });
                });
    }

    private static KernelCase blocked(int block, int m, int k, int n) {
        String shape = text("block " + block, m, k, n);
        KernelCase test = KernelCase.of("gemm.s4", shape, work(m, k, n), (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor a = operands.floats(m, k);
            Tensor b = operands.bytes(ElementType.UINT8, 0, 255, n, k / block, block / 2);
            Tensor scales = operands.floatsBetween(0.005f, 0.01f, (long) n * (k / block));
            Tensor c = operands.zeros(ElementType.FLOAT, m, n);
            var weights =
                    new BlockedWeights(WeightType.INT4, block, b.segment(), scales.segment(), FloatType.F32, null);
            var gemm = new WeightGemm(kernels.set(), weights.format());
            MemorySegment packed = arena.allocate(gemm.packedBytes(k, n), 64);
            gemm.pack(weights, k, n, packed);
            WeightProduct product = WeightProduct.of(a.segment(), packed, c.segment(), m, n, k);
            var extents = new WeightExtents(m, n, k, FloatType.F32, FloatType.F32, false);
            MemorySegment scratch = arena.allocate(gemm.scratchBytes(extents, parallel.width()), 64);
            return new Sides(() -> gemm.run(product, scratch, parallel), Map.of("y", c), () -> {
                var model = new ReferenceModel();
                NodeSpec node = NodeSpec.of(
                                new OpId(OpId.MICROSOFT, "MatMulNBits"),
                                1,
                                model.input("a", a),
                                model.constant("b", b),
                                model.constant("scales", scales))
                        .with(Attributes.of(Map.of(
                                "K", Attribute.of((long) k),
                                "N", Attribute.of((long) n),
                                "bits", Attribute.of(4L),
                                "block_size", Attribute.of((long) block))));
                model.output("y", model.node(node));
                return model;
            });
        });
        return test.withTolerance(1e-3);
    }
}
