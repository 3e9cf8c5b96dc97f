package dev.millrace.djl;

import ai.djl.ndarray.index.NDIndex;
import ai.djl.ndarray.index.dim.NDIndexAll;
import ai.djl.ndarray.index.dim.NDIndexBooleans;
import ai.djl.ndarray.index.dim.NDIndexElement;
import ai.djl.ndarray.index.dim.NDIndexFixed;
import ai.djl.ndarray.index.dim.NDIndexNull;
import ai.djl.ndarray.index.dim.NDIndexPick;
import ai.djl.ndarray.index.dim.NDIndexSlice;
import ai.djl.ndarray.index.dim.NDIndexTake;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * The places of an array that an index of DJL names, by the rules of NumPy. Arrays of places and masks are broadcast to one
 * shape, which stands where they stand if they are neighbours, and in front of all axes otherwise.
 *
 * @param shape the shape of the elements at the places
 * @param first the place of the first element, to which the offsets are added
 * @param offsets the offsets along each axis; arrays of places together are one axis
 */
record ArrayIndex(long[] shape, int first, List<int[]> offsets) {
    /** Offsets along a new axis. Those of arrays of places have a shape of their own. */
    private record Part(long[] shape, int[] offsets, boolean isTaken) {}

    static ArrayIndex of(NDIndex index, ReducingArray array) {
        ArrayData data = array.data();
        List<NDIndexElement> elements = whole(index, data.rank());
        var parts = new ArrayList<Part>();
        int first = 0;
        int axis = 0;
        for (NDIndexElement element : elements) {
            switch (element) {
                case NDIndexFixed fixed ->
                    first += ArrayMath.inside(fixed.getIndex(), data.extent(axis)) * data.stride(axis);
                case NDIndexNull _ -> parts.add(new Part(new long[] {1}, new int[1], false));
                case NDIndexAll _ -> parts.add(slice(new NDIndexSlice(null, null, null), data, axis));
                case NDIndexSlice slice -> parts.add(slice(slice, data, axis));
                case NDIndexTake take ->
                    parts.add(taken(array.like(take.getIndex()).data(), data, axis));
                case NDIndexBooleans mask ->
                    parts.add(masked(array.like(mask.getIndex()).data(), data, axis));
                case NDIndexPick pick -> {
                    return picked(array.like(pick.getIndex()).data(), data, elements, axis);
                }
                default ->
                    throw UnsupportedOperations.failure(
                            "get with " + element.getClass().getSimpleName());
            }
            axis += axes(element);
        }
        return joined(first, parts);
    }

    /** Returns the place of each element in its order. */
    int[] places() {
        int[] extents = offsets.stream().mapToInt(each -> each.length).toArray();
        int[] places = new int[Arrays.stream(extents).reduce(1, Math::multiplyExact)];
        int last = extents.length - 1;
        int[] run = last < 0 ? new int[1] : offsets.get(last);
        for (int i = 0; i < places.length; i += run.length) {
            int rest = i / run.length;
            int start = first;
            for (int axis = last - 1; axis >= 0; axis--) {
                start += offsets.get(axis)[rest % extents[axis]];
                rest /= extents[axis];
            }
            for (int j = 0; j < run.length; j++) {
                places[i + j] = start + run[j];
            }
        }
        return places;
    }

    /** Returns the elements of an index with one for each axis. */
    private static List<NDIndexElement> whole(NDIndex index, int rank) {
        var elements = new ArrayList<>(index.getIndices());
        int named = elements.stream().mapToInt(ArrayIndex::axes).sum();
        if (named > rank) {
            throw new IllegalArgumentException("an index of " + named + " axes does not fit an array of rank " + rank);
        }
        int at = index.getEllipsisIndex() < 0 ? elements.size() : index.getEllipsisIndex();
        elements.addAll(at, Collections.nCopies(rank - named, new NDIndexAll()));
        return elements;
    }

    /** Returns the number of axes of the array that an element lies over. */
    private static int axes(NDIndexElement element) {
        return element instanceof NDIndexNull ? 0 : element.getRank();
    }

    private static Part slice(NDIndexSlice slice, ArrayData data, int axis) {
        int extent = data.extent(axis);
        long step = Optional.ofNullable(slice.getStep()).orElse(1L);
        long low = step > 0 ? 0 : -1;
        long from = bound(slice.getMin(), step > 0 ? 0 : extent - 1L, low, extent);
        long to = bound(slice.getMax(), step > 0 ? extent : -1, low, extent);
        long count = Math.max(0, Math.ceilDiv(to - from, step));
        int[] offsets = LongStream.range(0, count)
                .mapToInt(i -> (int) (from + i * step) * data.stride(axis))
                .toArray();
        return new Part(new long[] {count}, offsets, false);
    }

    /** Returns a bound of a slice within the axis. A bound that is absent is not counted from the end. */
    private static long bound(Long given, long absent, long low, int extent) {
        if (given == null) {
            return absent;
        }
        return Math.clamp(given < 0 ? given + extent : given, low, extent + low);
    }

    private static Part taken(ArrayData places, ArrayData data, int axis) {
        int[] offsets = IntStream.range(0, places.size())
                .map(i -> ArrayMath.inside((long) places.get(i), data.extent(axis)) * data.stride(axis))
                .toArray();
        return new Part(places.shape(), offsets, true);
    }

    /** Returns the places where a mask is true, which lies over some axes. */
    private static Part masked(ArrayData mask, ArrayData data, int axis) {
        int below = axis + mask.rank();
        if (!Arrays.equals(mask.shape(), Arrays.copyOfRange(data.shape(), axis, below))) {
            throw new IllegalArgumentException("a mask of the shape " + Arrays.toString(mask.shape())
                    + " does not fit an array of the shape " + Arrays.toString(data.shape()) + " at axis " + axis);
        }
        int stride = mask.rank() == 0 ? 0 : data.stride(below - 1);
        int[] offsets = IntStream.range(0, mask.size())
                .filter(i -> mask.get(i) != 0)
                .map(i -> i * stride)
                .toArray();
        return new Part(new long[] {offsets.length}, offsets, true);
    }

    /** Returns one place along an axis for each place of the other axes. */
    private static ArrayIndex picked(ArrayData places, ArrayData data, List<NDIndexElement> elements, int axis) {
        if (elements.stream().anyMatch(each -> !(each instanceof NDIndexAll || each instanceof NDIndexPick))) {
            throw new IllegalArgumentException("an index that picks places has no slices and no other places");
        }
        long[] shape = data.shape().clone();
        shape[axis] = 1;
        ArrayData kept = places.rank() == data.rank() ? places : ArrayMath.extended(places, axis);
        ArrayData all = kept.broadcast(shape);
        int[] strides = IntStream.range(0, data.rank()).map(data::stride).toArray();
        int[] offsets = IntStream.range(0, all.size())
                .map(i -> ArrayData.place(i, shape, strides)
                        + ArrayMath.inside((long) all.get(i), data.extent(axis)) * strides[axis])
                .toArray();
        return new ArrayIndex(shape, 0, List.of(offsets));
    }

    private static ArrayIndex joined(int first, List<Part> parts) {
        List<Part> taken = parts.stream().filter(Part::isTaken).toList();
        if (taken.isEmpty()) {
            return of(first, parts);
        }
        int start = parts.indexOf(taken.getFirst());
        boolean areNeighbours = parts.indexOf(taken.getLast()) - start == taken.size() - 1;
        var all = new ArrayList<>(parts);
        all.removeAll(taken);
        all.add(areNeighbours ? start : 0, together(taken));
        return of(first, all);
    }

    private static ArrayIndex of(int first, List<Part> parts) {
        long[] shape =
                parts.stream().flatMapToLong(each -> Arrays.stream(each.shape)).toArray();
        return new ArrayIndex(shape, first, parts.stream().map(Part::offsets).toList());
    }

    /** Broadcasts arrays of places to one shape and adds their offsets. */
    private static Part together(List<Part> taken) {
        long[] shape = taken.stream().map(Part::shape).reduce(new long[0], ArrayMath::common);
        int[] sums = new int[Arrays.stream(shape).mapToInt(Math::toIntExact).reduce(1, Math::multiplyExact)];
        for (Part part : taken) {
            int[] strides = ArrayData.broadcastStrides(part.shape, shape);
            for (int i = 0; i < sums.length; i++) {
                sums[i] += part.offsets[ArrayData.place(i, shape, strides)];
            }
        }
        return new Part(shape, sums, true);
    }
}
