package dev.millrace.kernels.gemm;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Memory;
import dev.millrace.kernels.call.CallChecks;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The packed layout of B, and its packing. B is cut into blocks of {@link GemmShape#depthOf} rows, each of these into
 * panels as wide as a tile, each of which is stored row by row. The last panel has as many whole vectors as it needs,
 * filled up with zeros.
 */
final class GemmPanels {
    private final KernelSet kernels;
    private final GemmShape shape;
    private final int lanes;
    private final int columns;
    /**
     * The packing kernels by the width of a panel, first those for rows of B, then those for columns. The array spares
     * making a key.
     */
    private final AtomicReferenceArray<CompiledKernel> packing;

    GemmPanels(KernelSet kernels, GemmShape shape) {
        this.kernels = kernels;
        this.shape = shape;
        lanes = kernels.target().lanes();
        columns = shape.vectors() * lanes;
        packing = new AtomicReferenceArray<>(2 * (columns + 1));
    }

    /** The number of columns in a panel. */
    int columns() {
        return columns;
    }

    int lanes() {
        return lanes;
    }

    String layout() {
        return "f32 even depth " + shape.depth() + " panel " + columns + " vector " + lanes;
    }

    long packedBytes(long k, long n) {
        return Math.multiplyExact(Math.multiplyExact(4L, k), paddedColumns(n));
    }

    private long paddedColumns(long n) {
        return Math.addExact(n, lanes - 1) / lanes * lanes;
    }

    void checkPacked(MemorySegment packed, long k, long n) {
        CallChecks.vector("the packed B", packed, packedBytes(k, n) / 4);
    }

    /** Returns the offset in bytes of a part of a panel in the packed B. */
    long offset(long n, long k0, long blockDepth, long column) {
        return 4 * (k0 * paddedColumns(n) + column * blockDepth);
    }

    void pack(Matrix b, long k, long n, MemorySegment packed) {
        Memory memory = kernels.newMemory();
        long from = memory.pointer(b.memory());
        long to = memory.pointer(packed);
        long depth = shape.depthOf(k);
        for (long k0 = 0; k0 < k; k0 += depth) {
            long rows = Math.min(depth, k - k0);
            for (long j = 0; j < n; j += columns) {
                int width = (int) Math.min(columns, n - j);
                panel(memory, b, from, k0, rows, j, width, to);
                to += 4 * rows * Math.ceilDiv(width, lanes) * lanes;
            }
        }
    }

    /** Packs a part of one panel. */
    void panel(Memory memory, Matrix b, long from, long k0, long rows, long column, int width, long to) {
        long step = 4 * b.stride();
        CompiledKernel kernel = packing(width, b.isColumns());
        if (b.isColumns()) {
            kernel.call(memory, from + column * step + 4 * k0, to, rows, step, 0, 0);
        } else {
            int tail = width - (Math.ceilDiv(width, lanes) - 1) * lanes;
            kernel.call(memory, from + k0 * step + 4 * column, to, rows, step, tail, 0);
        }
    }

    private CompiledKernel packing(int width, boolean transposed) {
        int index = transposed ? columns + 1 + width : width;
        CompiledKernel kernel = packing.get(index);
        if (kernel == null) {
            kernel = kernels.kernel(
                    transposed ? GemmPackTransposed.key(width) : GemmPack.key(Math.ceilDiv(width, lanes)));
            packing.set(index, kernel);
        }
        return kernel;
    }
}
