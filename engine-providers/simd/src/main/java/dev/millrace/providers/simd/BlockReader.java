package dev.millrace.providers.simd;

import dev.millrace.graph.tensor.Layouts;
import dev.millrace.graph.tensor.Shape;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Reads a tensor as if it had been broadcast to a larger shape: any run of the broadcast elements, by position. Axes
 * that lie alike are merged, so that most readers are a plain copy, one repeated element or one repeated row.
 */
final class BlockReader {
    private final long[] extents;
    private final long[] strides;
    private final boolean plain;
    private final boolean single;

    private BlockReader(long[] extents, long[] strides) {
        this.extents = extents;
        this.strides = strides;
        this.single = Arrays.stream(strides).allMatch(stride -> stride == 0);
        this.plain = extents.length == 1 && strides[0] == 1;
    }

    /** A reader of {@code tensor} as {@code shape}, which it broadcasts to. */
    static BlockReader of(Shape tensor, Shape shape) {
        long[] own = tensor.strides();
        int missing = shape.rank() - tensor.rank();
        long[] extents = new long[shape.rank() + 1];
        long[] strides = new long[shape.rank() + 1];
        int axes = 0;
        for (int axis = 0; axis < shape.rank(); axis++) {
            long extent = shape.dim(axis);
            if (extent == 1) {
                continue;
            }
            long stride = axis < missing || tensor.dim(axis - missing) == 1 ? 0 : own[axis - missing];
            if (axes > 0 && strides[axes - 1] == stride * extent) {
                extents[axes - 1] *= extent;
                strides[axes - 1] = stride;
            } else {
                extents[axes] = extent;
                strides[axes++] = stride;
            }
        }
        if (axes == 0) {
            extents[0] = 1;
            strides[axes++] = 1;
        }
        return new BlockReader(Arrays.copyOf(extents, axes), Arrays.copyOf(strides, axes));
    }

    /** Reads {@code n} elements from {@code position} on; the tensor starts at byte {@code base} of {@code from}. */
    void read(MemorySegment from, long base, long position, float[] to, int n) {
        if (plain) {
            MemorySegment.copy(from, Layouts.FLOAT, base + position * Float.BYTES, to, 0, n);
        } else if (single) {
            Arrays.fill(to, 0, n, from.get(Layouts.FLOAT, base));
        } else {
            readRuns(from, base, position, to, n);
        }
    }

    private void readRuns(MemorySegment from, long base, long position, float[] to, int n) {
        int inner = extents.length - 1;
        long period = extents[inner];
        boolean repeated = extents.length == 2 && strides[0] == 0;
        int done = 0;
        while (done < n) {
            long offset = (position + done) % period;
            int run = (int) Math.min(n - done, period - offset);
            if (repeated && done >= period) {
                // a whole period is there already, and what follows repeats it
                int start = done % (int) period;
                int more = Math.min(n - done, done - start);
                System.arraycopy(to, start, to, done, more);
                done += more;
                continue;
            }
            long first = row((position + done) / period) + offset * strides[inner];
            if (strides[inner] == 0) {
                Arrays.fill(to, done, done + run, from.get(Layouts.FLOAT, base + first * Float.BYTES));
            } else {
                MemorySegment.copy(from, Layouts.FLOAT, base + first * Float.BYTES, to, done, run);
            }
            done += run;
        }
    }

    /** The first element of the innermost run with this number. */
    private long row(long number) {
        long first = 0;
        long rest = number;
        for (int axis = extents.length - 2; axis > 0; axis--) {
            first += rest % extents[axis] * strides[axis];
            rest /= extents[axis];
        }
        return first + rest * strides[0];
    }
}
