package dev.millrace.graph.format;

import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.proto.TensorShapeProto;
import dev.millrace.graph.proto.TypeProto;

/** Makes {@code TypeProto}. */
final class TypeWriter {
    private TypeWriter() {}

    static TypeProto toProto(ValueType type) {
        var proto = TypeProto.newBuilder();
        switch (type) {
            case ValueType.TensorType tensor -> {
                var made = proto.getTensorTypeBuilder();
                if (tensor.element() != null) {
                    made.setElemType(tensor.element().code());
                }
                if (tensor.shape() != null) {
                    made.setShape(toProto(tensor.shape()));
                }
            }
            case ValueType.SparseType sparse -> {
                var made = proto.getSparseTensorTypeBuilder();
                if (sparse.element() != null) {
                    made.setElemType(sparse.element().code());
                }
                if (sparse.shape() != null) {
                    made.setShape(toProto(sparse.shape()));
                }
            }
            case ValueType.SequenceType sequence ->
                proto.getSequenceTypeBuilder().setElemType(toProto(sequence.element()));
            case ValueType.OptionalType optional ->
                proto.getOptionalTypeBuilder().setElemType(toProto(optional.element()));
            case ValueType.MapType map ->
                proto.getMapTypeBuilder().setKeyType(map.key().code()).setValueType(toProto(map.value()));
        }
        return proto.build();
    }

    private static TensorShapeProto toProto(SymbolicShape shape) {
        var proto = TensorShapeProto.newBuilder();
        for (Dim dim : shape.dims()) {
            switch (dim) {
                case Dim.Known known -> proto.addDimBuilder().setDimValue(known.extent());
                case Dim.Symbol symbol -> proto.addDimBuilder().setDimParam(symbol.name());
                case Dim.Unknown _ -> proto.addDimBuilder();
            }
        }
        return proto.build();
    }
}
