package dev.millrace.graph.optimise.pass;

import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.TensorType;
import org.jspecify.annotations.Nullable;

/** Whether two descriptions can be of one value. */
public final class TypeAgreement {
    private TypeAgreement() {}

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
}
