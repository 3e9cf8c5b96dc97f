package dev.millrace.providers.simd.rule.attention;

import dev.millrace.kernels.attention.Attention;
import dev.millrace.kernels.attention.AttentionCall;
import dev.millrace.kernels.attention.AttentionMask;
import dev.millrace.kernels.attention.AttentionShape;
import dev.millrace.kernels.attention.HeadRows;
import dev.millrace.kernels.attention.KeyRows;
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
    private final MemorySegment keyScales;
    private final MemorySegment valueScales;
    private final KeyValueCache writer;
    private final HeadRows queries;
    private final HeadRows rotated;
    private final HeadRows newKeys;
    private final HeadRows newValues;
    private final @Nullable HeadRows rotatedKeys;
    private final @Nullable KeyRows pastKeys;
    private final @Nullable KeyRows pastValues;
    private final KeyRows keys;
    private final KeyRows values;
    private final HeadRows out;
    private final @Nullable MemorySegment sinks;
    private final @Nullable RotaryEmbedding ofQueries;
    private final @Nullable RotaryEmbedding ofKeys;

    /** @param ofQueries the rotation of the queries of an entry of the batch, and {@code ofKeys} that of its keys; null for none */
    GroupQueryCall(
            GroupQueryStep step,
            Attention attention,
            KeyValueCache writer,
            @Nullable RotaryEmbedding ofQueries,
            @Nullable RotaryEmbedding ofKeys,
            RunMemory memory,
            GroupQueryScratch parts) {
        this.step = step;
        this.shape = step.shape();
        this.cache = step.cache();
        this.attention = attention;
        this.writer = writer;
        this.memory = memory;
        MemorySegment whole = memory.scratch();
        scratch = parts.ofAttention(whole);
        angles = parts.angles(whole);
        mask = parts.mask(whole);
        keyScales = parts.keyScales(whole);
        valueScales = parts.valueScales(whole);
        queries = rows(step.operands().queries());
        newKeys = rows(step.operands().keys());
        newValues = rows(step.operands().values());
        keys = step.ofKeys().rows(memory, step.keys(), keyScales);
        values = step.ofValues().rows(memory, step.values(), valueScales);
        out = rows(step.out());
        View ofHeads = step.operands().sinks();
        sinks = ofHeads == null ? null : memory.segment(ofHeads);
        rotated = ofQueries == null ? queries : rows(step.rotated());
        rotatedKeys = step.rotatedKeys() == null ? null : rows(step.rotatedKeys());
        pastKeys = step.pastKeys() == null ? null : step.ofKeys().rows(memory, step.pastKeys(), keyScales);
        pastValues = step.pastValues() == null ? null : step.ofValues().rows(memory, step.pastValues(), valueScales);
        this.ofQueries = ofQueries;
        this.ofKeys = ofKeys;
    }

    private HeadRows rows(View view) {
        long[] strides = view.strides();
        return new HeadRows(memory.segment(view), strides[0], strides[1], strides[2]);
    }

    @Override
    public void run(ParallelContext threads) {
        step.ofKeys().prepare(memory, keyScales);
        step.ofValues().prepare(memory, valueScales);
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
    private void copyPast(int[] past, @Nullable KeyRows from, KeyRows to, Parallel threads) {
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
        if (ofQueries == null || ofKeys == null) {
            append(ofEntry(newKeys, entry), keys, entry, past);
        } else {
            GroupQueryRotation.Angles turned = step.rotation().angles(memory, angles, entry, past);
            turned.rotate(
                    ofQueries,
                    ofEntry(queries, entry).data(),
                    ofEntry(rotated, entry).data(),
                    threads);
            MemorySegment own = ofEntry(newKeys, entry).data();
            if (rotatedKeys == null) {
                turned.rotate(ofKeys, own, keys.data().asSlice(keys.offset(entry, 0, past)), threads);
            } else {
                HeadRows ofEntry = ofEntry(rotatedKeys, entry);
                turned.rotate(ofKeys, own, ofEntry.data(), threads);
                append(ofEntry, keys, entry, past);
            }
        }
        append(ofEntry(newValues, entry), values, entry, past);
    }

    private void append(HeadRows from, KeyRows to, int entry, int past) {
        writer.append(from, to, entry, shape.keyHeads(), past, cache.now(), shape.depth());
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
