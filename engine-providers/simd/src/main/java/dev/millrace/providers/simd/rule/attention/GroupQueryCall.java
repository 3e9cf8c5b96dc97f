package dev.millrace.providers.simd.rule.attention;

import dev.millrace.kernels.attention.Attention;
import dev.millrace.kernels.attention.AttentionCall;
import dev.millrace.kernels.attention.AttentionMask;
import dev.millrace.kernels.attention.AttentionShape;
import dev.millrace.kernels.attention.HeadRows;
import dev.millrace.kernels.attention.KeyValueCache;
import dev.millrace.kernels.attention.RotaryEmbedding;
import dev.millrace.kernels.attention.VisibleKeys;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.providers.simd.program.Call;
import dev.millrace.providers.simd.program.ParallelContext;
import dev.millrace.providers.simd.program.RunMemory;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/** The step of a GroupQueryAttention on the memory of a run. */
final class GroupQueryCall implements Call {
    /** The fewest bytes for which several threads copy caches. */
    private static final long BYTES_TO_SHARE = 1 << 17;

    private final GroupQueryStep step;
    private final AttentionShape shape;
    private final GroupQueryCache cache;
    private final Attention attention;
    private final RunMemory memory;
    private final MemorySegment scratch;
    private final MemorySegment angles;
    private final MemorySegment mask;
    private final HeadRows queries;
    private final HeadRows rotated;
    private final HeadRows newKeys;
    private final HeadRows newValues;
    private final @Nullable HeadRows pastKeys;
    private final @Nullable HeadRows pastValues;
    private final HeadRows keys;
    private final HeadRows values;
    private final HeadRows out;
    private final @Nullable MemorySegment sinks;
    private final @Nullable RotaryEmbedding ofQueries;
    private final @Nullable RotaryEmbedding ofKeys;

    /**
     * @param ofQueries the rotation of the queries of an entry of the batch, and {@code ofKeys} that of its keys; null for none
     * @param anglesAt the place of the angles in the step's scratch memory, behind that of the attention
     * @param maskAt the place of the mask of a window
     */
    GroupQueryCall(
            GroupQueryStep step,
            Attention attention,
            @Nullable RotaryEmbedding ofQueries,
            @Nullable RotaryEmbedding ofKeys,
            RunMemory memory,
            long anglesAt,
            long maskAt) {
        this.step = step;
        this.shape = step.shape();
        this.cache = step.cache();
        this.attention = attention;
        this.memory = memory;
        MemorySegment whole = memory.scratch();
        scratch = whole.asSlice(0, anglesAt);
        angles = whole.asSlice(anglesAt, step.rotation().scratchBytes());
        mask = whole.asSlice(maskAt, step.maskBytes());
        queries = rows(step.operands().queries());
        newKeys = rows(step.operands().keys());
        newValues = rows(step.operands().values());
        keys = rows(step.keys());
        values = rows(step.values());
        out = rows(step.out());
        View ofHeads = step.operands().sinks();
        sinks = ofHeads == null ? null : memory.segment(ofHeads);
        rotated = ofQueries == null ? queries : rows(step.rotated());
        pastKeys = step.pastKeys() == null ? null : rows(step.pastKeys());
        pastValues = step.pastValues() == null ? null : rows(step.pastValues());
        this.ofQueries = ofQueries;
        this.ofKeys = ofKeys;
    }

    private HeadRows rows(View view) {
        long[] strides = view.strides();
        return new HeadRows(memory.segment(view), strides[0], strides[1], strides[2]);
    }

    @Override
    public void run(ParallelContext threads) {
        int[] past = cache.past(memory.segment(step.lastPlaces()), shape.batch());
        copyPast(past, pastKeys, keys, threads);
        copyPast(past, pastValues, values, threads);
        for (int entry = 0; entry < shape.batch(); entry++) {
            append(entry, past[entry], threads);
        }
        if (step.hasWindow() && !step.masksWindow()) {
            attendInWindow(past[0], threads);
        } else {
            attend(past, threads);
        }
    }

    /** Copies the past to the present, and clears what is behind the new rows, unless both are one memory. */
    private void copyPast(int[] past, @Nullable HeadRows from, HeadRows to, Parallel threads) {
        if (from != null && from.data().address() == to.data().address()) {
            return;
        }
        int heads = shape.keyHeads();
        int depth = shape.depth();
        int tasks = shape.batch() * heads;
        boolean shared = to.data().byteSize() >= BYTES_TO_SHARE;
        (shared ? threads : Parallel.NONE).run(tasks, task -> {
            int entry = task / heads;
            cache.copy(from, to, entry, task % heads, past[entry], depth);
        });
    }

    /** Rotates the queries and keys of an entry of the batch, and appends its keys and values. */
    private void append(int entry, int past, Parallel threads) {
        HeadRows toKeys = ofEntry(keys, entry).from(past);
        HeadRows toValues = ofEntry(values, entry);
        if (ofQueries == null || ofKeys == null) {
            append(ofEntry(newKeys, entry), ofEntry(keys, entry), past);
        } else {
            GroupQueryRotation.Angles turned = step.rotation().angles(memory, angles, entry, past);
            turned.rotate(
                    ofQueries,
                    ofEntry(queries, entry).data(),
                    ofEntry(rotated, entry).data(),
                    threads);
            turned.rotate(ofKeys, ofEntry(newKeys, entry).data(), toKeys.data(), threads);
        }
        append(ofEntry(newValues, entry), toValues, past);
    }

    private void append(HeadRows from, HeadRows to, int past) {
        KeyValueCache.append(from, to, 1, shape.keyHeads(), past, cache.now(), shape.depth());
    }

    private static HeadRows ofEntry(HeadRows rows, int entry) {
        return entry == 0
                ? rows
                : new HeadRows(
                        rows.data().asSlice(Float.BYTES * entry * rows.batchStride()),
                        rows.batchStride(),
                        rows.headStride(),
                        rows.rowStride());
    }

    private void attend(int[] past, Parallel threads) {
        int[] lengths = new int[past.length];
        for (int entry = 0; entry < lengths.length; entry++) {
            lengths[entry] = past[entry] + cache.now();
        }
        AttentionCall call = AttentionCall.of(shape, rotated, keys, values, out, step.scale())
                .withCap(step.cap())
                .withSinks(sinks)
                .with(bias(past))
                .with(new VisibleKeys(true, 0, lengths));
        attention.run(call, scratch, threads);
    }

    /** Attends with one query to the keys of its window. */
    private void attendInWindow(int past, Parallel threads) {
        int first = Math.max(0, past + 1 - step.window());
        int seen = past + 1 - first;
        var seenShape =
                new AttentionShape(1, shape.heads(), shape.keyHeads(), 1, seen, shape.depth(), shape.valueDepth());
        AttentionCall call = AttentionCall.of(
                        seenShape, rotated, keys.from(first), values.from(first), out, step.scale())
                .withCap(step.cap())
                .withSinks(sinks);
        attention.run(call, scratch, threads);
    }

    private AttentionMask bias(int[] past) {
        View bias = step.operands().bias();
        if (bias != null) {
            long[] strides = bias.strides();
            return new AttentionMask(
                    AttentionMask.Kind.ADDED, memory.segment(bias), strides[0], strides[1], strides[2]);
        }
        if (!step.masksWindow()) {
            return AttentionMask.NONE;
        }
        writeWindows(past);
        long ofQuery = cache.room();
        return new AttentionMask(AttentionMask.Kind.ADDED, mask, shape.queries() * ofQuery, 0, ofQuery);
    }

    /** Writes minus infinity for the keys that are too far behind a query, and zeros for the others. */
    private void writeWindows(int[] past) {
        long at = 0;
        for (int entry = 0; entry < shape.batch(); entry++) {
            for (int query = 0; query < shape.queries(); query++) {
                int first = Math.max(0, past[entry] + query + 1 - step.window());
                for (int key = 0; key < cache.room(); key++) {
                    mask.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, at++, key < first ? Float.NEGATIVE_INFINITY : 0f);
                }
            }
        }
    }
}
