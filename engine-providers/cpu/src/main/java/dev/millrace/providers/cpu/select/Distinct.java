package dev.millrace.providers.cpu.select;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.Arrays;

/**
 * Unique: the distinct elements, or the distinct slices along an axis, with their positions and counts. Elements are
 * converted to longs of the same order. Slices are looked up by a hash, and compared.
 */
final class Distinct {
    /**
     * The bytes of memory for a slice: an element's key; a slice's hash, its number and its entries in the hash table.
     */
    private static final long SLICE_BYTES = 80;

    private static final int FIRST_GROUPS = 64;
    private static final int BLOCK = 4096;
    private static final long HASH_FACTOR = 0x9e3779b97f4a7c15L;

    private final DynamicContext context;
    private final long[] keys;
    private final int outer;
    private final int extent;
    private final int inner;
    /** Whether a slice is one element. */
    private final boolean hasElements;

    private Distinct(DynamicContext context, Tensor rows, int axis) {
        this.context = context;
        Shape shape = rows.shape();
        ArrayExtents.table("elements to compare", rows.elements(), Long.BYTES);
        extent = ArrayExtents.table("slices to compare", shape.dim(axis), SLICE_BYTES);
        outer = extent == 0 ? 0 : (int) shape.elements(0, axis);
        inner = (int) shape.elements(axis + 1, shape.rank());
        hasElements = outer * inner == 1;
        keys = rows.type() == ElementType.STRING ? ranks(rows.strings()) : SortKey.all(rows);
    }

    static void run(DynamicContext context) {
        Tensor data = context.tensor(0);
        boolean flat = !context.node().attributes().has("axis");
        Tensor rows = flat ? data.reshaped(Shape.of(data.elements())) : data;
        int axis = flat
                ? 0
                : Shape.axis(
                        context.node().attributes().integer("axis"),
                        data.shape().rank());
        var distinct = new Distinct(context, rows, axis);
        int[] group = new int[distinct.extent];
        int[] first = distinct.number(group);
        boolean sorted = context.node().attributes().flag("sorted", true);
        int[] order = sorted ? distinct.sorted(first) : first;
        long[] places = new long[first.length];
        for (int i = 0; i < order.length; i++) {
            places[group[order[i]]] = i;
        }
        context.output(0, Slices.gather(context, rows, axis, order));
        output(context, 1, longs(order));
        distinct.groups(group, places);
    }

    private static void output(DynamicContext context, int index, long... numbers) {
        if (context.hasOutput(index)) {
            Tensor list = context.allocate(ElementType.INT64, Shape.of(numbers.length));
            Elements.write(ElementType.INT64, list.segment(), 0, numbers, 0, numbers.length);
            context.output(index, list);
        }
    }

    /** Writes the number of each slice's distinct slice, and the count of each. */
    private void groups(int[] group, long[] places) {
        long[] counts = new long[places.length];
        long[] block = new long[Math.min(BLOCK, group.length)];
        Tensor inverse = context.hasOutput(2) ? context.allocate(ElementType.INT64, Shape.of(group.length)) : null;
        for (int from = 0; from < group.length; from += BLOCK) {
            context.checkCancelled();
            int count = Math.min(BLOCK, group.length - from);
            for (int i = 0; i < count; i++) {
                block[i] = places[group[from + i]];
                counts[(int) block[i]]++;
            }
            if (inverse != null) {
                Elements.write(ElementType.INT64, inverse.segment(), from, block, 0, count);
            }
        }
        if (inverse != null) {
            context.output(2, inverse);
        }
        output(context, 3, counts);
    }

    private static long[] longs(int[] numbers) {
        long[] wide = new long[numbers.length];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = numbers[i];
        }
        return wide;
    }

    /** Returns the ranks of strings among the sorted distinct ones. */
    private static long[] ranks(String[] strings) {
        String[] distinct = Arrays.stream(strings).distinct().sorted().toArray(String[]::new);
        return Arrays.stream(strings)
                .mapToLong(text -> Arrays.binarySearch(distinct, text))
                .toArray();
    }

    /** Numbers the slices, with equal numbers for equal ones. Returns the first position of each number. */
    private int[] number(int[] group) {
        long[] hashes = hashes();
        int[] first = number(group, hashes, false);
        return hasElements || areEqual(group, first) ? first : number(group, hashes, true);
    }

    /**
     * Numbers the slices by their hashes; {@code comparing} says whether slices of one hash are compared or taken for
     * equal.
     */
    private int[] number(int[] group, long[] hashes, boolean comparing) {
        var seen = new Numbering();
        int[] first = new int[FIRST_GROUPS];
        for (int from = 0; from < extent; from += BLOCK) {
            context.checkCancelled();
            int end = Math.min(extent, from + BLOCK);
            for (int i = from; i < end; i++) {
                long hash = hashes[i];
                int before = seen.size();
                int number = seen.add(hash);
                while (comparing && number < before && compare(first[number], i) != 0) {
                    context.checkCancelled();
                    number = seen.add(++hash);
                }
                if (number == before) {
                    first = number < first.length ? first : Arrays.copyOf(first, 2 * number);
                    first[number] = i;
                }
                group[i] = number;
            }
        }
        return Arrays.copyOf(first, seen.size());
    }

    /** Whether each slice equals the first one of its number, compared in the order of memory. */
    private boolean areEqual(int[] group, int[] first) {
        for (int i = 0; i < outer; i++) {
            context.checkCancelled();
            for (int j = 0; j < extent; j++) {
                context.checkCancelled(j);
                int at = start(i, j);
                int like = start(i, first[group[j]]);
                if (inner == 1
                        ? keys[at] != keys[like]
                        : !Arrays.equals(keys, at, at + inner, keys, like, like + inner)) {
                    return false;
                }
            }
        }
        return true;
    }

    private long[] hashes() {
        if (hasElements) {
            return keys;
        }
        long[] hashes = new long[extent];
        for (int i = 0; i < outer; i++) {
            context.checkCancelled();
            if (inner == 1) {
                hashElements(hashes, keys, start(i, 0), extent);
                continue;
            }
            for (int j = 0; j < extent; j++) {
                context.checkCancelled(j);
                hashes[j] = hash(hashes[j], keys, start(i, j), inner);
            }
        }
        return hashes;
    }

    /** Adds one element of each slice to the slice's hash. */
    private static void hashElements(long[] hashes, long[] keys, int from, int count) {
        for (int i = 0; i < count; i++) {
            hashes[i] = hashes[i] * HASH_FACTOR + keys[from + i];
        }
    }

    private static long hash(long before, long[] keys, int from, int count) {
        long hash = before;
        for (int i = from; i < from + count; i++) {
            hash = hash * HASH_FACTOR + keys[i];
        }
        return hash;
    }

    private int start(int outerPlace, int slice) {
        return (outerPlace * extent + slice) * inner;
    }

    /** Compares two slices element by element. */
    private int compare(int a, int b) {
        for (int i = 0; i < outer; i++) {
            int x = start(i, a);
            int y = start(i, b);
            for (int k = 0; k < inner; k++) {
                if (keys[x + k] != keys[y + k]) {
                    return Long.compare(keys[x + k], keys[y + k]);
                }
            }
        }
        return 0;
    }

    /** Returns the distinct slices ordered by value. */
    private int[] sorted(int[] first) {
        return hasElements ? sortedElements(first) : sortedSlices(first);
    }

    private int[] sortedElements(int[] first) {
        long[] values = new long[first.length];
        Arrays.setAll(values, i -> keys[first[i]]);
        Arrays.sort(values);
        int[] sorted = new int[first.length];
        for (int place : first) {
            sorted[Arrays.binarySearch(values, keys[place])] = place;
        }
        return sorted;
    }

    private int[] sortedSlices(int[] first) {
        return Arrays.stream(first)
                .boxed()
                .sorted((a, b) -> {
                    context.checkCancelled(a);
                    return compare(a, b);
                })
                .mapToInt(Integer::intValue)
                .toArray();
    }
}
