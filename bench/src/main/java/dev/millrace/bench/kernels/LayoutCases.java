package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.layout.Copier;
import dev.millrace.kernels.layout.Copies;
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
        return cases;
    }

    private static KernelCase transpose(ElementType type, int[] permutation, long... dims) {
        long elements = Arrays.stream(dims).reduce(1, Math::multiplyExact);
        String shape = type.name().toLowerCase(Locale.ROOT) + " " + Operands.text(dims) + " "
                + Arrays.toString(permutation).replace(", ", "");
        Work work = Work.bytes(2.0 * type.bytes(elements));
        return KernelCase.of("transpose", shape, work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.anyOf(type, dims);
            Tensor out = operands.zeros(
                    type, Arrays.stream(permutation).mapToLong(i -> dims[i]).toArray());
            var copier = new Copier(kernels.set(), Copies.transpose(type.bits() / Byte.SIZE, dims, permutation));
            return new Sides(() -> copier.run(in.segment(), out.segment(), parallel), Map.of("y", out), () -> {
                var model = new PeerModel();
                var order =
                        Attribute.of(Arrays.stream(permutation).asLongStream().toArray());
                model.output("y", model.node("Transpose", Attributes.of("perm", order), model.input("x", in)));
                return model;
            });
        });
    }
}
