package dev.millrace.providers.cpu.select;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Layouts;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.move.CellLoops;
import dev.millrace.providers.cpu.move.Cells;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Kernel;
import java.lang.foreign.MemorySegment;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that choose elements by their values. */
public final class SelectKernels {
    private SelectKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case "TopK" -> TopK.kernel(node);
            case "NonZero" -> (DynamicKernel) SelectKernels::nonZero;
            case "Compress" -> (DynamicKernel) SelectKernels::compress;
            case "Unique" -> (DynamicKernel) Distinct::run;
            case "NonMaxSuppression" -> (DynamicKernel) Boxes::suppress;
            default -> null;
        };
    }

    private static void nonZero(DynamicContext context) {
        Tensor data = context.tensor(0);
        long count = 0;
        for (long i = 0; i < data.elements(); i++) {
            context.checkCancelled(i);
            count += isZero(data, i) ? 0 : 1;
        }
        int rank = data.shape().rank();
        Tensor places = Tensor.allocate(ElementType.INT64, Shape.of(rank, count));
        long[] place = new long[rank];
        long at = 0;
        for (long i = 0; i < data.elements(); i++) {
            context.checkCancelled(i);
            if (!isZero(data, i)) {
                for (int axis = 0; axis < rank; axis++) {
                    places.segment().set(Layouts.LONG, (axis * count + at) * Long.BYTES, place[axis]);
                }
                at++;
            }
            for (int axis = rank - 1; axis >= 0 && ++place[axis] == data.shape().dim(axis); axis--) {
                place[axis] = 0;
            }
        }
        context.output(0, places);
    }

    private static boolean isZero(Tensor data, long index) {
        return switch (data.type().kind()) {
            case TEXT -> data.strings()[(int) index].isEmpty();
            case FLOATING -> Elements.getDouble(data.type(), data.segment(), index) == 0;
            default -> Elements.getLong(data.type(), data.segment(), index) == 0;
        };
    }

    private static void compress(DynamicContext context) {
        Tensor data = context.tensor(0);
        boolean flat = !context.node().attributes().has("axis");
        Shape shape = flat ? Shape.of(data.elements()) : data.shape();
        int axis = flat ? 0 : Shape.axis(context.node().attributes().integer("axis"), shape.rank());
        boolean[] chosen = context.tensor(1).booleans();
        int limit = (int) Math.min(chosen.length, shape.dim(axis));
        int[] places = IntStream.range(0, limit).filter(i -> chosen[i]).toArray();
        int count = places.length;
        Tensor result = Tensor.allocate(data.type(), shape.with(axis, count));
        var cells = new Cells();
        MemorySegment from = cells.of(data);
        boolean converted = Cells.areConverted(data.type());
        MemorySegment to = converted ? Cells.allocate(data.type(), result.elements()) : result.segment();
        long inner = shape.elements(axis + 1, shape.rank());
        long at = 0;
        long outers = result.elements() == 0 ? 0 : shape.elements(0, axis);
        for (long outer = 0; outer < outers; outer++) {
            context.checkCancelled(outer);
            long first = outer * shape.dim(axis);
            if (inner == 1) {
                CellLoops.gather(Cells.size(data.type()), from, first, places, to, at);
                at += count;
                continue;
            }
            for (int place : places) {
                CellLoops.copy(Cells.size(data.type()), from, (first + place) * inner, to, at, inner);
                at += inner;
            }
        }
        if (converted) {
            cells.store(to, result);
        }
        context.output(0, result);
    }
}
