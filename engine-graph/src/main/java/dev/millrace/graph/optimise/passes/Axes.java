package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.Shape;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Axes and permutations of nodes, which were attributes first and became inputs later. */
final class Axes {
    private Axes() {}

    /** The axes in attribute {@code axes} or constant input 1, counted from the front and sorted; null where unknown. */
    static int @Nullable [] of(Node node, int rank) {
        long[] axes = node.input(1) == null ? node.attributes().integers("axes") : Constants.longs(node.input(1));
        return axes == null || rank < 0 ? null : normalised(axes, rank);
    }

    /** The axes that a reduction takes away; null where they are not known, or where it takes none on purpose. */
    static int @Nullable [] reduced(Node reduction, int rank) {
        boolean present = reduction.input(1) != null || reduction.attributes().has("axes");
        int[] axes = present ? of(reduction, rank) : new int[0];
        if (axes == null || rank < 0 || axes.length > 0) {
            return axes;
        }
        return reduction.attributes().isOne("noop_with_empty_axes", false) ? null : range(0, rank);
    }

    static int[] range(int from, int to) {
        int[] range = new int[to - from];
        Arrays.setAll(range, i -> from + i);
        return range;
    }

    static int @Nullable [] normalised(long[] axes, int rank) {
        int[] result = new int[axes.length];
        for (int i = 0; i < result.length; i++) {
            if (axes[i] < -rank || axes[i] >= rank) {
                return null;
            }
            result[i] = Shape.axis(axes[i], rank);
        }
        Arrays.sort(result);
        return result;
    }

    /** Whether these sorted axes are the last ones of {@code rank}. */
    static boolean areLast(int[] axes, int rank) {
        return axes.length > 0 && Arrays.equals(axes, range(rank - axes.length, rank));
    }

    /** The permutation of a Transpose; null where it is left out and the rank is not known. */
    static int @Nullable [] permutation(Node transpose) {
        long[] perm = transpose.attributes().integers("perm");
        if (perm != null) {
            int[] sorted = normalised(perm, perm.length);
            boolean valid = sorted != null && Arrays.equals(sorted, range(0, perm.length));
            return valid
                    ? Arrays.stream(perm)
                            .mapToInt(axis -> fromFront(axis, perm.length))
                            .toArray()
                    : null;
        }
        int rank = GraphPatterns.rank(transpose.input(0));
        if (rank < 0) {
            return null;
        }
        int[] reversed = new int[rank];
        Arrays.setAll(reversed, i -> rank - 1 - i);
        return reversed;
    }

    /** An axis that may be counted from the end. */
    private static int fromFront(long axis, int rank) {
        return (int) (axis < 0 ? axis + rank : axis);
    }

    static boolean isIdentity(int[] perm) {
        return Arrays.equals(perm, range(0, perm.length));
    }

    static int[] inverse(int[] perm) {
        int[] inverse = new int[perm.length];
        for (int i = 0; i < perm.length; i++) {
            inverse[perm[i]] = i;
        }
        return inverse;
    }

    /** The permutation that does {@code first} and then {@code second}. */
    static int[] compose(int[] first, int[] second) {
        int[] both = new int[second.length];
        Arrays.setAll(both, i -> first[second[i]]);
        return both;
    }

    static long[] widened(int[] values) {
        return Arrays.stream(values).asLongStream().toArray();
    }
}
