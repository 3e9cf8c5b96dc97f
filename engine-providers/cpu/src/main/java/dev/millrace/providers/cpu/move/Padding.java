package dev.millrace.providers.cpu.move;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Pad and CenterCropPad: an output coordinate outside the input is filled, or taken from inside by a rule. */
final class Padding {
    private Padding() {}

    /** A rule for the input coordinate of coordinate {@code at} of an axis of {@code extent}, which may be outside. */
    @FunctionalInterface
    private interface Outside {
        long source(long at, long extent);
    }

    static CellKernel pad(Node node) {
        String mode = node.attributes().text("mode", "constant");
        Outside rule = switch (mode) {
            case "constant" -> (at, extent) -> at < 0 || at >= extent ? Remap.FILL : at;
            case "edge" -> (at, extent) -> Math.clamp(at, 0, extent - 1);
            case "reflect" -> Padding::reflected;
            case "wrap" -> Math::floorMod;
            default ->
                throw EngineException.notImplemented(
                        node.describe() + ": mode '" + mode + "'; known are constant, edge, reflect, wrap");
        };
        return context -> {
            Shape in = context.inputShape(0);
            Shape out = context.outputShape(0);
            long[] begins = begins(context, in.rank());
            long[] @Nullable [] tables = new long[in.rank()] @Nullable [];
            for (int axis = 0; axis < tables.length; axis++) {
                tables[axis] = table(in.dim(axis), out.dim(axis), begins[axis], rule);
            }
            return launch(context, tables, context.hasInput(2) ? Integer.valueOf(2) : null);
        };
    }

    private static Launch launch(BindContext context, long[] @Nullable [] tables, @Nullable Integer fillInput) {
        Shape in = context.inputShape(0);
        if (in.equals(context.outputShape(0)) && Arrays.stream(tables).allMatch(table -> table == null)) {
            return Aliases.alias(context);
        }
        int size = Cells.size(context.outputType(0));
        return new Remap(size, in, context.outputShape(0), tables).launch(fillInput, fill(context));
    }

    /** Returns the value of old opsets' attribute, as a cell. */
    private static MemorySegment fill(BindContext context) {
        MemorySegment cell = MemorySegment.ofArray(new byte[16]);
        ElementType type = context.outputType(0);
        if (context.node().opset() < 11 && type.isFloating()) {
            Elements.setDouble(type, cell, 0, context.node().attributes().real("value", 0));
        }
        return cell;
    }

    private static long @Nullable [] table(long extent, long length, long begin, Outside rule) {
        if (begin == 0 && extent == length) {
            return null;
        }
        long[] table = new long[ArrayExtents.table("places along an axis", length, Long.BYTES)];
        for (int i = 0; i < table.length; i++) {
            table[i] = extent == 0 ? Remap.FILL : rule.source(i - begin, extent);
        }
        return table;
    }

    private static long reflected(long at, long extent) {
        if (extent == 1) {
            return 0;
        }
        long folded = Math.floorMod(at, 2 * (extent - 1));
        return folded < extent ? folded : 2 * (extent - 1) - folded;
    }

    private static long[] begins(BindContext context, int rank) {
        Node node = context.node();
        if (node.opset() < 11) {
            long[] pads = node.attributes().integers(node.opset() == 1 ? "paddings" : "pads");
            if (pads == null || pads.length < rank) {
                throw EngineException.invalidGraph(node.describe() + ": pads are missing or too few");
            }
            return Arrays.copyOf(pads, rank);
        }
        long[] pads = context.requireValue(1).longs();
        int[] axes = Params.axes(Params.longs(context, 3), rank);
        long[] begins = new long[rank];
        for (int i = 0; i < axes.length; i++) {
            begins[axes[i]] = pads[i];
        }
        return begins;
    }

    static CellKernel centerCropPad(Node node) {
        return context -> {
            Shape in = context.inputShape(0);
            Shape out = context.outputShape(0);
            long[] @Nullable [] tables = new long[in.rank()] @Nullable [];
            for (int axis = 0; axis < tables.length; axis++) {
                long more = out.dim(axis) - in.dim(axis);
                long begin = more >= 0 ? more / 2 : -(-more / 2);
                tables[axis] = table(
                        in.dim(axis), out.dim(axis), begin, (at, extent) -> at < 0 || at >= extent ? Remap.FILL : at);
            }
            return launch(context, tables, null);
        };
    }
}
