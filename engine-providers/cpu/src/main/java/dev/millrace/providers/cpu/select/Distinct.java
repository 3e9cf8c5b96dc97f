package dev.millrace.providers.cpu.select;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.extent.Extents;
import dev.millrace.scheduler.kernel.DynamicContext;
import java.util.Arrays;

/**
 * Unique: the distinct elements, or the distinct slices along an axis, with where they are and how often. Elements become
 * longs of the same order; slices are looked up by a hash of theirs, and compared.
 */
final class Distinct {
    /** An element's key; a slice's hash, its number and its places in the table of hashes. */
    private static final long SLICE_BYTES = 80;

    private static final int FIRST_GROUPS = 64;
    private static final int BLOCK = 4096;

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
        Extents.table("elements to compare", rows.elements(), Long.BYTES);
        extent = Extents.table("slices to compare", shape.dim(axis), SLICE_BYTES);
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
        long[] group = new long[distinct.extent];
        int[] first = distinct.number(group);
        if (context.node().attributes().flag("sorted", true)) {
            first = distinct.sort(first, group);
        }
        long[] counts = new long[first.length];
        for (long number : group) {
            counts[(int) number]++;
        }
        context.output(0, Slices.gather(context, rows, axis, first));
        output(context, 1, longs(first));
        output(context, 2, group);
        output(context, 3, counts);
    }

    private static void output(DynamicContext context, int index, long... numbers) {
        if (context.hasOutput(index)) {
            Tensor list = context.allocate(ElementType.INT64, Shape.of(numbers.length));
            Elements.write(ElementType.INT64, list.segment(), 0, numbers, 0, numbers.length);
            context.output(index, list);
        }
    }

    private static long[] longs(int[] numbers) {
        long[] wide = new long[numbers.length];
        for (int i = 0; i < wide.length; i++) {
            wide[i] = numbers[i];
        }
        return wide;
    }

    /** The places of strings among the distinct ones in their order. */
    private static long[] ranks(String[] strings) {
        String[] distinct = Arrays.stream(strings).distinct().sorted().toArray(String[]::new);
        return Arrays.stream(strings)
                .mapToLong(text -> Arrays.binarySearch(distinct, text))
                .toArray();
    }

    /** Numbers equal slices alike, in the order of their first places, which are the result. */
    private int[] number(long[] group) {
        long[] hashes = hashes();
        var seen = new Numbering();
        int[] first = new int[FIRST_GROUPS];
        for (int from = 0; from < extent; from += BLOCK) {
            context.checkCancelled();
            int end = Math.min(extent, from + BLOCK);
            for (int i = from; i < end; i++) {
                long hash = hashes[i];
                int before = seen.size();
                int number = seen.add(hash);
                while (number < before && !areEqual(first[number], i)) {
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

    private long[] hashes() {
        if (hasElements) {
            return keys;
        }
        long[] hashes = new long[extent];
        for (int i = 0; i < outer; i++) {
            for (int j = 0; j < extent; j++) {
                context.checkCancelled(j);
                hashes[j] = hash(hashes[j], keys, start(i, j), inner);
            }
        }
        return hashes;
    }

    private static long hash(long before, long[] keys, int from, int count) {
        long hash = before;
        for (int i = from; i < from + count; i++) {
            hash = hash * 0x9e3779b97f4a7c15L + keys[i];
        }
        return hash;
    }

    private int start(int outerPlace, int slice) {
        return (outerPlace * extent + slice) * inner;
    }

    /** Whether two slices of one hash are equal, which is clear where the only element is the hash. */
    private boolean areEqual(int a, int b) {
        return hasElements || compare(a, b) == 0;
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

    /** Orders the distinct slices by value, and numbers the others anew. */
    private int[] sort(int[] first, long[] group) {
        int[] sorted = hasElements ? sortedElements(first) : sortedSlices(first);
        int[] renumbered = new int[first.length];
        for (int i = 0; i < sorted.length; i++) {
            renumbered[(int) group[sorted[i]]] = i;
        }
        for (int i = 0; i < group.length; i++) {
            group[i] = renumbered[(int) group[i]];
        }
        return sorted;
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
