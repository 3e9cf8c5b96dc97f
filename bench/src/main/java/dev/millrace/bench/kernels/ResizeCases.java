package dev.millrace.bench.kernels;

import dev.millrace.bench.kernels.KernelCase.Sides;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.resize.Resize;
import dev.millrace.kernels.resize.ResizeAxis;
import dev.millrace.kernels.resize.ResizePlan;
import dev.millrace.kernels.resize.ResizeRule;
import dev.millrace.kernels.resize.ResizeRule.Coordinates;
import dev.millrace.kernels.resize.ResizeRule.Mode;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Images and maps of features, resized along their last two axes. */
final class ResizeCases {
    private static final int OPSET = 21;
    private static final double TOLERANCE = 1e-3;

    private static final ResizeRule LINEAR = ResizeRule.of(Mode.LINEAR);

    private ResizeCases() {}

    static List<KernelCase> all() {
        ResizeRule nearest =
                ResizeRule.of(Mode.NEAREST).with(Coordinates.ASYMMETRIC).with(ResizeRule.Rounding.FLOOR);
        var antialiased = new ResizeRule(
                LINEAR.mode(), LINEAR.coordinates(), LINEAR.rounding(), LINEAR.cubic(), LINEAR.excludeOutside(), true);
        return List.of(
                resize(nearest, 256, 40, 80),
                resize(nearest, 3, 480, 640),
                resize(nearest, ElementType.UINT8, 3, 480, 640),
                resize(nearest, ElementType.FLOAT16, 256, 40, 80),
                resize(LINEAR, 64, 32, 64),
                resize(LINEAR, 3, 480, 224),
                resize(LINEAR, 1, 512, 640),
                resize(antialiased, 3, 480, 224),
                resize(ResizeRule.of(Mode.CUBIC), 3, 128, 256));
    }

    private static KernelCase resize(ResizeRule rule, int channels, int from, int to) {
        return resize(rule, ElementType.FLOAT, channels, from, to);
    }

    private static KernelCase resize(ResizeRule rule, ElementType type, int channels, int from, int to) {
        int bytes = type.bits() / Byte.SIZE;
        String text = rule.mode().name().toLowerCase(Locale.ROOT) + (rule.antialias() ? " antialiased " : " ")
                + (type == ElementType.FLOAT ? "" : type.name().toLowerCase(Locale.ROOT) + " ")
                + channels + "x" + from + "x" + from + " to " + to + "x" + to;
        LayerWork work = LayerWork.bytes((double) bytes * channels * ((double) from * from + (double) to * to));
        return KernelCase.of("resize", text, work, (kernels, arena, parallel) -> {
                    var operands = new Operands(arena);
                    Tensor x = operands.anyOf(type, 1, channels, from, from);
                    Tensor y = operands.zeros(type, 1, channels, to, to);
                    Tensor sizes = operands.zeros(ElementType.INT64, 4);
                    for (int i = 0; i < 4; i++) {
                        sizes.segment().setAtIndex(ValueLayout.JAVA_LONG, i, i == 0 ? 1 : i == 1 ? channels : to);
                    }
                    ResizePlan plan = new ResizePlan(
                            rule,
                            new long[] {1, channels, from, from},
                            List.of(ResizeAxis.of(2, from, to), ResizeAxis.of(3, from, to)),
                            kernels.set().target(),
                            arena);
                    var resize = new Resize(kernels.set());
                    MemorySegment scratch = arena.allocate(resize.scratchBytes(plan, bytes, parallel.width()), 64);
                    return new Sides(
                            () -> resize.run(plan, bytes, x.segment(), y.segment(), 0, scratch, parallel),
                            Map.of("y", y),
                            () -> {
                                var model = new ReferenceModel();
                                model.output("y", model.node(node(model, rule, x, sizes)));
                                return model;
                            });
                })
                .withTolerance(TOLERANCE);
    }

    private static NodeSpec node(ReferenceModel model, ResizeRule rule, Tensor x, Tensor sizes) {
        return NodeSpec.of(OpId.onnx("Resize"), OPSET, model.input("x", x), null, null, model.constant("sizes", sizes))
                .with("mode", Attribute.of(rule.mode().name().toLowerCase(Locale.ROOT)))
                .with("antialias", Attribute.of(rule.antialias() ? 1L : 0L))
                .with("nearest_mode", Attribute.of(rule.rounding().name().toLowerCase(Locale.ROOT)))
                .with(
                        "coordinate_transformation_mode",
                        Attribute.of(rule.coordinates().name().toLowerCase(Locale.ROOT)));
    }
}
