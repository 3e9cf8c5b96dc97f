package dev.millrace.providers.cpu.move;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.util.ArrayList;
import java.util.List;

/** Operators that are copies between strided views. */
final class Views {
    private Views() {}

    private static int size(BindContext context) {
        return Cells.size(context.outputType(0));
    }

    private static Launch toOutput(BindContext context, long start, long[] steps) {
        return StridedViewCopy.toWhole(size(context), context.outputShape(0), start, steps)
                .launch(0, 0);
    }

    static CellKernel transpose(Node node) {
        long[] perm = node.attributes().integers("perm");
        return context -> {
            Shape in = context.inputShape(0);
            long[] strides = in.strides();
            long[] steps = new long[in.rank()];
            int previous = -1;
            boolean inOrder = true;
            for (int i = 0; i < steps.length; i++) {
                int axis = perm == null ? steps.length - 1 - i : Shape.axis(perm[i], steps.length);
                steps[i] = strides[axis];
                if (in.dim(axis) != 1) {
                    inOrder &= axis > previous;
                    previous = axis;
                }
            }
            return inOrder ? Aliases.alias(context) : toOutput(context, 0, steps);
        };
    }

    static Launch expand(BindContext context) {
        Shape in = context.inputShape(0);
        Shape out = context.outputShape(0);
        if (in.elements() == out.elements()) {
            return Aliases.alias(context);
        }
        long[] strides = in.strides();
        long[] steps = new long[out.rank()];
        int lead = out.rank() - in.rank();
        for (int i = lead; i < steps.length; i++) {
            steps[i] = in.dim(i - lead) == 1 ? 0 : strides[i - lead];
        }
        return toOutput(context, 0, steps);
    }

    /** Each axis of the output seen as repeats by extent. */
    static Launch tile(BindContext context) {
        Shape in = context.inputShape(0);
        Shape out = context.outputShape(0);
        if (in.equals(out)) {
            return Aliases.alias(context);
        }
        int rank = in.rank();
        long[] strides = in.strides();
        long[] dims = new long[2 * rank];
        long[] steps = new long[2 * rank];
        for (int i = 0; i < rank; i++) {
            dims[2 * i] = in.dim(i) == 0 ? 0 : out.dim(i) / in.dim(i);
            dims[2 * i + 1] = in.dim(i);
            steps[2 * i + 1] = strides[i];
        }
        return StridedViewCopy.toWhole(size(context), Shape.of(dims), 0, steps).launch(0, 0);
    }

    static Launch slice(BindContext context) {
        boolean byAttributes = context.node().opset() < 10;
        long[] starts = Params.require(context, byAttributes ? Integer.MAX_VALUE : 1, "starts");
        long[] axes = byAttributes ? context.node().attributes().integers("axes") : Params.longs(context, 3);
        long[] extents = byAttributes ? null : Params.longs(context, 4);
        Shape in = context.inputShape(0);
        if (in.equals(context.outputShape(0)) && (extents == null || allOnes(extents))) {
            return Aliases.alias(context);
        }
        long[] strides = in.strides();
        long[] steps = strides.clone();
        long start = 0;
        for (int i = 0; i < starts.length; i++) {
            int axis = axes == null ? i : Shape.axis(axes[i], in.rank());
            long extent = in.dim(axis);
            long step = extents == null ? 1 : extents[i];
            long first = starts[i] < 0 ? starts[i] + extent : starts[i];
            first = step > 0 ? Math.clamp(first, 0, extent) : Math.clamp(first, 0, Math.max(0, extent - 1));
            start += first * strides[axis];
            steps[axis] = strides[axis] * step;
        }
        return toOutput(context, start, steps);
    }

    private static boolean allOnes(long[] values) {
        for (long value : values) {
            if (value != 1) {
                return false;
            }
        }
        return true;
    }

    static CellKernel concat(Node node) {
        long axisAttribute = node.attributes().integer("axis", node.opset() < 4 ? 1 : 0);
        return context -> {
            Shape out = context.outputShape(0);
            int axis = Shape.axis(axisAttribute, out.rank());
            long[] strides = out.strides();
            List<Launch> parts = new ArrayList<>();
            long at = 0;
            for (int i = 0; i < context.inputCount(); i++) {
                Shape part = context.inputShape(i);
                if (part.elements() == out.elements() && out.elements() > 0) {
                    context.alias(0, i);
                    return Launch.none();
                }
                if (part.elements() > 0) {
                    parts.add(StridedViewCopy.of(
                                    size(context), part.toArray(), 0, part.strides(), at * strides[axis], strides)
                            .launch(i, 0));
                    at += part.dim(axis);
                }
            }
            return inOrder(parts);
        };
    }

    static CellKernel split(Node node) {
        long axisAttribute = node.attributes().integer("axis", 0);
        return context -> {
            Shape in = context.inputShape(0);
            int axis = Shape.axis(axisAttribute, in.rank());
            long[] strides = in.strides();
            List<Launch> parts = new ArrayList<>();
            long[] sizes = Params.longs(context, 1, "split");
            long equal = Math.ceilDiv(in.dim(axis), node.attributes().integer("num_outputs", context.outputCount()));
            long at = 0;
            for (int i = 0; i < context.outputCount(); i++) {
                if (context.hasOutput(i)) {
                    parts.add(
                            StridedViewCopy.toWhole(size(context), context.outputShape(i), at * strides[axis], strides)
                                    .launch(0, i));
                }
                at += sizes == null ? equal : sizes[i];
            }
            return inOrder(parts);
        };
    }

    static Launch inOrder(List<Launch> parts) {
        Launch[] launches = parts.toArray(new Launch[0]);
        return switch (launches.length) {
            case 0 -> context -> {};
            case 1 -> launches[0];
            default ->
                (LaunchContext context) -> {
                    for (Launch launch : launches) {
                        launch.run(context);
                    }
                };
        };
    }

    static CellKernel depthToSpace(Node node) {
        long block = node.attributes().integer("blocksize");
        boolean columnsFirst = node.attributes().text("mode", "DCR").equals("CRD");
        return context -> {
            Shape in = context.inputShape(0);
            long h = in.dim(2);
            long w = in.dim(3);
            long depth = in.dim(1) / (block * block);
            long plane = h * w;
            long channel = columnsFirst ? block * block * plane : plane;
            long unit = columnsFirst ? plane : depth * plane;
            // output axes: n, c, h, block row, w, block column
            long[] dims = {in.dim(0), depth, h, block, w, block};
            long[] steps = {in.dim(1) * plane, channel, w, block * unit, 1, unit};
            return StridedViewCopy.toWhole(size(context), Shape.of(dims), 0, steps)
                    .launch(0, 0);
        };
    }

    static CellKernel spaceToDepth(Node node) {
        long block = node.attributes().integer("blocksize");
        return context -> {
            Shape in = context.inputShape(0);
            long h = in.dim(2);
            long w = in.dim(3);
            // output axes: n, block row, block column, c, h, w
            long[] dims = {in.dim(0), block, block, in.dim(1), h / block, w / block};
            long[] steps = {in.dim(1) * h * w, w, 1, h * w, w * block, block};
            return StridedViewCopy.toWhole(size(context), Shape.of(dims), 0, steps)
                    .launch(0, 0);
        };
    }
}
