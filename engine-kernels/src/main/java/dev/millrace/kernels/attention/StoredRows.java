package dev.millrace.kernels.attention;

import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Rows that are stored in another type than 32-bit floats, without gaps, by batch, head and place.
 *
 * @param data from the first row on
 * @param heads of each entry of the batch
 * @param room places of each head
 * @param depth elements of a row
 * @param scales given if and only if the type is scaled
 */
public record StoredRows(
        RowType type,
        MemorySegment data,
        long heads,
        long room,
        long depth,
        @Nullable Scales scales) implements KeyRows {
    /**
     * The scales of the elements of a row.
     *
     * @param floats a float for each element
     * @param headStride the elements from one head to the next; 0 if heads share their scales
     * @param zeros an int for each element of a row: the number that is stored for zero
     */
    public record Scales(MemorySegment floats, long headStride, MemorySegment zeros) {}

    public StoredRows {
        if (type.isScaled() != (scales != null)) {
            throw new IllegalArgumentException(
                    "rows of " + type + (scales == null ? " have no scales" : " have scales"));
        }
    }

    @Override
    public StoredRows from(long row) {
        return new StoredRows(type, data.asSlice(row * rowBytes(depth)), heads, room, depth, scales);
    }

    @Override
    public long offset(long batch, long head, long row) {
        return ((batch * heads + head) * room + row) * rowBytes(depth);
    }

    @Override
    public long rowBytes(long elements) {
        return type.bytes(elements);
    }

    @Override
    public void check(String name, long batch, long headCount, long rows, long elements) {
        if (headCount > heads || rows > room || elements != depth) {
            throw new IllegalArgumentException(name + " has " + heads + " heads of " + room + " rows of " + depth
                    + " elements, not " + headCount + " of " + rows + " of " + elements);
        }
        if (batch > 0 && headCount > 0 && rows > 0) {
            CallChecks.bytes(name, data, offset(batch - 1, headCount - 1, rows));
        }
        if (scales != null) {
            CallChecks.vector("the scales of " + name, scales.floats(), (headCount - 1) * scales.headStride() + depth);
            CallChecks.vector("the zeros of " + name, scales.zeros(), depth);
        }
    }

    /** Converts rows of a head to floats without gaps. Pointers are those of {@code memory}. */
    void read(CompiledKernel reading, Memory memory, long row, long head, long to, long rows) {
        if (scales == null) {
            reading.call(memory, to, row, rows * depth, 0, 0, 1);
        } else {
            reading.call(memory, row, to, depth, scale(memory, scales, head), memory.pointer(scales.zeros()), rows);
        }
    }

    /** Converts rows of floats without gaps to those of a head. */
    void write(CompiledKernel writing, Memory memory, long from, long head, long row, long rows) {
        if (scales == null) {
            writing.call(memory, row, from, rows * depth, 0, 0, 1);
        } else {
            writing.call(memory, from, row, depth, scale(memory, scales, head), memory.pointer(scales.zeros()), rows);
        }
    }

    private static long scale(Memory memory, Scales scales, long head) {
        return memory.pointer(scales.floats()) + Float.BYTES * head * scales.headStride();
    }
}
