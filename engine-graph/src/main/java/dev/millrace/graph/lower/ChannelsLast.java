package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Value;
import java.util.function.UnaryOperator;

/** Operators over images whose channels lie together are those over images in ONNX's layout, between transpositions. */
final class ChannelsLast {
    private ChannelsLast() {}

    /** Applies {@code inner}, which wants channels in front, to a value of {@code rank} axes that has them last. */
    static Value around(Composer c, Value value, int rank, UnaryOperator<Value> inner) {
        return back(c, inner.apply(front(c, value, rank)), rank);
    }

    static Value front(Composer c, Value value, int rank) {
        c.refuse(rank < 3, "images of " + rank + " axes");
        long[] permutation = new long[rank];
        permutation[1] = rank - 1;
        for (int i = 2; i < rank; i++) {
            permutation[i] = i - 1;
        }
        return c.transpose(value, permutation);
    }

    private static Value back(Composer c, Value value, int rank) {
        long[] permutation = new long[rank];
        for (int i = 1; i < rank - 1; i++) {
            permutation[i] = i + 1;
        }
        permutation[rank - 1] = 1;
        return c.transpose(value, permutation);
    }
}
