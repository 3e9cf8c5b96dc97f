package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelCache;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.ParallelThresholds;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * Moves rows of bytes by tables that {@link RowNumbers} made for as many rows as there are. Memory is native (heap
 * memory only where kernels are interpreted). Safe for use by several threads.
 */
public final class RowGather {
    private static final int MAX_WIDTH = 1 << 30;
    /** Moved at a time, in bytes, where rows are written in their order. */
    private static final long BYTES_AT_ONCE = 1 << 22;

    private final KernelSet kernels;
    private final CompiledKernel gather;
    private final KernelCache<Integer> elements;
    private final KernelCache<Integer> putElements;
    private final Map<RowMove.Update, CompiledKernel> scatter = new EnumMap<>(RowMove.Update.class);

    public RowGather(KernelSet kernels) {
        this.kernels = kernels;
        gather = kernels.kernel(RowMove.gather());
        elements = new KernelCache<>(kernels, ElementGather::key);
        putElements = new KernelCache<>(kernels, ElementScatter::key);
        for (RowMove.Update update : RowMove.Update.values()) {
            scatter.put(update, kernels.kernel(RowMove.scatter(update)));
        }
    }

    /**
     * Copies chosen rows from each of several blocks of data, which lie one behind the other, as the results do.
     *
     * @param table numbers of rows, all below {@code rows}
     * @param rows in each block
     * @param width of a row in bytes
     */
    public void gather(
            MemorySegment table,
            long count,
            MemorySegment data,
            long blocks,
            long rows,
            long width,
            MemorySegment out,
            Parallel parallel) {
        checkWidth(width);
        CallChecks.bytes("the table", table, Math.multiplyExact(4L, count));
        CallChecks.bytes("the data", data, Math.multiplyExact(Math.multiplyExact(blocks, rows), width));
        CallChecks.bytes("the output", out, Math.multiplyExact(Math.multiplyExact(blocks, count), width));
        CallChecks.writable("the output", out);
        CallChecks.apart("the output", out, "the data", data);
        CallChecks.apart("the output", out, "the table", table);
        long total = blocks * count;
        if (total == 0 || width == 0) {
            return;
        }
        int tasks = (int)
                Math.min(total, ParallelThresholds.tasks(total * width, ParallelThresholds.BYTES, parallel.width()));
        try {
            parallel.run(tasks, task -> {
                Memory memory = kernels.newMemory();
                long numbers = memory.pointer(table);
                long from = memory.pointer(data);
                long to = memory.pointer(out);
                long end = total * (task + 1) / tasks;
                long row = total * task / tasks;
                while (row < end) {
                    long block = row / count;
                    long first = row % count;
                    boolean whole = first == 0 && end - row >= count;
                    long some = Math.min(count - first, end - row);
                    long block0 = from + block * rows * width;
                    long at = to + row * width;
                    if (ElementGather.takes(width)) {
                        long together = whole ? (end - row) / count : 1;
                        elements.kernel((int) width)
                                .call(memory, numbers + 4 * first, block0, at, some, together, rows * width);
                        row += some * together;
                    } else {
                        gather.call(memory, numbers + 4 * first, block0, at, width | width << 32, some, width);
                        row += some;
                    }
                }
            });
        } finally {
            Reference.reachabilityFence(data);
            Reference.reachabilityFence(out);
            Reference.reachabilityFence(table);
        }
    }

    /**
     * Writes rows to chosen places, in their order: of two with one number the last one stays, or both count.
     *
     * @param table numbers of rows of the output, all below {@code rows}
     * @param update what becomes of what is there; other than SET for fp32 elements only
     * @param width of a row in bytes
     */
    public void scatter(
            MemorySegment table,
            long count,
            MemorySegment segment,
            RowMove.Update update,
            MemorySegment out,
            long rows,
            long width,
            Parallel parallel) {
        checkWidth(width);
        if (update != RowMove.Update.SET && width % 4 != 0) {
            throw new IllegalArgumentException("rows of " + width + " bytes are no floats to " + update);
        }
        CallChecks.bytes("the table", table, Math.multiplyExact(4L, count));
        CallChecks.bytes("the rows", segment, Math.multiplyExact(count, width));
        CallChecks.bytes("the output", out, Math.multiplyExact(rows, width));
        CallChecks.writable("the output", out);
        CallChecks.apart("the output", out, "the rows", segment);
        CallChecks.apart("the output", out, "the table", table);
        if (count == 0 || width == 0) {
            return;
        }
        if (ElementGather.takes(width) && update == RowMove.Update.SET) {
            putElements(table, count, segment, (int) width, out, parallel);
            return;
        }
        CompiledKernel kernel = Objects.requireNonNull(scatter.get(update));
        long lines = Math.max(1, width / 64);
        int tasks = (int)
                Math.min(lines, ParallelThresholds.shares(count * width, ParallelThresholds.BYTES, parallel.width()));
        try {
            parallel.run(tasks, task -> {
                Memory memory = kernels.newMemory();
                long first = task * lines / tasks * 64;
                long end = task == tasks - 1 ? width : (task + 1) * lines / tasks * 64;
                long most = Math.max(1, BYTES_AT_ONCE / (end - first));
                for (long row = 0; row < count; row += most) {
                    parallel.checkCancelled();
                    kernel.call(
                            memory,
                            memory.pointer(table) + 4 * row,
                            memory.pointer(segment) + row * width + first,
                            memory.pointer(out) + first,
                            width | width << 32,
                            Math.min(most, count - row),
                            end - first);
                }
            });
        } finally {
            Reference.reachabilityFence(segment);
            Reference.reachabilityFence(out);
            Reference.reachabilityFence(table);
        }
    }

    private void putElements(
            MemorySegment table, long count, MemorySegment segment, int bytes, MemorySegment out, Parallel parallel) {
        Memory memory = kernels.newMemory();
        try {
            CompiledKernel kernel = putElements.kernel(bytes);
            long most = BYTES_AT_ONCE / bytes;
            for (long row = 0; row < count; row += most) {
                parallel.checkCancelled();
                long numbers = memory.pointer(table) + 4 * row;
                long from = memory.pointer(segment) + row * bytes;
                kernel.call(memory, numbers, from, memory.pointer(out), Math.min(most, count - row), 0, 0);
            }
        } finally {
            Reference.reachabilityFence(segment);
            Reference.reachabilityFence(out);
            Reference.reachabilityFence(table);
        }
    }

    private static void checkWidth(long width) {
        if (width < 0 || width > MAX_WIDTH) {
            throw new IllegalArgumentException("rows have " + width + " bytes, not 0 to 2^30");
        }
    }
}
