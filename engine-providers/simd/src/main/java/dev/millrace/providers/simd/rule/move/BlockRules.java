package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Indices;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Operators that are one copy between axes split in two. */
public final class BlockRules {
    private BlockRules() {}

    public static @Nullable Rule named(String name) {
        return switch (name) {
            case OpName.TILE -> BlockRules::tile;
            case OpName.DEPTH_TO_SPACE -> BlockRules::depthToSpace;
            case "SpaceToDepth" -> BlockRules::spaceToDepth;
            default -> null;
        };
    }

    private static boolean tile(LoweringContext op) {
        Shape shape = op.in(0).shape();
        if (op.opset() < 6 || Indices.elementBytes(op.in(0).type()) == 0) {
            return false;
        }
        int rank = shape.rank();
        View from = op.lowering().view(op.in(0));
        long[] dims = new long[2 * rank];
        long[] strides = new long[2 * rank];
        boolean once = true;
        for (int i = 0; i < rank; i++) {
            dims[2 * i] = op.out().shape().dim(i) / shape.dim(i);
            dims[2 * i + 1] = shape.dim(i);
            strides[2 * i + 1] = from.strides()[i];
            once &= dims[2 * i] == 1 || shape.dim(i) == 1;
        }
        if (once) {
            op.lowering().provide(op.out(), from.broadcast(op.out().shape()));
            return true;
        }
        copy(op, new View(from.storage(), from.type(), Shape.of(dims), from.offset(), strides, 0));
        return true;
    }

    private static boolean depthToSpace(LoweringContext op) {
        Shape shape = op.in(0).shape();
        long block = op.attributes().integer("blocksize");
        if (shape.rank() != 4 || Indices.elementBytes(op.in(0).type()) == 0 || shape.dim(1) % (block * block) != 0) {
            return false;
        }
        long depth = shape.dim(1) / (block * block);
        boolean depthFirst = op.attributes().text("mode", "DCR").equals("CRD");
        Shape split = depthFirst
                ? Shape.of(shape.dim(0), depth, block, block, shape.dim(2), shape.dim(3))
                : Shape.of(shape.dim(0), block, block, depth, shape.dim(2), shape.dim(3));
        int[] order = depthFirst ? new int[] {0, 1, 4, 2, 5, 3} : new int[] {0, 3, 4, 1, 5, 2};
        copy(op, split(op, split).transposed(order));
        return true;
    }

    private static boolean spaceToDepth(LoweringContext op) {
        Shape shape = op.in(0).shape();
        long block = op.attributes().integer("blocksize");
        if (shape.rank() != 4 || Indices.elementBytes(op.in(0).type()) == 0) {
            return false;
        }
        if (shape.dim(2) % block != 0 || shape.dim(3) % block != 0) {
            return false;
        }
        Shape split = Shape.of(shape.dim(0), shape.dim(1), shape.dim(2) / block, block, shape.dim(3) / block, block);
        copy(op, split(op, split).transposed(new int[] {0, 3, 5, 1, 2, 4}));
        return true;
    }

    private static View split(LoweringContext op, Shape shape) {
        return Objects.requireNonNull(op.lowering().view(op.in(0)).reshaped(shape));
    }

    /** Copies elements into the output, whose axes are those of a view put together. */
    private static void copy(LoweringContext op, View from) {
        View to = op.lowering().allocate(op.out());
        View apart = View.dense(to.storage(), to.type(), from.shape(), to.offset());
        op.lowering().copy(from, apart, op.node().name());
    }
}
