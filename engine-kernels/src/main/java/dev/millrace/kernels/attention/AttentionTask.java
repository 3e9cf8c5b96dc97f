package dev.millrace.kernels.attention;

import dev.millrace.codegen.code.Recording;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.Parallel;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.jspecify.annotations.Nullable;

/**
 * A task that computes some blocks of rows on one thread. A unit is a block of rows that share their keys: queries of
 * one head, or, where each head has a single query, heads.
 */
final class AttentionTask {
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final double LOG2_E = 1 / Math.log(2);
    /** Zeros with which scratch memory is cleared: filling a slice of it would allocate the slice each time. */
    private static final MemorySegment ZEROS = Arena.global().allocate(4096).asReadOnly();

    private final AttentionKernelTable kernels;
    private final AttentionLayout layout;
    private final AttentionCall call;
    private final AttentionShape shape;
    private final MemorySegment scratch;
    private final MemorySegment softmaxArguments;
    private final Memory memory;
    private final long scratchAt;
    private final long queriesAt;
    private final long outAt;
    private final long slopesAt;
    private final long sinksAt;
    private final int sumStride;
    private final HeadBlocks blocks;
    private long packedHead = -1;

    AttentionTask(
            KernelSet set,
            AttentionKernelTable kernels,
            AttentionLayout layout,
            AttentionCall call,
            MemorySegment scratch) {
        this.kernels = kernels;
        this.layout = layout;
        this.call = call;
        this.scratch = scratch;
        shape = call.shape();
        softmaxArguments = scratch.asSlice(0, SoftmaxArguments.BYTES);
        memory = set.newMemory();
        scratchAt = memory.pointer(scratch);
        queriesAt = memory.pointer(call.queries().data());
        outAt = memory.pointer(call.out().data());
        slopesAt = pointer(call.slopes());
        sinksAt = pointer(call.sinks());
        sumStride = layout.sumStride(shape);
        RowReader keys = reader(call.keys());
        RowReader values = reader(call.values());
        blocks = layout.few()
                ? new BlocksInPlace(kernels, layout, shape, memory, scratchAt, keys, values)
                : new PackedBlocks(kernels, layout, call, memory, scratchAt, keys, values);
    }

    private RowReader reader(KeyRows rows) {
        return RowReader.of(rows, kernels, memory, scratchAt + layout.converted(), layout.blockKeys());
    }

    private long pointer(@Nullable MemorySegment segment) {
        return segment == null ? 0 : memory.pointer(segment);
    }

    private void put(int argument, long value) {
        scratch.set(LONG, argument, value);
    }

    /** Writes the arguments of the softmax that all blocks share. */
    private void constants() {
        scratch.set(FLOAT, SoftmaxArguments.SCALE, kernels.scaleOnly ? (float) (call.scale() * LOG2_E) : call.scale());
        scratch.set(FLOAT, SoftmaxArguments.CAP, call.cap());
        scratch.set(FLOAT, SoftmaxArguments.CAP_INVERSE, 1 / call.cap());
        put(SoftmaxArguments.SCORES, scratchAt + layout.scores());
        put(SoftmaxArguments.SCORE_STRIDE, layout.scoreStride());
        put(SoftmaxArguments.STATE, scratchAt + layout.state());
        put(SoftmaxArguments.SUMS, scratchAt + layout.sums());
        put(SoftmaxArguments.SUM_STRIDE, sumStride);
        boolean heads = layout.rowsAreHeads();
        put(SoftmaxArguments.VALID_STEP, call.visible().causal() && !heads ? 1 : 0);
        put(SoftmaxArguments.ROW_STEP, heads ? 0 : 1);
        long maskStride = heads ? call.mask().headStride() : call.mask().queryStride();
        put(SoftmaxArguments.MASK_STRIDE, maskStride * call.mask().kind().bytes());
        put(SoftmaxArguments.SLOPE_STRIDE, heads ? 4 : 0);
        put(SoftmaxArguments.SINK_STRIDE, heads ? 4 : 0);
    }

    void run(long firstUnit, long endUnit, Parallel threads) {
        packedHead = -1;
        constants();
        int rowBlocks = layout.blocksOfRows(shape);
        int headsOfRows = layout.headsOfRows(shape);
        long mask = call.mask().kind() == AttentionMask.Kind.NONE
                ? 0
                : memory.pointer(call.mask().data());
        for (long unit = firstUnit; unit < endUnit; unit++) {
            int first = (int) (unit % rowBlocks) * layout.blockRows();
            long rest = unit / rowBlocks;
            int headOfGroup = (int) (rest % headsOfRows);
            rest /= headsOfRows;
            int keyHead = (int) (rest % shape.keyHeads());
            int batch = (int) (rest / shape.keyHeads());
            if (rest != packedHead) {
                blocks.head(batch, keyHead);
                packedHead = rest;
            }
            int head = keyHead * shape.group() + headOfGroup;
            int rows = Math.min(layout.blockRows(), layout.rows(shape) - first);
            boolean heads = layout.rowsAreHeads();
            unit(batch, heads ? head + first : head, heads ? 0 : first, rows, mask, threads);
        }
    }

    private void unit(int batch, int head, int query, int rows, long mask, Parallel threads) {
        put(SoftmaxArguments.ROWS, rows);
        put(SoftmaxArguments.SLOPES, slopesAt + 4L * head);
        put(SoftmaxArguments.SINKS, sinksAt + 4L * head);
        int lastQuery = layout.rowsAreHeads() ? query : query + rows - 1;
        int seen = call.visible().seenUpTo(shape, batch, lastQuery);
        int seenByFirst = call.visible().seenUpTo(shape, batch, query);
        int offset = call.visible().offset(shape, batch);
        HeadRows q = call.queries();
        long queries = queriesAt + q.offset(batch, head, query);
        long queryStride = 4 * (layout.rowsAreHeads() ? q.headStride() : q.rowStride());
        if (layout.few() || seen == 0) {
            clear(layout.sums(), (long) rows * sumStride);
            clear(layout.state(), layout.stateBytes());
        }
        for (int key = 0; key < seen; key += layout.blockKeys()) {
            threads.checkCancelled();
            int keys = Math.min(layout.blockKeys(), seen - key);
            blocks.scores(queries, queryStride, rows, key, keys);
            put(SoftmaxArguments.KEYS, keys);
            put(SoftmaxArguments.VALID, firstValid(batch, query, seenByFirst) - key);
            put(SoftmaxArguments.SUM_VECTORS, key == 0 ? 0 : sumStride / (4 * layout.lanes()));
            put(SoftmaxArguments.MASK, mask + call.mask().offset(batch, head, query, key));
            put(SoftmaxArguments.DISTANCE, (long) key - offset - query);
            put(SoftmaxArguments.FIRST, key == 0 ? 1 : 0);
            long arguments = Recording.arguments(softmaxArguments, scratchAt);
            kernels.maxima.call(memory, arguments, 0, 0, 0, 0, 0);
            kernels.weights.call(memory, arguments, 0, 0, 0, 0, 0);
            blocks.values(rows, key, keys);
        }
        finish(batch, head, query, rows);
    }

    private void clear(long at, long bytes) {
        if (Recording.ofThread() != null) {
            Recording.clear(scratch.asSlice(at, bytes));
            return;
        }
        for (long done = 0; done < bytes; done += ZEROS.byteSize()) {
            MemorySegment.copy(ZEROS, 0, scratch, at + done, Math.min(bytes - done, ZEROS.byteSize()));
        }
    }

    /** Returns the number of keys that the first row attends to; it is negative where only later rows attend to any. */
    private int firstValid(int batch, int query, int seenByFirst) {
        return call.visible().causal() ? call.visible().offset(shape, batch) + query + 1 : seenByFirst;
    }

    private void finish(int batch, int head, int query, int rows) {
        HeadRows out = call.out();
        long outStride = 4 * (layout.rowsAreHeads() ? out.headStride() : out.rowStride());
        kernels.finish.call(
                memory,
                scratchAt + layout.sums(),
                outAt + out.offset(batch, head, query),
                scratchAt + layout.state(),
                sumStride | outStride << 32,
                shape.valueDepth(),
                rows);
    }
}
