package dev.millrace.providers.simd.rule.move;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.conv.ChannelMove;
import dev.millrace.providers.simd.lower.Channels;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;

/** Concatenation: what is joined is computed in its place, where that is one piece of memory, and copied elsewhere. */
final class ConcatRule {
    private ConcatRule() {}

    static boolean lower(LoweringContext op) {
        int axis =
                Shape.axis(op.attributes().integer("axis", 1), op.out().shape().rank());
        var parts = new ArrayList<ValueState>();
        for (int i = 0; i < op.inputs(); i++) {
            if (!op.has(i)) {
                return false;
            }
            if (op.in(i).elements() > 0) {
                op.lowering().materialise(op.in(i));
                parts.add(op.in(i));
            }
        }
        if (inBlocks(op, axis, parts)) {
            return true;
        }
        View whole = op.lowering().allocate(op.out());
        long[] steps = new long[whole.shape().rank()];
        Arrays.fill(steps, 1);
        long at = 0;
        for (ValueState part : parts) {
            long[] starts = new long[steps.length];
            starts[axis] = at;
            View place = whole.sliced(starts, steps, part.shape());
            at += part.shape().dim(axis);
            View from = op.lowering().view(part);
            if (!place.isDense() || !moveInto(from, whole.storage(), place.byteOffset(), parts, part)) {
                op.lowering().copy(from, place, part.name());
            }
        }
        return true;
    }

    /** Channels of images in blocks: all parts are, or all but the last one are whole blocks. */
    private static boolean inBlocks(LoweringContext op, int axis, List<ValueState> parts) {
        PartitionCompiler lowering = op.lowering();
        int block = op.environment().block();
        boolean images = axis == 1 && op.out().shape().rank() >= 3 && op.out().isFloat();
        if (!images || parts.stream().noneMatch(ValueState::isBlockedOnly)) {
            return false;
        }
        boolean wholeBlocks = parts.subList(0, parts.size() - 1).stream()
                .allMatch(part -> part.shape().dim(1) % block == 0);
        if (!wholeBlocks && !parts.stream().allMatch(part -> part.isBlockedOnly() || part.isKnown())) {
            return false;
        }
        View whole = lowering.allocateBlocked(op.out());
        int at = 0;
        for (ValueState part : parts) {
            if (isZero(part)) {
                int[] zeros = new int[(int) part.shape().dim(1)];
                Arrays.fill(zeros, ChannelMove.ZERO);
                lowering.moveChannels(part, null, whole, at, zeros);
            } else if (at % block == 0) {
                putBlocks(lowering, part, whole, at / block, parts);
            } else {
                Channels channels = Channels.of(part);
                int[] order = channels == null
                        ? IntStream.range(0, (int) part.shape().dim(1)).toArray()
                        : channels.order();
                View from = lowering.blocked(channels == null ? part : channels.source());
                lowering.moveChannels(part, from, whole, at, order);
            }
            at += (int) part.shape().dim(1);
        }
        return true;
    }

    private static boolean isZero(ValueState part) {
        Tensor known = part.isReadable() ? part.known() : null;
        if (known == null) {
            return false;
        }
        MemorySegment zeros =
                MemorySegment.ofArray(new byte[Math.toIntExact(known.segment().byteSize())]);
        return known.segment().mismatch(zeros) < 0;
    }

    /** Puts a part where a block begins. */
    private static void putBlocks(
            PartitionCompiler lowering, ValueState part, View whole, long blocks, List<ValueState> parts) {
        int block = whole.block();
        Shape shape = whole.shape();
        long batch = shape.dim(0);
        long image = View.blockedElements(shape, block) / batch;
        long at = blocks * block * shape.elements(2, shape.rank());
        View from = lowering.blocked(part);
        if (batch > 1 || !moveInto(from, whole.storage(), Float.BYTES * at, parts, part)) {
            long elements = View.blockedElements(part.shape(), block) / batch;
            View rows = View.dense(from.storage(), from.type(), Shape.of(batch, elements), from.offset());
            View place =
                    new View(whole.storage(), whole.type(), Shape.of(batch, elements), at, new long[] {image, 1}, 0);
            lowering.copy(rows, place, part.name());
        }
    }

    /** Lets a part be computed where it shall be. */
    private static boolean moveInto(View part, Storage whole, long offset, List<ValueState> parts, ValueState cell) {
        boolean once = parts.stream().filter(other -> other == cell).count() == 1;
        if (!once || !part.isWhole() || !part.storage().isFree() || part.storage() == whole) {
            return false;
        }
        part.storage().becomePartOf(whole, offset);
        return true;
    }
}
