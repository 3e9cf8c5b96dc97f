package dev.millrace.providers.cpu.move;

import dev.millrace.graph.ir.Node;
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
            case "Transpose" -> Views.transpose(node);
            case "Concat" -> Views.concat(node);
            case "Split" -> Views.split(node);
            case "Slice" -> Views::slice;
            case "Expand" -> Views::expand;
            case "Tile" -> Views::tile;
            case "DepthToSpace" -> Views.depthToSpace(node);
            case "SpaceToDepth" -> Views.spaceToDepth(node);
            case "Pad" -> Padding.pad(node);
            case "CenterCropPad" -> Padding.centerCropPad(node);
            case "Gather" -> Gathering.gather(node);
            case "GatherElements" -> Gathering.gatherElements(node);
            case "GatherND" -> Gathering.gatherNd(node);
            case "ReverseSequence" -> Gathering.reverseSequence(node);
            case "Scatter", "ScatterElements" -> Scattering.elements(node);
            case "ScatterND" -> Scattering.tuples(node);
            case "TensorScatter" -> Scattering.tensor(node);
            case "OneHot" -> Fills.oneHot(node);
            case "Trilu" -> Fills.trilu(node);
            default -> null;
        };
    }

    private static @Nullable Kernel plainKernel(Node node) {
        return switch (node.op().name()) {
            case "Reshape", "Squeeze", "Unsqueeze", "Flatten" -> (ShapedKernel) Aliases::alias;
            case "Identity" -> Aliases.identity(node);
            case "BitCast" -> (ShapedKernel) Aliases::bitCast;
            case "Shape" -> Aliases.shape(node);
            case "Size" -> (ShapedKernel) Aliases::size;
            case "Constant" -> Fills.constant(node);
            case "ConstantOfShape" -> Fills.constantOfShape(node);
            case "Range" -> (ShapedKernel) Fills::range;
            case "EyeLike" -> Fills.eyeLike(node);
            default -> null;
        };
    }
}
