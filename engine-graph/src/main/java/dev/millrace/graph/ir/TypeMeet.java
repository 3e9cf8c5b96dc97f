package dev.millrace.graph.ir;

import dev.millrace.graph.ir.ValueType.MapType;
import dev.millrace.graph.ir.ValueType.OptionalType;
import dev.millrace.graph.ir.ValueType.SequenceType;
import dev.millrace.graph.ir.ValueType.SparseType;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import org.jspecify.annotations.Nullable;

/** The meet of two types: a type that combines two descriptions of one value. */
final class TypeMeet {
    private TypeMeet() {}

    /**
     * Returns the more precise of each part, names of extents from {@code one} first; null where the two contradict.
     */
    static @Nullable ValueType of(ValueType one, ValueType other) {
        if (one == other) {
            return one;
        }
        if (one instanceof TensorType a && other instanceof TensorType b) {
            return contradict(a.element(), b.element()) || contradict(a.shape(), b.shape())
                    ? null
                    : new TensorType(a.element() == null ? b.element() : a.element(), meet(a.shape(), b.shape()));
        }
        if (one instanceof SparseType a && other instanceof SparseType b) {
            return contradict(a.element(), b.element()) || contradict(a.shape(), b.shape())
                    ? null
                    : new SparseType(a.element() == null ? b.element() : a.element(), meet(a.shape(), b.shape()));
        }
        if (one instanceof SequenceType a && other instanceof SequenceType b) {
            ValueType element = of(a.element(), b.element());
            return element == null ? null : new SequenceType(element);
        }
        if (one instanceof OptionalType a && other instanceof OptionalType b) {
            ValueType element = of(a.element(), b.element());
            return element == null ? null : new OptionalType(element);
        }
        if (one instanceof MapType a && other instanceof MapType b && a.key() == b.key()) {
            ValueType value = of(a.value(), b.value());
            return value == null ? null : new MapType(a.key(), value);
        }
        return null;
    }

    private static boolean contradict(@Nullable ElementType a, @Nullable ElementType b) {
        return a != null && b != null && a != b;
    }

    private static boolean contradict(@Nullable SymbolicShape a, @Nullable SymbolicShape b) {
        if (a == null || b == null) {
            return false;
        }
        if (a.rank() != b.rank()) {
            return true;
        }
        for (int i = 0; i < a.rank(); i++) {
            if (a.dim(i).isKnown() && b.dim(i).isKnown() && !a.dim(i).equals(b.dim(i))) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable SymbolicShape meet(@Nullable SymbolicShape a, @Nullable SymbolicShape b) {
        if (a == null || b == null || a.equals(b)) {
            return a == null ? b : a;
        }
        var dims = new ArrayList<Dim>(a.rank());
        for (int i = 0; i < a.rank(); i++) {
            dims.add(a.dim(i) == Dim.UNKNOWN || b.dim(i).isKnown() ? b.dim(i) : a.dim(i));
        }
        return new SymbolicShape(dims);
    }
}
