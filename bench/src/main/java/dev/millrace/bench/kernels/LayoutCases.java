package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.layout.Copier;
import dev.millrace.kernels.layout.Copies;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Transposes: matrices, images to channels last and back, heads of attention. */
final class LayoutCases {
    private static final int[] MATRIX = {1, 0};
    private static final int[] TO_CHANNELS_LAST = {0, 2, 3, 1};
    private static final int[] TO_CHANNELS_FIRST = {0, 3, 1, 2};
    private static final int[] HEADS = {0, 2, 1, 3};
    private static final int[] KEYS = {0, 2, 3, 1};

    private LayoutCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (ElementType type : List.of(ElementType.FLOAT, ElementType.UINT8, ElementType.INT64)) {
            cases.add(transpose(type, MATRIX, 100, 100));
            cases.add(transpose(type, MATRIX, 768, 512));
            cases.add(transpose(type, MATRIX, 2048, 2048));
        }
        cases.add(transpose(ElementType.FLOAT16, MATRIX, 768, 512));
        for (ElementType type : List.of(ElementType.FLOAT, ElementType.UINT8)) {
            cases.add(transpose(type, TO_CHANNELS_LAST, 1, 3, 56, 60));
            cases.add(transpose(type, TO_CHANNELS_LAST, 1, 3, 360, 370));
            cases.add(transpose(type, TO_CHANNELS_FIRST, 1, 360, 370, 3));
        }
        cases.add(transpose(ElementType.FLOAT, TO_CHANNELS_LAST, 1, 64, 80, 80));
        cases.add(transpose(ElementType.FLOAT, TO_CHANNELS_FIRST, 1, 80, 80, 64));
        cases.add(transpose(ElementType.FLOAT, TO_CHANNELS_LAST, 8, 128, 64, 64));
        cases.add(transpose(ElementType.FLOAT, HEADS, 1, 16, 12, 64));
        cases.add(transpose(ElementType.FLOAT, HEADS, 4, 128, 12, 64));
        cases.add(transpose(ElementType.FLOAT, HEADS, 8, 640, 12, 64));
        cases.add(transpose(ElementType.FLOAT, KEYS, 4, 128, 12, 64));
        cases.add(transpose(ElementType.FLOAT, KEYS, 8, 640, 12, 64));
        cases.add(concat(8, 256, 28, 28));
        cases.add(slice(64, 224, 224, 16));
        cases.add(pad(64, 56, 56));
        return cases;
    }

    /** Two tensors side by side along their second dimension. */
    private static KernelCase concat(long... dims) {
        long[] wide = dims.clone();
        wide[1] *= 2;
        long elements = Arrays.stream(wide).reduce(1, Math::multiplyExact);
        LayerWork work = LayerWork.bytes(8.0 * elements);
        return KernelCase.of("copy", "concat 2 of " + Operands.text(dims), work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor a = operands.floats(dims);
            Tensor b = operands.floats(dims);
            Tensor out = operands.zeros(ElementType.FLOAT, wide);
            long[] start = new long[dims.length];
            var first = new Copier(kernels.set(), Copies.place(4, dims, wide, start));
            start[1] = dims[1];
            var second = new Copier(kernels.set(), Copies.place(4, dims, wide, start));
            Runnable ours = () -> {
                first.run(a.segment(), out.segment(), parallel);
                second.run(b.segment(), out.segment(), parallel);
            };
            return new Sides(ours, Map.of("y", out), () -> {
                var model = new ReferenceModel();
                Attributes axis = Attributes.of("axis", Attribute.of(1L));
                model.output("y", model.node("Concat", axis, model.input("a", a), model.input("b", b)));
                return model;
            });
        });
    }

    /** The middle of images, without a margin. */
    private static KernelCase slice(long channels, long height, long width, long margin) {
        long[] dims = {channels, height, width};
        long[] counts = {channels, height - 2 * margin, width - 2 * margin};
        LayerWork work = LayerWork.bytes(8.0 * counts[0] * counts[1] * counts[2]);
        String text = "slice " + Operands.text(counts) + " of " + Operands.text(dims);
        return KernelCase.of("copy", text, work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floats(dims);
            Tensor out = operands.zeros(ElementType.FLOAT, counts);
            var copy = Copies.slice(4, dims, new long[] {0, margin, margin}, new long[] {1, 1, 1}, counts);
            var copier = new Copier(kernels.set(), copy);
            return new Sides(() -> copier.run(in.segment(), out.segment(), parallel), Map.of("y", out), () -> {
                var model = new ReferenceModel();
                model.output(
                        "y",
                        model.node(
                                "Slice",
                                model.input("x", in),
                                model.constant("starts", longs(operands, margin, margin)),
                                model.constant("ends", longs(operands, height - margin, width - margin)),
                                model.constant("axes", longs(operands, 1, 2))));
                return model;
            });
        });
    }

    /** A row and a column of zeros around images. */
    private static KernelCase pad(long channels, long height, long width) {
        long[] dims = {channels, height, width};
        long[] wide = {channels, height + 2, width + 2};
        LayerWork work = LayerWork.bytes(8.0 * channels * height * width);
        return KernelCase.of("copy", "pad 1 around " + Operands.text(dims), work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.floats(dims);
            Tensor zero = operands.zeros(ElementType.FLOAT, 1);
            Tensor out = operands.zeros(ElementType.FLOAT, wide);
            long elements = wide[0] * wide[1] * wide[2];
            var fill = new Copier(kernels.set(), Copies.expand(4, new long[] {1}, new long[] {elements}));
            var inside = new Copier(kernels.set(), Copies.place(4, dims, wide, new long[] {0, 1, 1}));
            Runnable ours = () -> {
                fill.run(zero.segment(), out.segment(), parallel);
                inside.run(in.segment(), out.segment(), parallel);
            };
            return new Sides(ours, Map.of("y", out), () -> {
                var model = new ReferenceModel();
                model.output(
                        "y",
                        model.node(
                                "Pad",
                                model.input("x", in),
                                model.constant("pads", longs(operands, 0, 1, 1, 0, 1, 1))));
                return model;
            });
        });
    }

    private static Tensor longs(Operands operands, long... values) {
        Tensor tensor = operands.zeros(ElementType.INT64, values.length);
        for (int i = 0; i < values.length; i++) {
            tensor.segment().setAtIndex(ValueLayout.JAVA_LONG, i, values[i]);
        }
        return tensor;
    }

    private static KernelCase transpose(ElementType type, int[] permutation, long... dims) {
        long elements = Arrays.stream(dims).reduce(1, Math::multiplyExact);
        String shape = type.name().toLowerCase(Locale.ROOT) + " " + Operands.text(dims) + " "
                + Arrays.toString(permutation).replace(", ", "");
        LayerWork work = LayerWork.bytes(2.0 * type.bytes(elements));
        return KernelCase.of("transpose", shape, work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.anyOf(type, dims);
            Tensor out = operands.zeros(
                    type, Arrays.stream(permutation).mapToLong(i -> dims[i]).toArray());
            var copier = new Copier(kernels.set(), Copies.transpose(type.bits() / Byte.SIZE, dims, permutation));
            return new Sides(() -> copier.run(in.segment(), out.segment(), parallel), Map.of("y", out), () -> {
                var model = new ReferenceModel();
                var order =
                        Attribute.of(Arrays.stream(permutation).asLongStream().toArray());
                model.output("y", model.node("Transpose", Attributes.of("perm", order), model.input("x", in)));
                return model;
            });
        });
    }
}
