package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.cast.Cast;
import dev.millrace.kernels.cast.NumberType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Casts between types that models have. */
final class CastCases {
    private static final int[] SIZES = {10_000, 400_000, 4_000_000};

    private CastCases() {}

    static List<KernelCase> all() {
        var cases = new ArrayList<KernelCase>();
        for (int size : SIZES) {
            cases.add(cast(ElementType.FLOAT, ElementType.FLOAT16, size));
            cases.add(cast(ElementType.FLOAT16, ElementType.FLOAT, size));
            cases.add(cast(ElementType.FLOAT, ElementType.BFLOAT16, size));
            cases.add(cast(ElementType.BFLOAT16, ElementType.FLOAT, size));
            cases.add(cast(ElementType.INT64, ElementType.FLOAT, size));
            cases.add(cast(ElementType.FLOAT, ElementType.INT64, size));
            cases.add(cast(ElementType.INT64, ElementType.INT32, size));
            cases.add(cast(ElementType.INT32, ElementType.INT64, size));
            cases.add(cast(ElementType.BOOL, ElementType.FLOAT, size));
            cases.add(cast(ElementType.FLOAT, ElementType.BOOL, size));
            cases.add(cast(ElementType.UINT8, ElementType.FLOAT, size));
            cases.add(cast(ElementType.FLOAT, ElementType.UINT8, size));
            cases.add(cast(ElementType.INT32, ElementType.FLOAT, size));
            cases.add(cast(ElementType.DOUBLE, ElementType.FLOAT, size));
            cases.add(cast(ElementType.FLOAT, ElementType.DOUBLE, size));
        }
        return cases;
    }

    private static NumberType numbers(ElementType type) {
        return switch (type) {
            case FLOAT -> NumberType.F32;
            case FLOAT16 -> NumberType.F16;
            case BFLOAT16 -> NumberType.BF16;
            case DOUBLE -> NumberType.F64;
            case INT64 -> NumberType.S64;
            case INT32 -> NumberType.S32;
            case UINT8 -> NumberType.U8;
            default -> NumberType.BOOL;
        };
    }

    private static KernelCase cast(ElementType from, ElementType to, int size) {
        String shape = (from + " to " + to).toLowerCase(Locale.ROOT) + " " + size;
        LayerWork work = LayerWork.bytes(from.bytes(size) + to.bytes(size));
        return KernelCase.of("cast", shape, work, (kernels, arena, parallel) -> {
            var operands = new Operands(arena);
            Tensor in = operands.anyOf(from, size);
            Tensor out = operands.zeros(to, size);
            var cast = new Cast(kernels.set(), numbers(from), numbers(to));
            Runnable ours = () -> cast.run(in.segment(), out.segment(), size, parallel);
            Attributes type = Attributes.of("to", Attribute.of((long) to.code()));
            return Sides.of(ours, out, model -> model.node("Cast", type, model.input("x", in)));
        });
    }
}
