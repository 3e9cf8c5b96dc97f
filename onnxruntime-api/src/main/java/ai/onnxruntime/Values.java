package ai.onnxruntime;

import ai.onnxruntime.TensorInfo.OnnxTensorType;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Values of this API for data of the engine, and descriptions for the types of the engine. */
final class Values {
    private Values() {}

    /**
     * Returns a value that closes a datum.
     *
     * @param type the type that the model declares; null for none
     */
    static OnnxValue of(Datum datum, @Nullable ValueType type) throws OrtException {
        return switch (datum) {
            case Tensor tensor -> OnnxTensor.ofOutput(tensor);
            case TensorSequence sequence -> new OnnxSequence(sequence, infoOf(sequence, type));
            case MapDatum map -> new OnnxMap(map, infoOf(map));
            case OptionalDatum optional when optional.value() != null -> of(optional.value(), elementOf(type));
            case OptionalDatum _ -> throw Errors.notImplemented("An output is an optional without a value");
        };
    }

    private static @Nullable ValueType elementOf(@Nullable ValueType type) {
        return type instanceof ValueType.OptionalType optional ? optional.element() : null;
    }

    /** Returns a value over the data of a sequence's element that stays valid when the sequence is closed. */
    static OnnxValue lasting(Datum element) throws OrtException {
        if (element instanceof MapDatum map) {
            var copies = new LinkedHashMap<Object, Datum>();
            map.entries()
                    .forEach((key, value) ->
                            copies.put(key, value instanceof Tensor tensor ? Tensor.copyOf(tensor) : value));
            return of(new MapDatum(map.keyType(), copies), null);
        }
        if (!(element instanceof Tensor tensor)) {
            return of(element, null);
        }
        // a segment that was handed out is never used again, so the memory outlives the sequence
        return OnnxTensor.ofOutput(
                tensor.type() == ElementType.STRING
                        ? Tensor.ofStrings(tensor.shape(), tensor.strings())
                        : Tensor.wrap(tensor.type(), tensor.shape(), tensor.segment()));
    }

    private static SequenceInfo infoOf(TensorSequence sequence, @Nullable ValueType type) {
        int length = sequence.elements().size();
        Datum first = length == 0 ? null : sequence.elements().getFirst();
        if (first instanceof MapDatum map) {
            return new SequenceInfo(length, infoOf(map));
        }
        if (first instanceof Tensor tensor) {
            return new SequenceInfo(length, javaType(tensor.type()));
        }
        SequenceInfo declared = type instanceof ValueType.SequenceType list ? infoOf(length, list) : null;
        return declared == null ? new SequenceInfo(length, OnnxJavaType.UNKNOWN) : declared;
    }

    private static MapInfo infoOf(MapDatum map) {
        OnnxJavaType value = map.entries().values().stream()
                .map(each -> each instanceof Tensor tensor ? javaType(tensor.type()) : OnnxJavaType.UNKNOWN)
                .findFirst()
                .orElse(OnnxJavaType.UNKNOWN);
        return new MapInfo(map.entries().size(), javaType(map.keyType()), value);
    }

    private static OnnxJavaType javaType(@Nullable ElementType type) {
        return OnnxJavaType.mapFromOnnxTensorType(OnnxTensorType.of(type));
    }

    /**
     * Returns the description of an input or output.
     *
     * @param fixed the extents of symbols that the session's options fix
     */
    static ValueInfo info(@Nullable ValueType type, Map<String, Long> fixed) {
        return switch (type) {
            case ValueType.TensorType tensor -> tensorInfo(tensor.element(), tensor.shape(), fixed);
            case ValueType.SparseType sparse -> tensorInfo(sparse.element(), sparse.shape(), fixed);
            case ValueType.SequenceType sequence -> infoOf(SequenceInfo.UNKNOWN_LENGTH, sequence);
            case ValueType.MapType map -> infoOf(map);
            case ValueType.OptionalType optional -> info(optional.element(), fixed);
            case null -> tensorInfo(null, null, fixed);
        };
    }

    private static SequenceInfo infoOf(int length, ValueType.SequenceType type) {
        return switch (type.element()) {
            case ValueType.MapType map -> new SequenceInfo(length, infoOf(map));
            case ValueType.TensorType tensor -> new SequenceInfo(length, javaType(tensor.element()));
            default -> new SequenceInfo(length, OnnxJavaType.UNKNOWN);
        };
    }

    private static MapInfo infoOf(ValueType.MapType type) {
        ElementType value = type.value() instanceof ValueType.TensorType tensor ? tensor.element() : null;
        return new MapInfo(SequenceInfo.UNKNOWN_LENGTH, javaType(type.key()), javaType(value));
    }

    private static TensorInfo tensorInfo(
            @Nullable ElementType element, @Nullable SymbolicShape shape, Map<String, Long> fixed) {
        int rank = shape == null ? 0 : shape.rank();
        long[] extents = new long[rank];
        String[] names = new String[rank];
        for (int i = 0; shape != null && i < rank; i++) {
            Long extent = shape.dim(i) instanceof Dim.Symbol symbol ? fixed.get(symbol.name()) : null;
            extents[i] = extent == null ? shape.dim(i).extentOrMinusOne() : extent;
            names[i] = extent == null && shape.dim(i) instanceof Dim.Symbol symbol ? symbol.name() : "";
        }
        OnnxTensorType type = OnnxTensorType.of(element);
        return new TensorInfo(extents, names, OnnxJavaType.mapFromOnnxTensorType(type), type);
    }
}
