package dev.millrace.providers.cpu.image;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.scheduler.kernel.Kernel;
import org.jspecify.annotations.Nullable;

/** The kernels of operators on images. */
public final class ImageKernels {
    private ImageKernels() {}

    /** The kernel for this node of whatever domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case OpName.RESIZE, OpName.UPSAMPLE -> ResizeKernel.kernel(node);
            case OpName.GRID_SAMPLE -> GridSample.kernel(node);
            case "AffineGrid" -> PatchKernels.affineGrid(node);
            case "Col2Im" -> PatchKernels.col2Im(node);
            case "RoiAlign" -> RoiAlign.kernel(node);
            case "MaxRoiPool" -> MaxRoiPool.kernel(node);
            case "ImageDecoder" -> new ImageDecoder(node);
            case "CropAndResize" -> new CropResize(node);
            default -> null;
        };
    }
}
