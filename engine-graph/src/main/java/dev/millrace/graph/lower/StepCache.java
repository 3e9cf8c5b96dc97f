package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import org.jspecify.annotations.Nullable;

/**
 * A cache of keys or values by row, head and step, which may be larger than its content. Rows that are beams of one
 * text share their steps: a table holds, for each step of a row, the beam of the text that has it.
 *
 * @param lengthInput the input with the number of steps that the cache holds; -1 without one
 * @param beamInput the input with the table of beams; -1 without one
 * @param isLarger whether the cache is larger than its content
 */
record StepCache(Composer c, int lengthInput, int beamInput, boolean isLarger) {
    private static final int STEPS = 2;

    StepCache {
        c.refuse(isLarger && (lengthInput < 0 || !c.has(lengthInput)), "a cache without the length of its content");
    }

    private boolean hasBeams() {
        return beamInput >= 0 && c.has(beamInput);
    }

    /** Returns the number of steps that a cache holds before those of this call. */
    private Value length(Value cache) {
        return isLarger
                ? c.op(OpName.RESHAPE, c.cast(c.input(lengthInput), ElementType.INT64), c.longs(-1))
                : c.extents(cache, STEPS, STEPS + 1);
    }

    /** Returns the previous steps that the rows of this call attend to. */
    @Nullable
    Value content(@Nullable Value cache) {
        if (cache == null) {
            return null;
        }
        Value content = isLarger ? before(cache) : cache;
        return hasBeams() ? ofBeams(content) : content;
    }

    private Value before(Value cache) {
        return c.op(OpName.SLICE, cache, c.longs(0), length(cache), c.longs(STEPS));
    }

    private Value ofBeams(Value content) {
        Value table = c.input(beamInput);
        Value rows = c.extents(content, 0, 1);
        Value byRow = c.op(OpName.RESHAPE, c.cast(table, ElementType.INT64), c.concat(0, rows, c.longs(-1)));
        Value beams = c.op(OpName.SLICE, byRow, c.longs(0), c.extents(content, STEPS, STEPS + 1), c.longs(1));
        Value row = c.op(OpName.RANGE, c.scalar(0), c.op(OpName.RESHAPE, rows, c.longs()), c.scalar(1));
        Value firstOfText = c.op(OpName.SUB, row, c.op(OpName.MOD, row, c.extents(table, 1, 2)));
        Value source = c.op(OpName.ADD, beams, c.op(OpName.UNSQUEEZE, firstOfText, c.longs(1)));
        Value bySteps = c.transpose(content, 2, 0, 1, 3);
        Value places = c.op(OpName.UNSQUEEZE, c.transpose(source, 1, 0), c.longs(2));
        Value found = c.add(c.onnx(OpName.GATHER_ND, bySteps, places).with("batch_dims", Attribute.of(1)));
        return c.transpose(found, 1, 2, 0, 3);
    }

    /** Returns the cache after this call: each row's own steps, those of this call, and the unused rest. */
    Value after(Value seen, @Nullable Value cache) {
        if (cache == null || !isLarger && !hasBeams()) {
            return seen;
        }
        Value own = seen;
        if (hasBeams()) {
            Value steps = c.op(OpName.SLICE, seen, length(cache), c.longs(Long.MAX_VALUE), c.longs(STEPS));
            own = c.concat(STEPS, before(cache), steps);
        }
        Value used = c.extents(seen, STEPS, STEPS + 1);
        return c.concat(STEPS, own, c.op(OpName.SLICE, cache, used, c.longs(Long.MAX_VALUE), c.longs(STEPS)));
    }
}
