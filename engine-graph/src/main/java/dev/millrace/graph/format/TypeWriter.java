package dev.millrace.graph.format;

import dev.millrace.graph.ir.Denotations;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.proto.TensorShapeProto;
import dev.millrace.graph.proto.TypeProto;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Makes {@code TypeProto}. */
final class TypeWriter {
    private TypeWriter() {}

    static TypeProto toProto(@Nullable ValueType type, Denotations denotations) {
        var proto = TypeProto.newBuilder();
        if (!denotations.type().isEmpty()) {
            proto.setDenotation(denotations.type());
        }
        switch (type) {
            case null -> {}
            case ValueType.TensorType tensor -> {
                var made = proto.getTensorTypeBuilder();
                if (tensor.element() != null) {
                    made.setElemType(tensor.element().code());
                }
                if (tensor.shape() != null) {
                    made.setShape(toProto(tensor.shape(), denotations));
                }
            }
            case ValueType.SparseType sparse -> {
                var made = proto.getSparseTensorTypeBuilder();
                if (sparse.element() != null) {
                    made.setElemType(sparse.element().code());
                }
                if (sparse.shape() != null) {
                    made.setShape(toProto(sparse.shape(), denotations));
                }
            }
            case ValueType.SequenceType sequence ->
                proto.getSequenceTypeBuilder().setElemType(toProto(sequence.element(), denotations.ofInner()));
            case ValueType.OptionalType optional ->
                proto.getOptionalTypeBuilder().setElemType(toProto(optional.element(), denotations.ofInner()));
            case ValueType.MapType map ->
                proto.getMapTypeBuilder()
                        .setKeyType(map.key().code())
                        .setValueType(toProto(map.value(), denotations.ofInner()));
        }
        return proto.build();
    }

    private static TensorShapeProto toProto(SymbolicShape shape, Denotations denotations) {
        var proto = TensorShapeProto.newBuilder();
        List<Dim> dims = shape.dims();
        for (int i = 0; i < dims.size(); i++) {
            var made = proto.addDimBuilder();
            switch (dims.get(i)) {
                case Dim.Known known -> made.setDimValue(known.extent());
                case Dim.Symbol symbol -> made.setDimParam(symbol.name());
                case Dim.Unknown _ -> {}
            }
            String denotation = denotations.dim(i, dims.size());
            if (!denotation.isEmpty()) {
                made.setDenotation(denotation);
            }
        }
        return proto.build();
    }
}
