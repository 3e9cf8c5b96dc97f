package dev.millrace.kernels.gather;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/**
 * The conversion of indices to row numbers of 32 bits, from 0 on, with a check of their range. It writes nothing but
 * the table, so that a wrong index is found before any result is written. Safe for use by several threads.
 */
public final class RowNumbers {
    /** The bytes of a table beyond four for each number. */
    private static final int EXTRA = 4;

    private final KernelSet kernels;
    private final Map<IndexTable.Part, CompiledKernel> narrow = new EnumMap<>(IndexTable.Part.class);
    private final Map<IndexTable.Part, CompiledKernel> wide = new EnumMap<>(IndexTable.Part.class);
    private final CompiledKernel run;

    public RowNumbers(KernelSet kernels) {
        this.kernels = kernels;
        for (IndexTable.Part part : IndexTable.Part.values()) {
            narrow.put(part, kernels.kernel(IndexTable.key(false, part)));
            wide.put(part, kernels.kernel(IndexTable.key(true, part)));
        }
        run = kernels.kernel(IndexRun.key());
    }

    /** The size of a table of {@code count} numbers in bytes. */
    public static long tableBytes(long count) {
        return Math.multiplyExact(4L, count) + EXTRA;
    }

    /**
     * Converts indices, each of which is the number of a row.
     *
     * @param limit the number of rows; negative indices count from it
     * @throws IndexOutOfBoundsException if an index is out of range; the message has it and its position
     */
    public void ofIndices(IndexList indices, long limit, MemorySegment table) {
        ofTuples(indices, new long[] {limit}, table);
    }

    /**
     * Converts tuples of indices, one for each dimension, to the numbers of the rows at these positions.
     *
     * @throws IndexOutOfBoundsException if an index is out of range; the message has it and its position
     */
    public void ofTuples(IndexList indices, long[] dims, MemorySegment table) {
        indices.check();
        if (dims.length == 0 || indices.count() % dims.length != 0) {
            throw new IllegalArgumentException(indices.count() + " indices are no tuples of " + dims.length);
        }
        long rows = product("indices choose among", dims, Integer.MAX_VALUE);
        long count = indices.count() / dims.length;
        checkTable(table, count);
        CallChecks.apart("the table", table, "the indices", indices.data());
        if (count == 0) {
            return;
        }
        if (rows == 0) {
            throw indices.firstWrong(dims);
        }
        Memory memory = kernels.newMemory();
        long from = memory.pointer(indices.data());
        long to = memory.pointer(table);
        long wrong = 0;
        for (int i = 0; i < dims.length; i++) {
            kernel(indices.wide(), i, dims.length)
                    .call(
                            memory,
                            from + (long) indices.bytes() * i,
                            (long) indices.bytes() * dims.length,
                            count,
                            dims[i],
                            to,
                            to + 4 * count);
            wrong |= table.get(ValueLayout.JAVA_INT_UNALIGNED, 4 * count);
        }
        Reference.reachabilityFence(indices);
        if (wrong != 0) {
            throw indices.firstWrong(dims);
        }
    }

    private CompiledKernel kernel(boolean isWide, int component, int components) {
        IndexTable.Part first = components == 1 ? IndexTable.Part.ALONE : IndexTable.Part.FIRST;
        IndexTable.Part part = component > 0 ? IndexTable.Part.FURTHER : first;
        return Objects.requireNonNull((isWide ? wide : narrow).get(part));
    }

    /** Returns the product of some dimensions, which must not exceed a limit. */
    static long product(String what, long[] dims, long most) {
        long product = 1;
        for (long dim : dims) {
            if (dim < 0) {
                throw new IllegalArgumentException(what + " dimensions of " + Arrays.toString(dims));
            }
            product = dim == 0 ? 0 : Math.multiplyExact(product, dim);
        }
        if (product > most) {
            throw new IllegalArgumentException(what + " " + product + ", not up to " + most);
        }
        return product;
    }

    private static void checkTable(MemorySegment table, long count) {
        CallChecks.bytes("the table", table, tableBytes(count));
        CallChecks.writable("the table", table);
    }

    /**
     * Converts indices that select elements to the numbers of these elements in the data.
     *
     * @throws IndexOutOfBoundsException if an index is out of range; the message has it and its position
     */
    public void ofElements(IndexList indices, ElementShape shape, MemorySegment table) {
        shape.check(indices);
        ofIndices(indices, shape.limit(), table);
        Memory memory = kernels.newMemory();
        long to = memory.pointer(table);
        for (long row = 0; row < shape.rows(); row++) {
            run.call(memory, to, shape.rowLength(), shape.scale(), shape.rowStart(row), shape.step(), 0);
            to += 4 * shape.rowLength();
        }
        Reference.reachabilityFence(table);
    }
}
