package dev.millrace.graph.ir;

import dev.millrace.graph.tensor.Shape;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** A shape of known rank whose extents may be symbols. */
public record SymbolicShape(List<Dim> dims) {
    public SymbolicShape {
        dims = List.copyOf(dims);
    }

    public static SymbolicShape of(Dim... dims) {
        return new SymbolicShape(List.of(dims));
    }

    public static SymbolicShape of(Shape shape) {
        var dims = new ArrayList<Dim>(shape.rank());
        for (int i = 0; i < shape.rank(); i++) {
            dims.add(Dim.of(shape.dim(i)));
        }
        return new SymbolicShape(dims);
    }

    /** A shape of this rank with nothing else known. */
    public static SymbolicShape ofRank(int rank) {
        return new SymbolicShape(Collections.nCopies(rank, Dim.UNKNOWN));
    }

    public int rank() {
        return dims.size();
    }

    public Dim dim(int axis) {
        return dims.get(axis);
    }

    public boolean isKnown() {
        for (Dim dim : dims) {
            if (!dim.isKnown()) {
                return false;
            }
        }
        return true;
    }

    /** The concrete shape, or null where an extent is not known. */
    public @Nullable Shape toShape() {
        long[] extents = new long[dims.size()];
        for (int i = 0; i < extents.length; i++) {
            if (!(dims.get(i) instanceof Dim.Known known)) {
                return null;
            }
            extents[i] = known.extent();
        }
        return Shape.of(extents);
    }

    @Override
    public String toString() {
        return dims.stream().map(Dim::toString).collect(Collectors.joining(",", "[", "]"));
    }
}
