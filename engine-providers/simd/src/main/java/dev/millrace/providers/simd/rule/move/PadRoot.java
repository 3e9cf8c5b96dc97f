package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.image.Axis;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.UnfusedRoot;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A padded value that is computed only where its consumers need it in memory: a convolution handles zeros around images
 * by itself.
 */
public final class PadRoot implements UnfusedRoot {
    private static final long ALIGNMENT = 16;

    private final PartitionCompiler lowering;
    private final ValueState in;
    private final Shape out;
    private final List<List<PadRun>> runs;
    private final @Nullable ValueState value;

    /** @param value the element that fills runs, zero if null */
    PadRoot(PartitionCompiler lowering, ValueState in, Shape out, List<List<PadRun>> runs, @Nullable ValueState value) {
        this.lowering = lowering;
        this.in = in;
        this.out = out;
        this.runs = runs;
        this.value = value;
    }

    /** Returns the zero padding of images that a value is the result of, or null where it is none. */
    public static @Nullable PadRoot ofZeros(ValueState cell) {
        return cell.root() instanceof PadRoot pad && pad.isOfZeros() ? pad : null;
    }

    private boolean isOfZeros() {
        for (int i = 0; i < runs.size(); i++) {
            boolean keepsAll = in.shape().dim(i) <= out.dim(i)
                    && data(i).count() == in.shape().dim(i);
            if (!keepsAll || i < 2 && in.shape().dim(i) != out.dim(i)) {
                return false;
            }
        }
        return in.isFloat() && fill() == 0 && runs.stream().allMatch(PadRoot::isOnce);
    }

    /** Whether elements of an axis come from the data once, in order. */
    private static boolean isOnce(List<PadRun> axis) {
        return axis.stream().filter(run -> !run.isFilled()).count() == 1;
    }

    private PadRun data(int axis) {
        return runs.get(axis).stream()
                .filter(run -> !run.isFilled())
                .findFirst()
                .orElse(new PadRun(0, 0, 0, 1));
    }

    /** The filling number, or NaN where only a run knows it. */
    private double fill() {
        if (value == null) {
            return 0;
        }
        Tensor known = value.known();
        return known == null ? Double.NaN : known.doubles()[0];
    }

    /** The value that is padded. */
    public ValueState source() {
        return in;
    }

    /** Returns the axes of a window over the padded value as axes over its source. */
    public Axis[] overSource(Axis[] axes) {
        Axis[] wider = axes.clone();
        for (int i = 2; i < out.rank(); i++) {
            int at = axes.length - out.rank() + i;
            Axis axis = axes[at];
            int before = axis.before() + Math.toIntExact(data(i).at());
            wider[at] = new Axis(
                    Math.toIntExact(in.shape().dim(i)),
                    axis.out(),
                    axis.taps(),
                    axis.stride(),
                    axis.dilation(),
                    before);
        }
        return wider;
    }

    @Override
    public void emit(ValueState result) {
        lowering.materialise(in);
        if (in.isBlockedOnly() && staysInBlocks()) {
            blocked(result);
        } else {
            View from = lowering.view(in);
            add(result, from, from.strides(), runs, lowering.allocate(result), out.toArray());
        }
    }

    /** Whether only pixels are padded, by numbers that do no harm in the padding of blocks. */
    private boolean staysInBlocks() {
        boolean pixels = in.shape().dim(0) == out.dim(0) && in.shape().dim(1) == out.dim(1);
        boolean harmless = Double.isFinite(fill())
                || in.shape().dim(1) % lowering.environment().block() == 0;
        return pixels && harmless && data(0).at() == 0 && data(1).at() == 0;
    }

    private void blocked(ValueState result) {
        View from = lowering.blocked(in);
        View to = lowering.allocateBlocked(result);
        long planes = out.dim(0) * Math.ceilDiv(out.dim(1), from.block());
        var axes = new ArrayList<List<PadRun>>();
        axes.add(PadRun.of("edge", planes, planes, 0));
        axes.addAll(runs.subList(2, runs.size()));
        axes.add(PadRun.of("edge", from.block(), from.block(), 0));
        add(
                result,
                from,
                dims(planes, in.shape(), from.block()).strides(),
                axes,
                to,
                dims(planes, out, to.block()).toArray());
    }

    private static Shape dims(long planes, Shape images, int block) {
        long[] dims = new long[images.rank()];
        dims[0] = planes;
        for (int i = 2; i < dims.length; i++) {
            dims[i - 1] = images.dim(i);
        }
        dims[dims.length - 1] = block;
        return Shape.of(dims);
    }

    private void add(ValueState result, View from, long[] strides, List<List<PadRun>> axes, View to, long[] dims) {
        int bytes = Math.toIntExact(from.type().bytes(1));
        var copies = new PadCopies(lowering.environment().kernels(), bytes, strides, axes, dims);
        View filling = filling(from.type());
        lowering.add(ProgramStep.of("pad", result.name())
                .reading(from, filling)
                .writing(to)
                .repeating()
                .calling(memory -> {
                    MemorySegment data = memory.segment(from);
                    MemorySegment element = memory.segment(filling);
                    MemorySegment padded = memory.segment(to);
                    return crew -> copies.run(data, element, padded, crew);
                }));
    }

    private View filling(ElementType type) {
        if (value != null) {
            return lowering.dense(value);
        }
        MemorySegment element = Arena.ofAuto().allocate(type.bytes(1), ALIGNMENT);
        return View.dense(Storage.constant(element), type, Shape.SCALAR);
    }
}
