package dev.millrace.kernels.rows;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;

/**
 * Rows in several dimensions: the last one is along a row, the others are from row to row.
 *
 * @param extents extents of all dimensions, outermost first
 * @param divisible whether a row is nothing but its elements, so that it can be cut or joined to the next one
 */
public record RowShape(List<Long> extents, List<Operand> operands, boolean divisible) {
    /** The number of loops around a row that are in the kernel. */
    static final int IN_KERNEL = 2;

    private static final long FAR = 1L << 40;
    /** The ratio of the largest share to an equal one up to which shares count as equal. */
    private static final double EQUAL = 1.1;

    /**
     * One of the operands.
     *
     * @param name the name for messages
     * @param elementBytes bytes of one element
     * @param strides bytes from index to index of each dimension; 0 where an operand is broadcast along a dimension
     */
    public record Operand(String name, long elementBytes, List<Long> strides) {
        public Operand {
            strides = List.copyOf(strides);
            for (long stride : strides) {
                if (stride < 0 || stride > FAR) {
                    throw new IllegalArgumentException(name + " has a stride of " + stride + " bytes");
                }
            }
        }

        public static Operand of(String name, long elementBytes, Long... strides) {
            return new Operand(name, elementBytes, Arrays.asList(strides));
        }

        /**
         * Returns {@code result} and then the inputs of an expression.
         *
         * @param elementBytes the size of an element of each input; 0 for an input that is not read
         * @param moving the inputs that are read at each position; of the others one element is read
         * @param strides the strides of the inputs, in their elements, for each dimension
         */
        public static List<Operand> withInputs(
                Operand result, List<Integer> elementBytes, Set<Integer> moving, List<Long> strides) {
            List<Operand> operands = new ArrayList<>(List.of(result));
            for (int i = 0; i < elementBytes.size(); i++) {
                long bytes = elementBytes.get(i);
                long factor = moving.contains(i) ? bytes : 0;
                operands.add(new Operand(
                        "input " + i,
                        bytes,
                        strides.stream()
                                .map(stride -> Math.multiplyExact(stride, factor))
                                .toList()));
            }
            return operands;
        }
    }

    public RowShape {
        extents = List.copyOf(extents);
        operands = List.copyOf(operands);
        for (long extent : extents) {
            if (extent < 0 || extent > FAR) {
                throw new IllegalArgumentException("a dimension has " + extent + " elements");
            }
        }
        for (Operand operand : operands) {
            if (operand.strides().size() != extents.size()) {
                throw new IllegalArgumentException(operand.name() + " has "
                        + operand.strides().size() + " strides for " + extents.size() + " dimensions");
            }
        }
    }

    /** The number of dimensions around a row, which is also the index of the dimension along the row. */
    int dimensions() {
        return extents.size() - 1;
    }

    long extent(int dimension) {
        return extents.get(dimension);
    }

    long stride(int operand, int dimension) {
        return operands.get(operand).strides().get(dimension);
    }

    /** Whether there is nothing to do. Rows without elements are something to do if they are not divisible. */
    boolean isEmpty() {
        return extents.subList(0, dimensions()).contains(0L) || divisible && extents.contains(0L);
    }

    /**
     * The bytes from the first element of an operand to the end of the last. An element that is broadcast along a row
     * exists even if the row has no elements.
     */
    long bytes(int operand) {
        if (isEmpty() || extent(dimensions()) == 0 && stride(operand, dimensions()) != 0) {
            return 0;
        }
        long last = operands.get(operand).elementBytes();
        for (int i = 0; i < extents.size(); i++) {
            last = Math.addExact(last, Math.multiplyExact(extent(i) - 1, stride(operand, i)));
        }
        return last;
    }

    /** Bytes that all operands together move, if nothing is read twice. */
    long work() {
        long elements = 1;
        for (long extent : extents) {
            elements = Math.multiplyExact(elements, extent);
        }
        long bytes = 0;
        for (int i = 0; i < operands.size(); i++) {
            bytes += operands.get(i).elementBytes();
        }
        return elements * bytes;
    }

    /**
     * Returns the outermost dimension that gives all tasks nearly equal shares, or else the one that comes closest to
     * that.
     */
    int dimensionToSplit(int tasks) {
        int best = 0;
        double least = Double.POSITIVE_INFINITY;
        for (int i = 0; i < dimensions() + (divisible ? 1 : 0); i++) {
            double surplus = (double) Math.ceilDiv(extent(i), tasks) * tasks / extent(i);
            if (surplus <= EQUAL) {
                return i;
            }
            if (surplus < least) {
                least = surplus;
                best = i;
            }
        }
        return best;
    }

    /** Returns the same rows in as few dimensions as possible, but no fewer than {@link #IN_KERNEL} around a row. */
    public RowShape coalesced() {
        List<Integer> kept = new ArrayList<>();
        List<Long> merged = new ArrayList<>();
        for (int i = 0; i < extents.size(); i++) {
            boolean last = i == dimensions();
            if (extent(i) == 1 && (!last || !kept.isEmpty() && divisible && isRow(kept.getLast()))) {
                continue;
            }
            if (!kept.isEmpty() && (!last || divisible) && continues(kept.getLast(), i)) {
                merged.add(merged.removeLast() * extent(i));
                kept.removeLast();
            } else {
                merged.add(extent(i));
            }
            kept.add(i);
        }
        while (kept.size() <= IN_KERNEL) {
            kept.addFirst(-1);
            merged.addFirst(1L);
        }
        return new RowShape(
                merged, operands.stream().map(operand -> only(operand, kept)).toList(), divisible);
    }

    private static Operand only(Operand operand, List<Integer> kept) {
        List<Long> strides = new ArrayList<>();
        for (int dimension : kept) {
            strides.add(dimension < 0 ? Long.valueOf(0) : operand.strides().get(dimension));
        }
        return new Operand(operand.name(), operand.elementBytes(), strides);
    }

    /** Whether the elements of all operands are contiguous along a dimension, or broadcast. */
    private boolean isRow(int dimension) {
        for (int i = 0; i < operands.size(); i++) {
            long stride = stride(i, dimension);
            if (stride != 0 && stride != operands.get(i).elementBytes()) {
                return false;
            }
        }
        return true;
    }

    private boolean continues(int outer, int inner) {
        for (int i = 0; i < operands.size(); i++) {
            if (stride(i, outer) != extent(inner) * stride(i, inner)) {
                return false;
            }
        }
        return true;
    }
}
