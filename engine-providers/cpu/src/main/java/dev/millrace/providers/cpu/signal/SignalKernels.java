package dev.millrace.providers.cpu.signal;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.providers.cpu.move.Generated;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import org.jspecify.annotations.Nullable;

/** The kernels of operators on signals. */
public final class SignalKernels {
    private SignalKernels() {}

    /** The kernel for this node of ONNX's own domain, or null where this family has none. */
    public static @Nullable Kernel create(Node node) {
        return switch (node.op().name()) {
            case "HannWindow" -> window(node, 0.5, 0.5, 0);
            case "HammingWindow" -> window(node, 25.0 / 46, 21.0 / 46, 0);
            case "BlackmanWindow" -> window(node, 0.42, 0.5, 0.08);
            case "MelWeightMatrix" -> (ShapedKernel) SignalKernels::mel;
            case OpName.DFT -> FourierKernels.dft(node);
            case "STFT" -> FourierKernels.stft(node);
            default -> null;
        };
    }

    /** A window {@code a - b cos(2 pi i / n) + c cos(4 pi i / n)}. */
    private static ShapedKernel window(Node node, double a, double b, double c) {
        boolean periodic = node.attributes().flag("periodic", true);
        return context -> {
            long length = context.outputShape(0).elements();
            double n = periodic ? length : length - 1;
            return Generated.launch(context, 1024, (type, window, from, to) -> {
                for (long i = from; i < to; i++) {
                    double angle = n == 0 ? 0 : 2 * Math.PI * i / n;
                    double value = a - b * Math.cos(angle) + c * Math.cos(2 * angle);
                    Elements.setDouble(type, window, i, value);
                }
            });
        };
    }

    /** Triangles on the mel scale over the bins of a spectrum. */
    private static Launch mel(BindContext context) {
        Shape shape = context.outputShape(0);
        long bands = shape.dim(1);
        long length = context.requireValue(1).longs()[0];
        long rate = context.requireValue(2).longs()[0];
        double low = toMel(context.requireValue(3).doubles()[0]);
        double high = toMel(context.requireValue(4).doubles()[0]);
        long[] bins = new long[ArrayExtents.table("mel bands", bands + 2, Long.BYTES)];
        for (int i = 0; i < bins.length; i++) {
            double hertz = 700 * (Math.pow(10, (low + i * (high - low) / bins.length) / 2595) - 1);
            bins[i] = Math.clamp((long) Math.floor((length + 1) * hertz / rate), 0, shape.dim(0) - 1);
        }
        return Generated.launch(context, 4096, (type, matrix, from, to) -> {
            for (long i = from; i < to; i++) {
                int band = (int) (i % bands);
                Elements.setDouble(type, matrix, i, weight(i / bands, bins[band], bins[band + 1], bins[band + 2]));
            }
        });
    }

    /** The height at {@code bin} of the triangle that rises from {@code left} to {@code top} and ends at {@code right}. */
    private static double weight(long bin, long left, long top, long right) {
        if (bin < left || bin >= right && bin != top) {
            return 0;
        }
        if (bin <= top) {
            return top == left ? 1 : (double) (bin - left) / (top - left);
        }
        return (double) (right - bin) / (right - top);
    }

    private static double toMel(double hertz) {
        return 2595 * Math.log10(1 + hertz / 700);
    }
}
