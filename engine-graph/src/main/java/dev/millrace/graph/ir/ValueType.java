package dev.millrace.graph.ir;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import org.jspecify.annotations.Nullable;

/** The type of a value as far as it is known ahead of a run. */
public sealed interface ValueType {
    /** A tensor; an element type or shape that is not known is null. */
    record TensorType(
            @Nullable ElementType element, @Nullable SymbolicShape shape) implements ValueType {
        /** The concrete shape, or null where any of it is not known. */
        public @Nullable Shape concreteShape() {
            return shape == null ? null : shape.toShape();
        }

        @Override
        public String toString() {
            return (element == null ? "?" : element.onnxName()) + (shape == null ? "[...]" : shape.toString());
        }
    }

    /** A sparse tensor; {@code shape} is that of its dense form. */
    record SparseType(
            @Nullable ElementType element, @Nullable SymbolicShape shape) implements ValueType {
        @Override
        public String toString() {
            return "sparse " + new TensorType(element, shape);
        }
    }

    record SequenceType(ValueType element) implements ValueType {
        @Override
        public String toString() {
            return "seq(" + element + ")";
        }
    }

    record OptionalType(ValueType element) implements ValueType {
        @Override
        public String toString() {
            return "optional(" + element + ")";
        }
    }

    record MapType(ElementType key, ValueType value) implements ValueType {
        @Override
        public String toString() {
            return "map(" + key + ", " + value + ")";
        }
    }

    /**
     * Returns the type of a value that has both this type and {@code other}: the more precise of each part, and the
     * names of extents from this type first. Null where the two contradict each other.
     */
    default @Nullable ValueType meet(ValueType other) {
        return TypeMeet.of(this, other);
    }

    static TensorType tensor(ElementType element, Shape shape) {
        return new TensorType(element, SymbolicShape.of(shape));
    }

    static TensorType tensor(@Nullable ElementType element, @Nullable SymbolicShape shape) {
        return new TensorType(element, shape);
    }

    /** Returns the type of a tensor of which only the element type is known. */
    static TensorType tensor(ElementType element) {
        return new TensorType(element, null);
    }
}
