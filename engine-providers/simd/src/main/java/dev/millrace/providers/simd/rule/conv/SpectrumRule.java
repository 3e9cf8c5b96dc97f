package dev.millrace.providers.simd.rule.conv;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.fft.Sinusoids;
import dev.millrace.kernels.fft.Spectra;
import dev.millrace.kernels.image.Axis;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.weights.Layout;
import dev.millrace.providers.simd.weights.Weights;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions of signals that are a Fourier transform under a window, as exporters write spectra: one of cosines beside
 * one of sines, or both in one. They become fast transforms, which take a tenth of the time and round less.
 */
final class SpectrumRule {
    /** One frame takes as long as a block of them. */
    private static final int LEAST_FRAMES = 2;

    private SpectrumRule() {}

    /** Lowers a convolution, and the other half of its transform with it; false where it is none. */
    static boolean lower(LoweringContext op, ValueState signals, Axis axis, ConvWeights.Fixed weights) {
        if (op.environment().isStrict()
                || !weights.weights().areWide()
                || weights.bias() != null
                || !Sinusoids.isLength(axis.taps())
                || axis.out() < LEAST_FRAMES) {
            return false;
        }
        var sinusoids = new Sinusoids(axis.taps());
        long rows = weights.shape().dim(0);
        if (rows == 2L * sinusoids.frequencies()) {
            MemorySegment packed = packed(op, sinusoids, weights.weights().tensor(), null);
            if (packed == null) {
                return false;
            }
            op.lowering().provide(op.out(), spectra(op, sinusoids, signals, axis, packed));
            return true;
        }
        LoweringContext other = rows == sinusoids.frequencies() ? otherHalf(op) : null;
        MemorySegment packed = other == null
                ? null
                : packed(op, sinusoids, weights.weights().tensor(), other.in(1).known());
        if (other == null || packed == null) {
            return false;
        }
        View all = spectra(op, sinusoids, signals, axis, packed);
        op.lowering().provide(op.out(), half(all, 0));
        op.lowering().provide(other.out(), half(all, 1));
        return true;
    }

    private static View half(View all, int number) {
        long rows = all.shape().dim(1) / 2;
        Shape shape = Shape.of(all.shape().dim(0), rows, all.shape().dim(2));
        return all.sliced(new long[] {0, number * rows, 0}, new long[] {1, 1, 1}, shape);
    }

    /** A convolution of the same windows with as many weights, which is still to come. */
    private static @Nullable LoweringContext otherHalf(LoweringContext op) {
        for (LoweringContext other : op.others()) {
            boolean alike = other.name().equals(op.name())
                    && other.attributes().equals(op.attributes())
                    && other.find(2) == null
                    && other.wants(0)
                    && !other.out().isInMemory();
            Tensor weights = alike ? other.in(1).known() : null;
            if (weights != null
                    && weights.type() == ElementType.FLOAT
                    && weights.shape().equals(op.in(1).shape())) {
                return other;
            }
        }
        return null;
    }

    /** Tables for the transform that the weights are, or null where they are none. */
    private static @Nullable MemorySegment packed(
            LoweringContext op, Sinusoids sinusoids, Tensor first, @Nullable Tensor second) {
        Weights weights = op.environment().weights();
        List<Tensor> sources = second == null ? List.of(first) : List.of(first, second);
        var layout = Layout.of("transform of " + sinusoids.points(), sinusoids.packedBytes());
        MemorySegment packed = weights.filled(sources, layout, target -> {
            MemorySegment one = weights.plain(first);
            MemorySegment other = second == null ? one.asSlice(one.byteSize() / 2) : weights.plain(second);
            sinusoids.pack(one, other, target);
        });
        return Sinusoids.order(packed) == Sinusoids.Order.NONE ? null : packed;
    }

    private static View spectra(
            LoweringContext op, Sinusoids sinusoids, ValueState signals, Axis axis, MemorySegment packed) {
        PartitionCompiler lowering = op.lowering();
        int batch = Math.toIntExact(signals.shape().dim(0));
        var frames = new Spectra.Frames(batch, axis.in(), axis.out(), axis.stride());
        View from = lowering.dense(signals);
        View tables =
                View.dense(Storage.constant(packed), ElementType.FLOAT, Shape.of(packed.byteSize() / Float.BYTES));
        View to = lowering.allocate(ElementType.FLOAT, Shape.of(batch, 2L * sinusoids.frequencies(), axis.out()));
        Spectra spectra = op.environment()
                .driver(
                        List.of(Spectra.class, sinusoids.points()),
                        () -> new Spectra(op.environment().kernels(), sinusoids));
        lowering.add(ProgramStep.of(
                        () -> "transforms of " + batch + "x" + axis.out() + "x" + axis.taps(),
                        op.node().name())
                .reading(from, tables)
                .writing(to)
                .work((long) batch * axis.out() * sinusoids.work())
                .repeating()
                .calling(memory -> {
                    MemorySegment in = memory.segment(from);
                    MemorySegment table = memory.segment(tables);
                    MemorySegment out = memory.segment(to);
                    return crew -> spectra.run(frames, in, table, out, crew);
                }));
        return to;
    }
}
