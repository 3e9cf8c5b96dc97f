package dev.millrace.flink;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.ValueInfo;
import java.util.ArrayList;
import java.util.Arrays;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.data.ArrayData;
import org.apache.flink.table.data.GenericArrayData;
import org.apache.flink.table.data.RowData;
import org.apache.flink.table.data.StringData;
import org.apache.flink.table.types.logical.ArrayType;
import org.apache.flink.table.types.logical.LogicalType;
import org.apache.flink.table.types.logical.LogicalTypeFamily;
import org.jspecify.annotations.Nullable;

/**
 * A column of a table and the input or output of the model that has its values. A value is one element of the model's first
 * axis; an array in it is a further axis. Axes of extent 1 at the end have no array.
 */
final class TensorColumn {
    private final String column;
    private final String name;
    private final RowData.FieldGetter getter;
    /** The number of nested arrays. */
    private final int depth;

    private final int rank;
    /** The mapping of numbers; null for strings. */
    private final @Nullable ElementMapping numbers;

    private TensorColumn(
            String column, LogicalType type, int index, ValueInfo value, int rank, @Nullable ElementMapping numbers) {
        this.column = column;
        this.name = value.name();
        this.getter = RowData.createFieldGetter(type, index);
        this.depth = depth(type);
        this.rank = rank;
        this.numbers = numbers;
    }

    /**
     * Returns a column that was checked against the model.
     *
     * @param index the index of the column in its row
     */
    static TensorColumn of(String column, LogicalType type, int index, ValueInfo value) {
        if (!(value.type() instanceof ValueType.TensorType tensor) || tensor.element() == null) {
            throw wrong(column, type, value, "it is no tensor of a known type");
        }
        SymbolicShape shape = tensor.shape();
        int depth = depth(type);
        int rank = shape == null ? depth + 1 : shape.rank();
        if (rank == 0 || shape != null && shape.dim(0) instanceof Dim.Known first && first.extent() != 1) {
            throw wrong(column, type, value, "a row is one element of an open first axis");
        }
        int ones = 0;
        while (shape != null && ones < rank - 1 && shape.dim(rank - 1 - ones).is(1)) {
            ones++;
        }
        if (depth > rank - 1 || depth < rank - 1 - ones) {
            throw wrong(column, type, value, "the axes after the first are " + arrays(rank - 1));
        }
        LogicalType element = element(type);
        if (tensor.element() == ElementType.STRING) {
            if (!element.is(LogicalTypeFamily.CHARACTER_STRING)) {
                throw wrong(column, type, value, "its elements are STRING in SQL");
            }
            return new TensorColumn(column, type, index, value, rank, null);
        }
        ElementMapping mapping = ElementMapping.of(tensor.element())
                .orElseThrow(() -> wrong(column, type, value, "SQL has no type for its elements"));
        if (!mapping.suits(element)) {
            throw wrong(column, type, value, "its elements are " + mapping.sql() + " in SQL");
        }
        return new TensorColumn(column, type, index, value, rank, mapping);
    }

    private static ValidationException wrong(String column, LogicalType type, ValueInfo value, String why) {
        return new ValidationException("column '" + column + "' of type " + type.asSummaryString()
                + " does not fit the model's declaration " + value + ": " + why);
    }

    private static String arrays(int count) {
        return switch (count) {
            case 0 -> "none, so it is no ARRAY";
            case 1 -> "one ARRAY";
            default -> count + " nested ARRAYs";
        };
    }

    private static int depth(LogicalType type) {
        return type instanceof ArrayType array ? 1 + depth(array.getElementType()) : 0;
    }

    private static LogicalType element(LogicalType type) {
        return type instanceof ArrayType array ? element(array.getElementType()) : type;
    }

    /** The name of the input or output. */
    String name() {
        return name;
    }

    /** Returns the tensor of a row's value, of one element along the first axis. */
    Tensor tensor(RowData row) {
        try {
            return tensor(nonNull(getter.getFieldOrNull(row)));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("column '" + column + "' " + e.getMessage(), e);
        }
    }

    private Tensor tensor(Object value) {
        long[] extents = new long[rank];
        Arrays.fill(extents, 1);
        Object at = value;
        for (int axis = 1; axis <= depth; axis++) {
            ArrayData array = (ArrayData) at;
            extents[axis] = array.size();
            at = axis < depth && array.size() > 0 ? nested(array, 0) : array;
        }
        Shape shape = Shape.of(extents);
        ElementMapping mapping = numbers;
        if (mapping == null) {
            var strings = new ArrayList<String>();
            collect(value, extents, 1, strings);
            return Tensor.ofStrings(shape, strings.toArray(String[]::new));
        }
        Tensor tensor = Tensor.allocate(mapping.element(), shape);
        try {
            fill(mapping, tensor, 0, value, extents, 1);
            return tensor;
        } catch (RuntimeException e) {
            tensor.close();
            throw e;
        }
    }

    private long fill(ElementMapping mapping, Tensor to, long index, Object value, long[] extents, int axis) {
        if (depth == 0) {
            mapping.put().put(to.segment(), index, value);
            return index + 1;
        }
        ArrayData array = checked(value, extents, axis);
        if (axis == depth) {
            requireNoNull(array);
            mapping.putAll().putAll(to.segment(), index, array);
            return index + array.size();
        }
        long next = index;
        for (int i = 0; i < array.size(); i++) {
            next = fill(mapping, to, next, nested(array, i), extents, axis + 1);
        }
        return next;
    }

    private void collect(Object value, long[] extents, int axis, ArrayList<String> to) {
        if (depth == 0) {
            to.add(value.toString());
            return;
        }
        ArrayData array = checked(value, extents, axis);
        requireNoNull(array);
        for (int i = 0; i < array.size(); i++) {
            if (axis == depth) {
                to.add(array.getString(i).toString());
            } else {
                collect(array.getArray(i), extents, axis + 1, to);
            }
        }
    }

    private static ArrayData checked(Object value, long[] extents, int axis) {
        ArrayData array = (ArrayData) value;
        if (array.size() != extents[axis]) {
            throw new IllegalArgumentException("has arrays of " + extents[axis] + " and " + array.size()
                    + " elements side by side; a tensor has no ragged axes");
        }
        return array;
    }

    private static ArrayData nested(ArrayData array, int index) {
        return (ArrayData) nonNull(array.isNullAt(index) ? null : array.getArray(index));
    }

    private static void requireNoNull(ArrayData array) {
        for (int i = 0; i < array.size(); i++) {
            nonNull(array.isNullAt(i) ? null : array);
        }
    }

    private static Object nonNull(@Nullable Object value) {
        if (value == null) {
            throw new IllegalArgumentException(
                    "has a null, and the model's tensors have none; filter such rows or use COALESCE");
        }
        return value;
    }

    /** Returns the value of the column from a tensor of one element along the first axis. */
    Object field(Tensor tensor) {
        Shape shape = tensor.shape();
        if (shape.rank() < depth + 1 || shape.dim(0) != 1 || shape.elements() != shape.elements(0, depth + 1)) {
            throw new IllegalStateException("output '" + name + "' has the shape " + shape + " for one row; column '"
                    + column + "' takes one row of " + arrays(depth));
        }
        ElementMapping mapping = numbers;
        if (mapping == null) {
            String[] strings = tensor.strings();
            StringData[] all =
                    Arrays.stream(strings).map(StringData::fromString).toArray(StringData[]::new);
            return depth == 0
                    ? all[0]
                    : array(
                            shape,
                            1,
                            0,
                            (index, length) -> new GenericArrayData(
                                    Arrays.copyOfRange(all, (int) index, (int) index + length, Object[].class)));
        }
        return depth == 0
                ? mapping.get().get(tensor.segment(), 0)
                : array(shape, 1, 0, (index, length) -> mapping.getAll().getAll(tensor.segment(), index, length));
    }

    private interface Innermost {
        ArrayData at(long index, int length);
    }

    private ArrayData array(Shape shape, int axis, long index, Innermost innermost) {
        int length = (int) shape.dim(axis);
        if (axis == depth) {
            return innermost.at(index, length);
        }
        long step = shape.elements(axis + 1, depth + 1);
        Object[] all = new Object[length];
        for (int i = 0; i < length; i++) {
            all[i] = array(shape, axis + 1, index + i * step, innermost);
        }
        return new GenericArrayData(all);
    }
}
