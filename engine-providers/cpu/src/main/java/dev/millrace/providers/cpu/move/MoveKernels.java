package dev.millrace.providers.cpu.move;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/** The kernels of operators that move elements. */
public final class MoveKernels {
    private MoveKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        CellKernel cells = cellKernel(node);
        return cells != null ? CellKernel.of(cells) : plainKernel(node);
    }

    private static @Nullable CellKernel cellKernel(Node node) {
        return switch (node.op().name()) {
            case OpName.TRANSPOSE -> Views.transpose(node);
            case OpName.CONCAT -> Views.concat(node);
            case OpName.SPLIT -> Views.split(node);
            case OpName.SLICE -> Views::slice;
            case OpName.EXPAND -> Views::expand;
            case OpName.TILE -> Views::tile;
            case OpName.DEPTH_TO_SPACE -> Views.depthToSpace(node);
            case "SpaceToDepth" -> Views.spaceToDepth(node);
            case OpName.PAD -> Padding.pad(node);
            case "CenterCropPad" -> Padding.centerCropPad(node);
            case OpName.GATHER -> Gathering.gather(node);
            case "GatherElements" -> Gathering.gatherElements(node);
            case OpName.GATHER_ND -> Gathering.gatherNd(node);
            case "ReverseSequence" -> Gathering.reverseSequence(node);
            case "Scatter", OpName.SCATTER_ELEMENTS -> Scattering.elements(node);
            case OpName.SCATTER_ND -> Scattering.tuples(node);
            case "TensorScatter" -> Scattering.tensor(node);
            case OpName.ONE_HOT -> Fills.oneHot(node);
            case OpName.TRILU -> Fills.trilu(node);
            default -> null;
        };
    }

    private static @Nullable Kernel plainKernel(Node node) {
        return switch (node.op().name()) {
            case OpName.RESHAPE, OpName.SQUEEZE, OpName.UNSQUEEZE, OpName.FLATTEN -> (ShapedKernel) Aliases::alias;
            case OpName.IDENTITY -> Aliases.identity(node);
            case "BitCast" -> (ShapedKernel) Aliases::bitCast;
            case OpName.SHAPE -> Aliases.shape(node);
            case OpName.SIZE -> (ShapedKernel) Aliases::size;
            case OpName.CONSTANT -> Fills.constant(node);
            case OpName.CONSTANT_OF_SHAPE -> Fills.constantOfShape(node);
            case OpName.RANGE -> (ShapedKernel) Fills::range;
            case "EyeLike" -> Fills.eyeLike(node);
            default -> null;
        };
    }
}
