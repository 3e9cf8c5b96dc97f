package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.proto.MapProto;
import dev.millrace.graph.proto.OptionalProto;
import dev.millrace.graph.proto.SequenceProto;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads tensors, sequences, optionals and maps that stand in files of their own. */
final class DatumReader {
    private static final int DEEPEST = 64;

    private final TensorReader tensors;
    private final SparseReader sparse;

    DatumReader(ExternalData external) {
        this.tensors = new TensorReader(external);
        this.sparse = new SparseReader(tensors);
    }

    /** The datum of this type that {@code in} is; sparse tensors become dense. */
    Datum read(WireReader in, ValueType type) {
        return switch (type) {
            case ValueType.TensorType _ -> tensors.read(in).tensor();
            case ValueType.SparseType _ -> sparse.readDense(in).tensor();
            case ValueType.SequenceType _ -> readSequence(in, 1);
            case ValueType.OptionalType _ -> readOptional(in, 1);
            case ValueType.MapType _ -> readMap(in, 1);
        };
    }

    private TensorSequence readSequence(WireReader in, int depth) {
        checkDepth(depth);
        var elements = new ArrayList<Datum>();
        while (in.next()) {
            switch (in.field()) {
                case SequenceProto.TENSOR_VALUES_FIELD_NUMBER ->
                    elements.add(tensors.read(in.message()).tensor());
                case SequenceProto.SPARSE_TENSOR_VALUES_FIELD_NUMBER ->
                    elements.add(sparse.readDense(in.message()).tensor());
                case SequenceProto.SEQUENCE_VALUES_FIELD_NUMBER -> elements.add(readSequence(in.message(), depth + 1));
                case SequenceProto.MAP_VALUES_FIELD_NUMBER -> elements.add(readMap(in.message(), depth + 1));
                case SequenceProto.OPTIONAL_VALUES_FIELD_NUMBER -> elements.add(readOptional(in.message(), depth + 1));
                default -> in.skip();
            }
        }
        return new TensorSequence(elements);
    }

    private OptionalDatum readOptional(WireReader in, int depth) {
        checkDepth(depth);
        Datum value = null;
        while (in.next()) {
            switch (in.field()) {
                case OptionalProto.TENSOR_VALUE_FIELD_NUMBER ->
                    value = tensors.read(in.message()).tensor();
                case OptionalProto.SPARSE_TENSOR_VALUE_FIELD_NUMBER ->
                    value = sparse.readDense(in.message()).tensor();
                case OptionalProto.SEQUENCE_VALUE_FIELD_NUMBER -> value = readSequence(in.message(), depth + 1);
                case OptionalProto.MAP_VALUE_FIELD_NUMBER -> value = readMap(in.message(), depth + 1);
                case OptionalProto.OPTIONAL_VALUE_FIELD_NUMBER -> value = readOptional(in.message(), depth + 1);
                default -> in.skip();
            }
        }
        return value == null ? OptionalDatum.EMPTY : new OptionalDatum(value);
    }

    private MapDatum readMap(WireReader in, int depth) {
        checkDepth(depth);
        ElementType keyType = null;
        var keys = new ArrayList<Object>();
        TensorSequence values = null;
        while (in.next()) {
            switch (in.field()) {
                case MapProto.KEY_TYPE_FIELD_NUMBER -> keyType = ElementType.requireCode(in.varint());
                case MapProto.KEYS_FIELD_NUMBER -> in.varints(keys::add);
                case MapProto.STRING_KEYS_FIELD_NUMBER -> keys.add(in.text());
                case MapProto.VALUES_FIELD_NUMBER -> values = readSequence(in.message(), depth + 1);
                default -> in.skip();
            }
        }
        return map(keyType, keys, values == null ? TensorSequence.of() : values);
    }

    private static MapDatum map(@Nullable ElementType keyType, List<Object> keys, TensorSequence values) {
        if (keyType == null || !(keyType.isInteger() || keyType == ElementType.STRING)) {
            throw EngineException.invalidGraph(
                    "a map has keys of type " + keyType + "; integers and strings can be keys");
        }
        if (keys.size() != values.elements().size()) {
            throw EngineException.invalidGraph("a map has " + keys.size() + " keys but "
                    + values.elements().size() + " values");
        }
        Class<?> expected = keyType == ElementType.STRING ? String.class : Long.class;
        var entries = new LinkedHashMap<Object, Datum>();
        for (int i = 0; i < keys.size(); i++) {
            if (!expected.isInstance(keys.get(i))) {
                throw EngineException.invalidGraph("key " + keys.get(i) + " of a map is not of type " + keyType);
            }
            entries.put(keys.get(i), values.elements().get(i));
        }
        return new MapDatum(keyType, entries);
    }

    private static void checkDepth(int depth) {
        if (depth > DEEPEST) {
            throw EngineException.invalidGraph("values are nested deeper than " + DEEPEST + " levels");
        }
    }
}
