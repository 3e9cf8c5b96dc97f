package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.proto.TensorShapeProto;
import dev.millrace.graph.proto.TypeProto;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads {@code TypeProto}. A type of which the file says nothing useful, opaque types among them, is null. */
final class TypeReader {
    private static final int DEEPEST = 64;

    private TypeReader() {}

    static @Nullable ValueType read(WireReader in) {
        return read(in, 1);
    }

    private static @Nullable ValueType read(WireReader in, int depth) {
        if (depth > DEEPEST) {
            throw EngineException.invalidGraph("types are nested deeper than " + DEEPEST + " levels");
        }
        ValueType type = null;
        while (in.next()) {
            switch (in.field()) {
                case TypeProto.TENSOR_TYPE_FIELD_NUMBER -> type = readTensor(in.message());
                case TypeProto.SPARSE_TENSOR_TYPE_FIELD_NUMBER -> {
                    ValueType.TensorType dense = readTensor(in.message());
                    type = new ValueType.SparseType(dense.element(), dense.shape());
                }
                case TypeProto.SEQUENCE_TYPE_FIELD_NUMBER ->
                    type = readContainer(in.message(), depth, ValueType.SequenceType::new);
                case TypeProto.OPTIONAL_TYPE_FIELD_NUMBER ->
                    type = readContainer(in.message(), depth, ValueType.OptionalType::new);
                case TypeProto.MAP_TYPE_FIELD_NUMBER -> type = readMap(in.message(), depth);
                default -> in.skip();
            }
        }
        return type;
    }

    private static ValueType.TensorType readTensor(WireReader in) {
        ElementType element = null;
        SymbolicShape shape = null;
        while (in.next()) {
            switch (in.field()) {
                case TypeProto.Tensor.ELEM_TYPE_FIELD_NUMBER -> element = elementType(in.varint());
                case TypeProto.Tensor.SHAPE_FIELD_NUMBER -> shape = readShape(in.message());
                default -> in.skip();
            }
        }
        return ValueType.tensor(element, shape);
    }

    private static @Nullable ElementType elementType(long code) {
        return code == 0 ? null : ElementType.requireCode(code);
    }

    private static SymbolicShape readShape(WireReader in) {
        var dims = new ArrayList<Dim>();
        while (in.next()) {
            if (in.field() == TensorShapeProto.DIM_FIELD_NUMBER) {
                dims.add(readDim(in.message()));
            } else {
                in.skip();
            }
        }
        return new SymbolicShape(dims);
    }

    /** A negative extent is how some exporters say that they know none. */
    private static Dim readDim(WireReader in) {
        Dim dim = Dim.UNKNOWN;
        while (in.next()) {
            switch (in.field()) {
                case TensorShapeProto.Dimension.DIM_VALUE_FIELD_NUMBER -> {
                    long extent = in.varint();
                    dim = extent < 0 ? Dim.UNKNOWN : Dim.of(extent);
                }
                case TensorShapeProto.Dimension.DIM_PARAM_FIELD_NUMBER -> dim = Dim.symbol(in.text());
                default -> in.skip();
            }
        }
        return dim;
    }

    private static @Nullable ValueType readContainer(
            WireReader in, int depth, Function<ValueType, ValueType> container) {
        ValueType element = null;
        while (in.next()) {
            if (in.field() == TypeProto.Sequence.ELEM_TYPE_FIELD_NUMBER) {
                element = read(in.message(), depth + 1);
            } else {
                in.skip();
            }
        }
        return element == null ? null : container.apply(element);
    }

    private static @Nullable ValueType readMap(WireReader in, int depth) {
        ElementType key = null;
        ValueType value = null;
        while (in.next()) {
            switch (in.field()) {
                case TypeProto.Map.KEY_TYPE_FIELD_NUMBER -> key = elementType(in.varint());
                case TypeProto.Map.VALUE_TYPE_FIELD_NUMBER -> value = read(in.message(), depth + 1);
                default -> in.skip();
            }
        }
        return key == null || value == null ? null : new ValueType.MapType(key, value);
    }
}
