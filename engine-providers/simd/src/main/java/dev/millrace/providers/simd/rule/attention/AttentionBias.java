package dev.millrace.providers.simd.rule.attention;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.kernels.attention.AttentionMask;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import dev.millrace.providers.simd.rule.common.Float16Conversion;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Which keys the queries of an attention see, and how well.
 *
 * @param keys how many can be seen at most; those behind the end of a mask are not
 * @param mask by batch, head, query and key
 * @param lengths how many keys each entry of the batch has, as numbers of 64 bits
 */
record AttentionBias(
        int keys,
        AttentionMask.Kind kind,
        @Nullable View mask,
        @Nullable View lengths) {
    /**
     * The bias of a node.
     *
     * @return null where kernels cannot read it
     */
    static @Nullable AttentionBias of(
            LoweringContext op, int maskInput, @Nullable ValueState lengths, long keys, View queries) {
        View counts = null;
        if (lengths != null) {
            if (lengths.type() != ElementType.INT64
                    || op.has(maskInput) && op.in(maskInput).shape().dimAt(-1) != keys) {
                return null;
            }
            counts = op.lowering().dense(lengths);
        }
        if (!op.has(maskInput)) {
            return new AttentionBias(Math.toIntExact(keys), AttentionMask.Kind.NONE, null, counts);
        }
        ValueState mask = op.in(maskInput);
        boolean chosen = mask.type() == ElementType.BOOL;
        int rank = mask.shape().rank();
        if (!chosen && !Float16Conversion.areFloats(mask.type()) || rank < 1 || rank > 4) {
            return null;
        }
        long count = mask.shape().dimAt(-1);
        long seen = count == 1 ? keys : Math.min(count, keys);
        Shape wanted = Shape.of(
                queries.shape().dim(0), queries.shape().dim(1), queries.shape().dim(2), seen);
        return new AttentionBias(
                Math.toIntExact(seen),
                chosen ? AttentionMask.Kind.CHOSEN : AttentionMask.Kind.ADDED,
                rows(op.lowering(), chosen ? mask : Float16Conversion.widened(op, mask), wanted),
                counts);
    }

    /** The mask at strides of which the last is 1. */
    private static View rows(PartitionCompiler lowering, ValueState mask, Shape wanted) {
        View view = lowering.view(mask);
        boolean single = view.shape().dimAt(-1) == 1 && wanted.dim(3) != 1;
        boolean together =
                view.shape().dimAt(-1) == 1 || view.strides()[view.shape().rank() - 1] == 1;
        if (single) {
            Shape wider = view.shape().with(view.shape().rank() - 1, wanted.dim(3));
            View all = lowering.allocate(mask.type(), wider);
            lowering.copy(view.broadcast(wider), all, mask.name());
            view = all;
        } else if (!together) {
            view = lowering.dense(mask);
        }
        View whole = view.broadcast(wanted);
        for (long stride : whole.strides()) {
            if (stride < 0) {
                return lowering.dense(mask).broadcast(wanted);
            }
        }
        return whole;
    }

    List<View> views() {
        var views = new ArrayList<View>();
        if (mask != null) {
            views.add(mask);
        }
        if (lengths != null) {
            views.add(lengths);
        }
        return views;
    }

    AttentionMask mask(RunMemory memory) {
        if (mask == null) {
            return AttentionMask.NONE;
        }
        long[] strides = mask.strides();
        return new AttentionMask(kind, memory.segment(mask), strides[0], strides[1], strides[2]);
    }

    /** The lengths as they are in a run. */
    int[] read(MemorySegment numbers) {
        int[] read = new int[(int) (numbers.byteSize() / Long.BYTES)];
        for (int i = 0; i < read.length; i++) {
            read[i] = (int) Math.clamp(numbers.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i), 0, keys);
        }
        return read;
    }
}
