package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.program.View;
import org.jspecify.annotations.Nullable;

/** Operators that are one strided copy: pixels that become channels, channels that become pixels, tiles. */
final class RearrangeRules {
    private static final int[] TO_DEPTH = {0, 3, 5, 1, 2, 4};
    private static final int[] DEPTH_FIRST = {0, 1, 4, 2, 5, 3};
    private static final int[] BLOCK_FIRST = {0, 3, 4, 1, 5, 2};

    private RearrangeRules() {}

    static @Nullable Rule named(String name) {
        return switch (name) {
            case "SpaceToDepth" -> RearrangeRules::toDepth;
            case "DepthToSpace" -> RearrangeRules::toSpace;
            case "Tile" -> RearrangeRules::tile;
            default -> null;
        };
    }

    private static boolean isMovable(Op op) {
        return op.in(0).type().bits() % Byte.SIZE == 0 && op.in(0).type().bytes(1) <= Long.BYTES;
    }

    private static boolean toDepth(Op op) {
        Shape in = op.in(0).shape();
        long block = op.attributes().integer("blocksize", 1);
        if (!isMovable(op) || in.rank() != 4) {
            return false;
        }
        Shape split = Shape.of(in.dim(0), in.dim(1), in.dim(2) / block, block, in.dim(3) / block, block);
        return copy(op, split, TO_DEPTH);
    }

    private static boolean toSpace(Op op) {
        Shape in = op.in(0).shape();
        long block = op.attributes().integer("blocksize", 1);
        if (!isMovable(op) || in.rank() != 4) {
            return false;
        }
        long depth = in.dim(1) / (block * block);
        boolean depthFirst = op.attributes().text("mode", "DCR").equals("CRD");
        Shape split = depthFirst
                ? Shape.of(in.dim(0), depth, block, block, in.dim(2), in.dim(3))
                : Shape.of(in.dim(0), block, block, depth, in.dim(2), in.dim(3));
        return copy(op, split, depthFirst ? DEPTH_FIRST : BLOCK_FIRST);
    }

    /** Splits axes, and writes the parts in another order. */
    private static boolean copy(Op op, Shape split, int[] order) {
        View parts = op.lowering().view(op.in(0)).reshaped(split);
        if (parts == null) {
            parts = op.lowering().dense(op.in(0)).reshaped(split);
        }
        if (parts == null) {
            return false;
        }
        write(op, parts.transposed(order));
        return true;
    }

    private static void write(Op op, View from) {
        View to = op.lowering().allocate(op.out());
        op.lowering()
                .copy(
                        from,
                        View.dense(to.storage(), to.type(), from.shape(), to.offset()),
                        op.out().name());
    }

    private static boolean tile(Op op) {
        if (!isMovable(op) || op.opset() < 6) {
            return false;
        }
        View view = op.lowering().view(op.in(0));
        int rank = view.shape().rank();
        long[] repeats = op.content(1).longs();
        long[] dims = new long[2 * rank];
        long[] strides = new long[2 * rank];
        boolean repeatsElements = true;
        for (int i = 0; i < rank; i++) {
            dims[2 * i] = repeats[i];
            dims[2 * i + 1] = view.shape().dim(i);
            strides[2 * i + 1] = view.strides()[i];
            repeatsElements &= repeats[i] == 1 || view.shape().dim(i) == 1;
        }
        if (repeatsElements) {
            op.lowering().provide(op.out(), view.broadcast(op.out().shape()));
        } else {
            write(op, new View(view.storage(), view.type(), Shape.of(dims), view.offset(), strides, 0));
        }
        return true;
    }
}
