package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Denotations;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.proto.TensorShapeProto;
import dev.millrace.graph.proto.TypeProto;
import dev.millrace.graph.tensor.ElementType;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads {@code TypeProto}. */
final class TypeReader {
    private static final int DEEPEST = 64;

    private TypeReader() {}

    /** A type and what it stands for. One of which the file says nothing useful, opaque types among them, is null. */
    record Denoted(@Nullable ValueType type, Denotations denotations) {
        static final Denoted NOTHING = new Denoted(null, Denotations.NONE);
    }

    /** A shape and what is said of its extents. */
    private record Extents(SymbolicShape shape, List<String> denotations) {}

    static Denoted read(WireReader in) {
        return read(in, 1);
    }

    private static Denoted read(WireReader in, int depth) {
        if (depth > DEEPEST) {
            throw EngineException.invalidGraph("types are nested deeper than " + DEEPEST + " levels");
        }
        Denoted read = Denoted.NOTHING;
        String denotation = "";
        while (in.next()) {
            switch (in.field()) {
                case TypeProto.TENSOR_TYPE_FIELD_NUMBER -> read = readTensor(in.message(), ValueType.TensorType::new);
                case TypeProto.SPARSE_TENSOR_TYPE_FIELD_NUMBER ->
                    read = readTensor(in.message(), ValueType.SparseType::new);
                case TypeProto.SEQUENCE_TYPE_FIELD_NUMBER ->
                    read = readContainer(in.message(), depth, ValueType.SequenceType::new);
                case TypeProto.OPTIONAL_TYPE_FIELD_NUMBER ->
                    read = readContainer(in.message(), depth, ValueType.OptionalType::new);
                case TypeProto.MAP_TYPE_FIELD_NUMBER -> read = readMap(in.message(), depth);
                case TypeProto.DENOTATION_FIELD_NUMBER -> denotation = in.text();
                default -> in.skip();
            }
        }
        Denotations inside = read.denotations;
        return denotation.isEmpty()
                ? read
                : new Denoted(read.type, Denotations.of(denotation, inside.dims(), inside.ofInner()));
    }

    private static Denoted readTensor(WireReader in, TensorKind kind) {
        ElementType element = null;
        Extents extents = null;
        while (in.next()) {
            switch (in.field()) {
                case TypeProto.Tensor.ELEM_TYPE_FIELD_NUMBER -> element = elementType(in.varint());
                case TypeProto.Tensor.SHAPE_FIELD_NUMBER -> extents = readShape(in.message());
                default -> in.skip();
            }
        }
        return extents == null
                ? new Denoted(kind.of(element, null), Denotations.NONE)
                : new Denoted(
                        kind.of(element, extents.shape), Denotations.of("", extents.denotations, Denotations.NONE));
    }

    private static @Nullable ElementType elementType(long code) {
        return code == 0 ? null : ElementType.requireCode(code);
    }

    private static Extents readShape(WireReader in) {
        var dims = new ArrayList<Dim>();
        var denotations = new ArrayList<String>();
        while (in.next()) {
            if (in.field() == TensorShapeProto.DIM_FIELD_NUMBER) {
                dims.add(readDim(in.message(), denotations));
            } else {
                in.skip();
            }
        }
        return new Extents(new SymbolicShape(dims), denotations);
    }

    /** A negative extent is how some exporters say that they know none. */
    private static Dim readDim(WireReader in, List<String> denotations) {
        Dim dim = Dim.UNKNOWN;
        String denotation = "";
        while (in.next()) {
            switch (in.field()) {
                case TensorShapeProto.Dimension.DIM_VALUE_FIELD_NUMBER -> {
                    long extent = in.varint();
                    dim = extent < 0 ? Dim.UNKNOWN : Dim.of(extent);
                }
                case TensorShapeProto.Dimension.DIM_PARAM_FIELD_NUMBER -> dim = Dim.symbol(in.text());
                case TensorShapeProto.Dimension.DENOTATION_FIELD_NUMBER -> denotation = in.text();
                default -> in.skip();
            }
        }
        denotations.add(denotation);
        return dim;
    }

    private static Denoted readContainer(WireReader in, int depth, Function<ValueType, ValueType> container) {
        Denoted element = Denoted.NOTHING;
        while (in.next()) {
            if (in.field() == TypeProto.Sequence.ELEM_TYPE_FIELD_NUMBER) {
                element = read(in.message(), depth + 1);
            } else {
                in.skip();
            }
        }
        return inside(element, container);
    }

    private static Denoted readMap(WireReader in, int depth) {
        ElementType key = null;
        Denoted value = Denoted.NOTHING;
        while (in.next()) {
            switch (in.field()) {
                case TypeProto.Map.KEY_TYPE_FIELD_NUMBER -> key = elementType(in.varint());
                case TypeProto.Map.VALUE_TYPE_FIELD_NUMBER -> value = read(in.message(), depth + 1);
                default -> in.skip();
            }
        }
        ElementType keys = key;
        return keys == null ? Denoted.NOTHING : inside(value, values -> new ValueType.MapType(keys, values));
    }

    private static Denoted inside(Denoted element, Function<ValueType, ValueType> container) {
        return element.type == null
                ? Denoted.NOTHING
                : new Denoted(container.apply(element.type), Denotations.of("", List.of(), element.denotations));
    }

    private interface TensorKind {
        ValueType of(@Nullable ElementType element, @Nullable SymbolicShape shape);
    }
}
