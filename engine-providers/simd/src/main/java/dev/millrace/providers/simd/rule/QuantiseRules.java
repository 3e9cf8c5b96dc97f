package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.quantise.Quantisation;
import dev.millrace.providers.simd.lower.Kit;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.program.Step;
import dev.millrace.providers.simd.program.View;
import org.jspecify.annotations.Nullable;

/** To bytes and back. */
final class QuantiseRules {
    private QuantiseRules() {}

    static @Nullable Rule named(String name) {
        return switch (name) {
            case "DynamicQuantizeLinear" -> QuantiseRules::dynamic;
            default -> null;
        };
    }

    private static Quantisation quantisation(Kit kit) {
        return kit.driver(Quantisation.class, () -> new Quantisation(kit.kernels()));
    }

    private static boolean dynamic(Op op) {
        if (!op.in(0).isFloat() || op.in(0).elements() == 0) {
            return false;
        }
        Quantisation quantisation = quantisation(op.kit());
        View from = op.lowering().dense(op.in(0));
        View bytes = op.lowering().allocate(op.out(0));
        View scale = op.lowering().allocate(ElementType.FLOAT, Shape.SCALAR);
        View zero = op.lowering().allocate(ElementType.INT32, Shape.SCALAR);
        if (op.outputs() > 1 && op.node().output(1) != null) {
            op.lowering().provide(op.out(1), scale);
        }
        if (op.outputs() > 2 && op.node().output(2) != null) {
            // the lowest byte of the int comes first
            op.lowering().provide(op.out(2), View.dense(zero.storage(), ElementType.UINT8, Shape.SCALAR));
        }
        op.lowering()
                .add(Step.of("quantise dynamically", op.node().name())
                        .reading(from)
                        .writing(bytes, scale, zero)
                        .calling(memory -> {
                            var x = memory.segment(from);
                            var y = memory.segment(bytes);
                            var step = memory.segment(scale);
                            var point = memory.segment(zero);
                            return crew ->
                                    quantisation.quantiseDynamically(x, from.elements(), y, step, point, crew);
                        }));
        return true;
    }
}
