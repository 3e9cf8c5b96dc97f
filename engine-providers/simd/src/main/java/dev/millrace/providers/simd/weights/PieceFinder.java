package dev.millrace.providers.simd.weights;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Finds the pieces that a table of places is made of, for a {@link UnpackingMap}. */
final class PieceFinder {
    private static final int MOST_PIECES = 16;
    private static final ValueLayout.OfInt PLACE = ValueLayout.JAVA_INT_UNALIGNED;

    private final long[] dims;
    private final int cut;
    private final MemorySegment places;

    /**
     * @param cut the axis that may be cut
     * @param places for each unit where it lies, -1 for one that lies nowhere
     */
    PieceFinder(long[] dims, int cut, MemorySegment places) {
        this.dims = dims;
        this.cut = cut;
        this.places = places;
    }

    private long stride(int axis) {
        long stride = 1;
        for (int i = axis + 1; i < dims.length; i++) {
            stride *= dims[i];
        }
        return stride;
    }

    private long place(long element) {
        return places.get(PLACE, element * Integer.BYTES);
    }

    /** The pieces, or null where they follow no rule or are many. */
    @Nullable
    List<UnpackingMap.Piece> find() {
        var pieces = new ArrayList<UnpackingMap.Piece>();
        for (long from = 0; from < dims[cut]; from += pieces.getLast().count()) {
            UnpackingMap.Piece piece = pieces.size() == MOST_PIECES ? null : piece(from);
            if (piece == null) {
                return null;
            }
            pieces.add(piece);
        }
        return pieces;
    }

    /** The longest piece from an index on, or null where no element of it has a place, or where they follow no rule. */
    private UnpackingMap.@Nullable Piece piece(long from) {
        long origin = from * stride(cut);
        long count = alike(from);
        var axes = new ArrayList<UnpackingMap.Axis>();
        for (int i = 0; i < dims.length; i++) {
            UnpackingMap.Axis axis = axis(origin, stride(i), i == cut ? count : dims[i]);
            if (axis == null) {
                return null;
            }
            long fitting = fitting(axis, origin, stride(i), i == cut ? count : dims[i]);
            if (i == cut) {
                count = fitting;
            } else if (fitting < dims[i]) {
                return null;
            }
            axes.add(axis);
        }
        return place(origin) < 0 ? null : new UnpackingMap.Piece(count, place(origin), axes);
    }

    /** How many indices from one on have the others' first and last indices as far apart as it has. */
    private long alike(long from) {
        for (long index = from + 1; index < dims[cut]; index++) {
            for (int i = 0; i < dims.length; i++) {
                if (i != cut
                        && dims[i] > 1
                        && (distance(index, i, 1) != distance(from, i, 1)
                                || distance(index, i, dims[i] - 1) != distance(from, i, dims[i] - 1))) {
                    return index - from;
                }
            }
        }
        return dims[cut] - from;
    }

    private long distance(long index, int axis, long steps) {
        long unit = index * stride(cut);
        return place(unit + steps * stride(axis)) - place(unit);
    }

    private UnpackingMap.@Nullable Axis axis(long origin, long stride, long count) {
        long first = place(origin);
        long inner = count > 1 ? place(origin + stride) - first : 0;
        long block = 1;
        while (block < count && place(origin + block * stride) - first == block * inner) {
            block++;
        }
        long outer = block < count ? place(origin + block * stride) - first : 0;
        return inner < 0 || outer < 0 ? null : new UnpackingMap.Axis(block, outer, inner);
    }

    /** How many of so many indices lie where the axis says. */
    private long fitting(UnpackingMap.Axis axis, long origin, long stride, long count) {
        for (long i = 0; i < count; i++) {
            if (place(origin + i * stride) - place(origin) != axis.place(i)) {
                return i;
            }
        }
        return count;
    }
}
