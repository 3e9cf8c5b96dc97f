package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.reduce.ReduceOp;
import dev.millrace.kernels.reduce.Reduction;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Reductions of fp32 over the last axes, the first ones, those between, and all. */
final class ReduceCases {
    private static final double RELATIVE = 1e-5;

    private ReduceCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (int rows : new int[] {13, 512, 5000}) {
            cases.add(reduce("ReduceMean", ReduceOp.MEAN, new int[] {1}, rows, 768));
            cases.add(reduce("ReduceSum", ReduceOp.SUM, new int[] {0}, rows, 768));
            cases.add(reduce("ReduceMax", ReduceOp.MAX, new int[] {1}, rows, 768));
            cases.add(reduce("ReduceSum", ReduceOp.SUM, new int[] {0, 1}, rows, 768));
            cases.add(reduce("ReduceL2", ReduceOp.L2, new int[] {1}, rows, 768));
            cases.add(reduce("ReduceLogSumExp", ReduceOp.LOG_SUM_EXP, new int[] {1}, rows, 768));
        }
        for (int channels : new int[] {16, 512, 4096}) {
            cases.add(reduce("ReduceMean", ReduceOp.MEAN, new int[] {2, 3}, 1, channels, 28, 28));
        }
        for (int batch : new int[] {1, 8, 64}) {
            cases.add(reduce("ReduceMax", ReduceOp.MAX, new int[] {1}, batch, 128, 384));
        }
        for (int rows : new int[] {3_000, 130_000, 1_300_000}) {
            cases.add(reduce("ReduceSum", ReduceOp.SUM, new int[] {1}, rows, 3));
            cases.add(reduce("ReduceSum", ReduceOp.SUM, new int[] {0}, rows, 3));
        }
        cases.add(reduce("ReduceProd", ReduceOp.PROD, new int[] {1}, 512, 768));
        cases.add(reduce("ReduceL1", ReduceOp.L1, new int[] {0}, 512, 768));
        cases.add(reduce("ReduceSum", ReduceOp.SUM, new int[] {0, 2}, 64, 128, 512));
        return cases;
    }

    private static KernelCase reduce(String node, ReduceOp op, int[] axes, long... dims) {
        long elements = Arrays.stream(dims).reduce(1, Math::multiplyExact);
        String shape = node.substring(6) + " " + Operands.text(dims) + " "
                + Arrays.toString(axes).replace(", ", "");
        boolean grows = op != ReduceOp.MAX && op != ReduceOp.PROD;
        return KernelCase.of("reduce", shape, LayerWork.bytes(Float.BYTES * elements), (kernels, arena, parallel) -> {
                    var operands = new Operands(arena);
                    Tensor in =
                            op == ReduceOp.PROD ? operands.floatsBetween(0.99f, 1.01f, dims) : operands.floats(dims);
                    long[] left = IntStream.range(0, dims.length)
                            .filter(i -> Arrays.stream(axes).noneMatch(axis -> axis == i))
                            .mapToLong(i -> dims[i])
                            .toArray();
                    Tensor out = operands.zeros(ElementType.FLOAT, left);
                    var reduction = new Reduction(kernels.set(), op, NumberType.F32, dims, axes);
                    MemorySegment scratch = arena.allocate(Math.max(1, reduction.scratchBytes()), 64);
                    return new Sides(
                            () -> reduction.run(in.segment(), out.segment(), scratch, parallel),
                            Map.of("y", out),
                            () -> model(node, in, axes));
                })
                .withTolerance(grows ? RELATIVE * Math.sqrt(elements) : RELATIVE);
    }

    private static ReferenceModel model(String node, Tensor in, int[] axes) {
        var model = new ReferenceModel();
        Tensor over = Tensor.copyOf(Arrays.stream(axes).asLongStream().toArray(), axes.length);
        Attributes keep = Attributes.of("keepdims", Attribute.of(0L));
        model.output("y", model.node(node, keep, model.input("x", in), model.constant("axes", over)));
        return model;
    }
}
