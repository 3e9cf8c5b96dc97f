package dev.millrace.kernels.conv.nchw;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.kernels.image.Axis;
import java.util.List;

/**
 * The columns of outputs from a first one to an end, and the inputs that their windows read. These are read in place,
 * or copied into rows together with their padding. Where windows slide by several columns, a copied row is
 * deinterleaved by the stride, so that the inputs which one tap reads for all outputs are contiguous.
 */
final class PlaneColumns {
    private static final long INT_BITS = 0xffff_ffffL;

    private final List<PlanePart> parts;
    private final int inputs;
    private final int lanes;
    final int first;
    final int count;
    private final int stride;
    /** The distance from the first output's position to the first input that any part reads. */
    private final int before;
    /** The number of inputs in the range that the windows read. */
    private final int reach;

    PlaneColumns(List<PlanePart> parts, int inputs, int lanes, int first, int count) {
        this.parts = parts;
        this.inputs = inputs;
        this.lanes = lanes;
        this.first = first;
        this.count = count;
        stride = parts.getFirst().axis().stride();
        int most = Integer.MIN_VALUE;
        for (PlanePart part : parts) {
            most = part.taps() == 0 ? most : Math.max(most, part.axis().before());
        }
        before = most == Integer.MIN_VALUE ? 0 : most;
        int farthest = 1;
        for (PlanePart part : parts) {
            farthest = Math.max(farthest, before - part.axis().before() + part.reach());
        }
        reach = (count - 1) * stride + farthest;
    }

    /** Whether outputs of several parts are interleaved in a row. */
    boolean takesTurns() {
        return parts.size() > 1;
    }

    /** Whether inputs are read in place. */
    boolean isInPlace() {
        int start = start();
        return parts.size() == 1 && stride == 1 && start >= 0 && start + reach <= inputs;
    }

    /** The index of the input at the start of a row; it may lie outside of the image. */
    private int start() {
        return first * stride - before;
    }

    private int pitch() {
        return stride == 1 ? reach : up(Math.ceilDiv(reach, stride));
    }

    private int up(int elements) {
        return Math.ceilDiv(elements, lanes) * lanes;
    }

    /** The number of elements in a row of inputs. */
    int rowLength() {
        return isInPlace() ? inputs : pitch() * stride;
    }

    /** The number of elements in a row of the outputs of all parts, one part after the other. */
    int turnsLength() {
        return parts.size() * up(count);
    }

    int turnsStart(int part) {
        return part * up(count);
    }

    /** Returns the position in a row of the input that a tap reads for the first output of a part. */
    int place(PlanePart part, int tap) {
        Axis axis = part.axis();
        int element = (isInPlace() ? 0 : before - axis.before()) + tap * axis.dilation();
        return isInPlace() ? axis.start(first) + element : element % stride * pitch() + element / stride;
    }

    private int firstInput() {
        return Math.clamp(start(), 0, inputs);
    }

    private int endInput() {
        return Math.clamp(start() + reach, firstInput(), inputs);
    }

    /** The index of the first input that a call by {@link #fill} reads. */
    int fillFrom() {
        return stride == 1 ? firstInput() : 0;
    }

    KernelKey fillKey(boolean repeats) {
        if (stride == 1) {
            return PlaneRows.key(repeats ? PlaneRows.How.REPEATED : PlaneRows.How.FILLED);
        }
        return stride > PlaneRows.MAX_WAYS ? PlaneRows.key(PlaneRows.How.TAKEN) : PlaneRows.apart(stride);
    }

    /** Returns the sizes of a call that copies rows of inputs to where the windows read them. */
    long[] fill(int rows, float filling, boolean repeats) {
        long bits = Float.floatToRawIntBits(filling) & INT_BITS;
        if (stride == 1) {
            int columns = endInput() - firstInput();
            long[] sizes = sizes(rows, 4L * inputs, 4L * reach, bits, new int[0]);
            int left = columns == 0 ? 0 : firstInput() - start();
            sizes[PlaneRows.Size.BEFORE.ordinal()] = left;
            sizes[PlaneRows.Size.COLUMNS.ordinal()] = columns;
            sizes[PlaneRows.Size.BEHIND.ordinal()] = reach - left - columns;
            return sizes;
        }
        int[] places = new int[rowLength()];
        for (int i = 0; i < places.length; i++) {
            int input = start() + i % pitch() * stride + i / pitch();
            int nearest = repeats ? Math.min(input, inputs - 1) : input;
            places[i] = nearest >= 0 && nearest < inputs ? nearest : -1;
        }
        return stride > PlaneRows.MAX_WAYS
                ? sizes(rows, 4L * inputs, 4L * rowLength(), bits, places)
                : apart(rows, bits, places);
    }

    /**
     * Returns the sizes of a call that deinterleaves. Vectors of all parts that lie completely inside of the input have
     * no list of indices.
     */
    private long[] apart(int rows, long filling, int[] places) {
        int vectors = pitch() / lanes;
        int together = lanes * stride;
        int first = Math.clamp(Math.ceilDiv(-start(), together), 0, vectors);
        int end = Math.clamp(Math.floorDiv(inputs - start(), together), first, vectors);
        int[] told = new int[(vectors - (end - first)) * together];
        int at = 0;
        for (int vector = 0; vector < vectors; vector++) {
            if (vector >= first && vector < end) {
                continue;
            }
            for (int part = 0; part < stride; part++) {
                System.arraycopy(places, part * pitch() + vector * lanes, told, at, lanes);
                at += lanes;
            }
        }
        long[] sizes = sizes(rows, 4L * inputs, 4L * rowLength(), filling, told);
        sizes[PlaneRows.Size.BEFORE.ordinal()] = first;
        sizes[PlaneRows.Size.COLUMNS.ordinal()] = end - first;
        sizes[PlaneRows.Size.BEHIND.ordinal()] = vectors - end;
        sizes[PlaneRows.Size.PART.ordinal()] = 4L * pitch();
        sizes[PlaneRows.Size.FROM.ordinal()] = 4L * (start() + (long) first * together);
        return sizes;
    }

    /** Returns the sizes of a call that interleaves the outputs of the parts. */
    long[] turns(int rows, long outRow, int outputs) {
        int[] places = new int[Math.min(outputs, (first + count) * parts.size()) - first * parts.size()];
        for (int i = 0; i < places.length; i++) {
            places[i] = turnsStart(i % parts.size()) + i / parts.size();
        }
        return sizes(rows, 4L * turnsLength(), outRow, 0, places);
    }

    /** Returns sizes followed by indices, which are padded to whole vectors. */
    private long[] sizes(int rows, long inRow, long outRow, long filling, int[] places) {
        int head = PlaneRows.Size.values().length;
        long[] sizes = new long[head + up(places.length) / 2];
        sizes[PlaneRows.Size.ROWS.ordinal()] = rows;
        sizes[PlaneRows.Size.IN_ROW.ordinal()] = inRow;
        sizes[PlaneRows.Size.OUT_ROW.ordinal()] = outRow;
        sizes[PlaneRows.Size.COLUMNS.ordinal()] = places.length;
        sizes[PlaneRows.Size.FILLING.ordinal()] = filling;
        for (int i = 0; i < places.length; i++) {
            sizes[head + i / 2] |= (places[i] & INT_BITS) << (i % 2 * Integer.SIZE);
        }
        return sizes;
    }
}
