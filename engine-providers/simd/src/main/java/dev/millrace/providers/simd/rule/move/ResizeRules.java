package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.resize.Resize;
import dev.millrace.kernels.resize.ResizeAxis;
import dev.millrace.kernels.resize.ResizePlan;
import dev.millrace.kernels.resize.ResizeRule;
import dev.millrace.kernels.resize.ResizeRule.Coordinates;
import dev.millrace.kernels.resize.ResizeRule.Mode;
import dev.millrace.kernels.resize.ResizeRule.Rounding;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Resizing of images and of anything else, in blocks of channels where it comes so and channels stay as they are. */
public final class ResizeRules {
    private static final int MOST_BYTES = 16;
    /** Results along an axis: the tables of more would take as much memory as the results, and nothing stops their making. */
    private static final int MOST_RESULTS = 1 << 22;

    private ResizeRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.RESIZE, OpName.UPSAMPLE -> ResizeRules::resize;
            default -> null;
        };
    }

    private static boolean resize(LoweringContext op) {
        ValueState in = op.in(0);
        boolean crops = crops(op.attributes());
        List<ResizeAxis> axes = in.elements() == 0 ? null : ResizeAxes.of(op, crops);
        if (axes == null) {
            return false;
        }
        if (axes.isEmpty()) {
            return ViewRules.reshape(op);
        }
        ResizeRule rule = rule(op, axes);
        boolean blends = rule != null && (rule.mode() != Mode.NEAREST || crops);
        if (rule == null || blends && !in.isFloat() || in.type().bits() % Byte.SIZE != 0) {
            return false;
        }
        if (in.type().bytes(1) > MOST_BYTES || !isExact(rule, axes) || areLong(axes)) {
            return false;
        }
        op.lowering().materialise(in);
        boolean ofImages = in.shape().rank() >= 3 && axes.stream().allMatch(axis -> axis.axis() >= 2);
        if (in.isBlockedOnly() && ofImages) {
            blocked(op, rule, axes);
        } else {
            View from = op.lowering().dense(in);
            add(op, rule, from.shape().toArray(), axes, from, op.lowering().allocate(op.out()));
        }
        return true;
    }

    private static boolean crops(Attributes attributes) {
        return attributes.text("coordinate_transformation_mode", "").equals("tf_crop_and_resize");
    }

    /** Blocks of channels are planes whose elements are the pixels, all channels of the block at once. */
    private static void blocked(LoweringContext op, ResizeRule rule, List<ResizeAxis> axes) {
        PartitionCompiler lowering = op.lowering();
        Shape shape = op.in(0).shape();
        View from = lowering.blocked(op.in(0));
        long[] dims = new long[shape.rank()];
        dims[0] = shape.dim(0) * Math.ceilDiv(shape.dim(1), from.block());
        for (int i = 2; i < dims.length; i++) {
            dims[i - 1] = shape.dim(i);
        }
        dims[dims.length - 1] = from.block();
        var moved = new ArrayList<ResizeAxis>();
        for (ResizeAxis axis : axes) {
            moved.add(new ResizeAxis(axis.axis() - 1, axis.from(), axis.to(), axis.scale(), axis.start(), axis.end()));
        }
        add(op, rule, dims, moved, from, lowering.allocateBlocked(op.out()));
    }

    private static void add(
            LoweringContext op, ResizeRule rule, long[] dims, List<ResizeAxis> axes, View from, View to) {
        var plan = new ResizePlan(rule, dims, axes, op.environment().kernels().target(), OwnMemory::allocate);
        Resize driver = op.environment()
                .driver(Resize.class, () -> new Resize(op.environment().kernels()));
        int bytes = Math.toIntExact(from.type().bytes(1));
        float outside = op.attributes().real("extrapolation_value", 0);
        op.lowering()
                .add(ProgramStep.of(
                                "resize " + rule.mode().name().toLowerCase(Locale.ROOT),
                                op.node().name())
                        .reading(from)
                        .writing(to)
                        .scratch(driver.scratchBytes(plan, bytes, op.lowering().width()))
                        .calling(memory -> {
                            MemorySegment data = memory.segment(from);
                            MemorySegment out = memory.segment(to);
                            MemorySegment scratch = memory.scratch();
                            return crew -> driver.run(plan, bytes, data, out, outside, scratch, crew);
                        }));
    }

    private static boolean areLong(List<ResizeAxis> axes) {
        return axes.stream().anyMatch(axis -> axis.to() > MOST_RESULTS);
    }

    /** Whether corners are aligned at whole numbers of elements, where kernels and the specification agree. */
    private static boolean isExact(ResizeRule rule, List<ResizeAxis> axes) {
        return rule.coordinates() != Coordinates.ALIGN_CORNERS
                || axes.stream().allMatch(axis -> (float) axis.scale() * axis.from() == axis.to());
    }

    /** The rule of a node, or null where it has one that kernels do not know. */
    private static @Nullable ResizeRule rule(LoweringContext op, List<ResizeAxis> axes) {
        Attributes attributes = op.attributes();
        boolean old = op.name().equals(OpName.UPSAMPLE) || op.opset() < 11;
        Mode mode = switch (attributes.text("mode", "nearest")) {
            case "nearest" -> Mode.NEAREST;
            case "linear", "bilinear" -> Mode.LINEAR;
            case "cubic" -> Mode.CUBIC;
            default -> null;
        };
        Coordinates coordinates = old
                ? Coordinates.ASYMMETRIC
                : find(Coordinates.values(), attributes.text("coordinate_transformation_mode", "half_pixel"));
        Rounding rounding = old
                ? roundingByDirection(axes)
                : find(Rounding.values(), attributes.text("nearest_mode", "round_prefer_floor"));
        if (mode == null || coordinates == null || rounding == null) {
            return null;
        }
        return new ResizeRule(
                mode,
                coordinates,
                rounding,
                attributes.real("cubic_coeff_a", -0.75f),
                attributes.flag("exclude_outside", false),
                attributes.flag("antialias", false) && mode != Mode.NEAREST);
    }

    private static <E extends Enum<E>> @Nullable E find(E[] values, String name) {
        for (E value : values) {
            if (value.name().equals(name.toUpperCase(Locale.ROOT))) {
                return value;
            }
        }
        return null;
    }

    /** Before opset 11 what shrinks is rounded up and what grows is rounded down. */
    private static @Nullable Rounding roundingByDirection(List<ResizeAxis> axes) {
        if (axes.stream().allMatch(axis -> axis.scale() >= 1)) {
            return Rounding.FLOOR;
        }
        return axes.stream().allMatch(axis -> axis.scale() < 1) ? Rounding.CEIL : null;
    }
}
