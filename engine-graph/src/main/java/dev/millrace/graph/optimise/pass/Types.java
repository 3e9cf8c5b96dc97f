package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** What two descriptions of one value say together. */
public final class Types {
    private Types() {}

    /** Why {@code a} and {@code b} cannot describe the same value, or null where they can. */
    public static @Nullable String conflict(@Nullable ValueType a, @Nullable ValueType b) {
        if (a == null || b == null) {
            return null;
        }
        if (!(a instanceof TensorType x) || !(b instanceof TensorType y)) {
            return a.getClass() == b.getClass() ? null : "kind " + a + " became " + b;
        }
        if (x.element() != null && y.element() != null && x.element() != y.element()) {
            return "element type " + x.element() + " became " + y.element();
        }
        SymbolicShape from = x.shape();
        SymbolicShape to = y.shape();
        if (from == null || to == null) {
            return null;
        }
        if (from.rank() != to.rank()) {
            return "rank " + from.rank() + " became " + to.rank();
        }
        for (int i = 0; i < from.rank(); i++) {
            if (from.dim(i).isKnown() && to.dim(i).isKnown() && !from.dim(i).equals(to.dim(i))) {
                return "shape " + from + " became " + to;
            }
        }
        return null;
    }

    /** All that two descriptions without a conflict say; where both name an extent, {@code first} prevails. */
    public static @Nullable ValueType merge(@Nullable ValueType first, @Nullable ValueType second) {
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        if (!(first instanceof TensorType x) || !(second instanceof TensorType y)) {
            return first;
        }
        ElementType element = x.element() == null ? y.element() : x.element();
        return ValueType.tensor(element, merge(x.shape(), y.shape()));
    }

    private static @Nullable SymbolicShape merge(@Nullable SymbolicShape first, @Nullable SymbolicShape second) {
        if (first == null || second == null) {
            return first == null ? second : first;
        }
        var dims = new ArrayList<Dim>(first.rank());
        for (int i = 0; i < first.rank(); i++) {
            dims.add(precision(first.dim(i)) >= precision(second.dim(i)) ? first.dim(i) : second.dim(i));
        }
        return new SymbolicShape(dims);
    }

    private static int precision(Dim dim) {
        return switch (dim) {
            case Dim.Known _ -> 2;
            case Dim.Symbol _ -> 1;
            case Dim.Unknown _ -> 0;
        };
    }
}
