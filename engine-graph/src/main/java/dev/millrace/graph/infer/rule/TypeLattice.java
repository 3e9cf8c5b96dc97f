package dev.millrace.graph.infer.rule;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.MapType;
import dev.millrace.graph.ir.ValueType.OptionalType;
import dev.millrace.graph.ir.ValueType.SequenceType;
import dev.millrace.graph.ir.ValueType.SparseType;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Types as a lattice: {@link ValueType#meet} of two true statements, {@link #join} of two alternatives. */
public final class TypeLattice {
    static final TensorType ANY_TENSOR = new TensorType(null, null);

    private TypeLattice() {}

    static @Nullable SymbolicShape shape(@Nullable List<Dim> dims) {
        return dims == null ? null : new SymbolicShape(dims);
    }

    static TensorType tensor(@Nullable ElementType element, @Nullable List<Dim> dims) {
        return new TensorType(element, shape(dims));
    }

    static TensorType scalar(ElementType element) {
        return tensor(element, List.of());
    }

    /** Returns the type of a value that is one or the other; null where nothing is known of it. */
    static @Nullable ValueType join(@Nullable ValueType one, @Nullable ValueType other) {
        if (one == null || other == null) {
            return null;
        }
        if (one instanceof TensorType a && other instanceof TensorType b) {
            return tensor(join(a.element(), b.element()), join(dims(a.shape()), dims(b.shape())));
        }
        if (one instanceof SparseType a && other instanceof SparseType b) {
            return new SparseType(join(a.element(), b.element()), shape(join(dims(a.shape()), dims(b.shape()))));
        }
        if (one instanceof SequenceType a && other instanceof SequenceType b) {
            ValueType element = join(a.element(), b.element());
            return element == null ? null : new SequenceType(element);
        }
        if (one instanceof MapType a && other instanceof MapType b && a.key() == b.key()) {
            ValueType value = join(a.value(), b.value());
            return value == null ? null : new MapType(a.key(), value);
        }
        if (one instanceof OptionalType || other instanceof OptionalType) {
            ValueType element = join(unwrapped(one), unwrapped(other));
            return element == null ? null : new OptionalType(element);
        }
        return null;
    }

    private static ValueType unwrapped(ValueType type) {
        return type instanceof OptionalType optional ? optional.element() : type;
    }

    private static @Nullable ElementType join(@Nullable ElementType a, @Nullable ElementType b) {
        return a == b ? a : null;
    }

    private static @Nullable List<Dim> dims(@Nullable SymbolicShape shape) {
        return shape == null ? null : shape.dims();
    }

    /** Returns the extents that two shapes have in common; null where their ranks differ. */
    static @Nullable List<Dim> join(@Nullable List<Dim> a, @Nullable List<Dim> b) {
        if (a == null || b == null || a.size() != b.size()) {
            return null;
        }
        var dims = new ArrayList<Dim>(a.size());
        for (int i = 0; i < a.size(); i++) {
            dims.add(Dims.join(a.get(i), b.get(i)));
        }
        return dims;
    }

    /** Returns {@code type} without shapes, for a value whose shape changes or cannot be relied on. */
    public static @Nullable ValueType withoutShape(@Nullable ValueType type) {
        if (type == null) {
            return null;
        }
        // nearly all types are tensors; the JVM takes long to link the first pattern switch, and this avoids it before
        // the first answer
        if (type instanceof TensorType tensor) {
            return new TensorType(tensor.element(), null);
        }
        return switch (type) {
            case TensorType tensor -> new TensorType(tensor.element(), null);
            case SequenceType sequence -> {
                ValueType element = withoutShape(sequence.element());
                yield element == null ? null : new SequenceType(element);
            }
            case OptionalType optional -> {
                ValueType element = withoutShape(optional.element());
                yield element == null ? null : new OptionalType(element);
            }
            case MapType map -> {
                ValueType value = withoutShape(map.value());
                yield value == null ? null : new MapType(map.key(), value);
            }
            case SparseType sparse -> new SparseType(sparse.element(), null);
        };
    }
}
