package dev.millrace.kernels.attention;

import dev.millrace.codegen.code.GuardedMemory;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Random;

/** Random rows of keys or values. */
final class RandomRows {
    private RandomRows() {}

    /** Floats with gaps between them, or rows of any other type. */
    static KeyRows any(GuardedMemory memory, Random random, int batch, int heads, int rows, int depth) {
        return random.nextInt(3) == 0
                ? stored(memory, random, RowType.values()[random.nextInt(RowType.values().length)], new long[] {
                    batch, heads, rows, depth
                })
                : floats(memory, random, batch, heads, rows, depth);
    }

    static HeadRows floats(GuardedMemory memory, Random random, int batch, int heads, int rows, int depth) {
        long gap = random.nextInt(3);
        if (random.nextBoolean()) {
            long stride = depth + gap;
            long ofHead = rows * stride + random.nextInt(3);
            long size = (batch * (long) heads - 1) * ofHead + (rows - 1) * stride + depth;
            return new HeadRows(memory.random(size, random), heads * ofHead, ofHead, stride);
        }
        long stride = heads * (depth + gap);
        long size = ((long) batch * rows - 1) * stride + (heads - 1) * (depth + gap) + depth;
        return new HeadRows(memory.random(size, random), rows * stride, depth + gap, stride);
    }

    /** @param extents batch, heads, rows and depth */
    static StoredRows stored(GuardedMemory memory, Random random, RowType type, long[] extents) {
        long heads = extents[1];
        long depth = extents[3];
        MemorySegment data = memory.randomBytes(extents[0] * heads * extents[2] * type.bytes(depth), random);
        if (!type.isScaled()) {
            for (long at = 0; at < data.byteSize(); at += Short.BYTES) {
                float number = random.nextFloat() * 2 - 1;
                short bits = type == RowType.F16
                        ? Float.floatToFloat16(number)
                        : (short) (Float.floatToRawIntBits(number) >> Short.SIZE);
                data.set(ValueLayout.JAVA_SHORT_UNALIGNED, at, bits);
            }
            return new StoredRows(type, data, heads, extents[2], depth, null);
        }
        long headStride = random.nextBoolean() ? 0 : depth;
        MemorySegment scales = memory.random((heads - 1) * headStride + depth, random);
        for (long i = 0; i < scales.byteSize() / Float.BYTES; i++) {
            float most = type == RowType.S8 ? 0.01f : 0.1f;
            scales.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, most * (1 + random.nextFloat()) / 2);
        }
        MemorySegment zeros = memory.floats(depth);
        for (long i = 0; i < depth; i++) {
            zeros.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, type.zero());
        }
        return new StoredRows(type, data, heads, extents[2], depth, new StoredRows.Scales(scales, headStride, zeros));
    }
}
