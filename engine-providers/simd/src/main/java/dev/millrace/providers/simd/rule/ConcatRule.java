package dev.millrace.providers.simd.rule;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.lower.Cell;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.lower.Op;
import dev.millrace.providers.simd.program.Storage;
import dev.millrace.providers.simd.program.View;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Concatenation: what is joined is computed in its place, where that is one piece of memory, and copied elsewhere. */
final class ConcatRule {
    private ConcatRule() {}

    static boolean lower(Op op) {
        int axis =
                Shape.axis(op.attributes().integer("axis", 1), op.out().shape().rank());
        var parts = new ArrayList<Cell>();
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
        for (Cell part : parts) {
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

    /** Channels of images in blocks, where all but the last part are whole blocks. */
    private static boolean inBlocks(Op op, int axis, List<Cell> parts) {
        Lowering lowering = op.lowering();
        int block = op.kit().block();
        boolean images = axis == 1 && op.out().shape().rank() >= 3 && op.out().isFloat();
        if (!images || parts.stream().noneMatch(Cell::isBlockedOnly)) {
            return false;
        }
        for (Cell part : parts.subList(0, parts.size() - 1)) {
            if (part.shape().dim(1) % block != 0) {
                return false;
            }
        }
        View whole = lowering.allocateBlocked(op.out());
        long batch = op.out().shape().dim(0);
        long image = View.blockedElements(op.out().shape(), block) / batch;
        long at = 0;
        for (Cell part : parts) {
            View from = lowering.blocked(part);
            long elements = View.blockedElements(part.shape(), block) / batch;
            if (batch > 1 || !moveInto(from, whole.storage(), Float.BYTES * at, parts, part)) {
                View rows = View.dense(from.storage(), from.type(), Shape.of(batch, elements), from.offset());
                View place = new View(
                        whole.storage(), whole.type(), Shape.of(batch, elements), at, new long[] {image, 1}, 0);
                lowering.copy(rows, place, part.name());
            }
            at += elements;
        }
        return true;
    }

    /** Lets a part be computed where it shall be. */
    private static boolean moveInto(View part, Storage whole, long offset, List<Cell> parts, Cell cell) {
        boolean once = parts.stream().filter(other -> other == cell).count() == 1;
        if (!once || !part.isWhole() || !part.storage().isFree() || part.storage() == whole) {
            return false;
        }
        part.storage().becomePartOf(whole, offset);
        return true;
    }
}
