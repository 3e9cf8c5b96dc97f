package dev.millrace.providers.cpu.select;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.DynamicContext;
import dev.millrace.scheduler.kernel.DynamicKernel;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that choose elements by their values. */
public final class SelectKernels {
    private static final int BLOCK = 4096;

    private SelectKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case OpName.TOP_K -> TopKKernel.kernel(node);
            case OpName.NON_ZERO -> (DynamicKernel) SelectKernels::nonZero;
            case OpName.COMPRESS -> (DynamicKernel) SelectKernels::compress;
            case OpName.UNIQUE -> (DynamicKernel) Distinct::run;
            case "NonMaxSuppression" -> (DynamicKernel) Boxes::suppress;
            default -> null;
        };
    }

    private static void nonZero(DynamicContext context) {
        Tensor data = context.tensor(0);
        boolean[] there = areThere(context, data);
        int count = 0;
        for (boolean one : there) {
            count += one ? 1 : 0;
        }
        int rank = data.shape().rank();
        Tensor places = context.allocate(ElementType.INT64, Shape.of(rank, count));
        long[] along = new long[count];
        long step = 1;
        for (int axis = rank - 1; axis >= 0; axis--) {
            context.checkCancelled();
            long extent = data.shape().dim(axis);
            write(there, step, extent, along);
            Elements.write(ElementType.INT64, places.segment(), (long) axis * count, along, 0, count);
            step *= extent;
        }
        context.output(0, places);
    }

    /** The coordinates of the elements that are there along an axis, whose places are {@code step} elements apart. */
    private static void write(boolean[] there, long step, long extent, long[] along) {
        int found = 0;
        long coordinate = 0;
        long left = step;
        for (boolean one : there) {
            if (one) {
                along[found++] = coordinate;
            }
            if (--left == 0) {
                left = step;
                coordinate = coordinate + 1 == extent ? 0 : coordinate + 1;
            }
        }
    }

    private static boolean[] areThere(DynamicContext context, Tensor data) {
        boolean[] there = new boolean[ArrayExtents.table("elements to look at", data.elements(), 1)];
        boolean areReal = data.type().kind() == ElementType.Kind.FLOATING;
        int most = Math.min(BLOCK, there.length);
        double[] reals = new double[areReal ? most : 0];
        long[] integers = new long[areReal ? 0 : most];
        for (int at = 0; at < there.length; at += BLOCK) {
            context.checkCancelled();
            int count = Math.min(BLOCK, there.length - at);
            switch (data.type().kind()) {
                case TEXT -> {
                    for (int i = 0; i < count; i++) {
                        there[at + i] = !data.strings()[at + i].isEmpty();
                    }
                }
                case FLOATING -> {
                    Elements.read(data.type(), data.segment(), at, reals, 0, count);
                    for (int i = 0; i < count; i++) {
                        there[at + i] = reals[i] != 0;
                    }
                }
                default -> {
                    Elements.read(data.type(), data.segment(), at, integers, 0, count);
                    for (int i = 0; i < count; i++) {
                        there[at + i] = integers[i] != 0;
                    }
                }
            }
        }
        return there;
    }

    private static void compress(DynamicContext context) {
        Tensor data = context.tensor(0);
        boolean flat = !context.node().attributes().has("axis");
        Shape shape = flat ? Shape.of(data.elements()) : data.shape();
        int axis = flat ? 0 : Shape.axis(context.node().attributes().integer("axis"), shape.rank());
        boolean[] chosen = areThere(context, context.tensor(1));
        int limit = (int) Math.min(chosen.length, shape.dim(axis));
        int[] places = new int[limit];
        int count = 0;
        for (int i = 0; i < limit; i++) {
            context.checkCancelled(i);
            if (chosen[i]) {
                places[count++] = i;
            }
        }
        context.output(0, Slices.gather(context, data.reshaped(shape), axis, Arrays.copyOf(places, count)));
    }
}
