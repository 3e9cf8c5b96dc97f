package dev.millrace.graph.format;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.proto.MapProto;
import dev.millrace.graph.proto.OptionalProto;
import dev.millrace.graph.proto.SequenceProto;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;

/** Makes the messages of tensors, sequences, optionals and maps that stand in files of their own. */
final class DatumWriter {
    private final TensorWriter tensors = new TensorWriter(WriteOptions.inline());

    MessageLite write(String name, Datum datum) {
        return switch (datum) {
            case Tensor tensor -> tensors.inline(name, tensor);
            case TensorSequence sequence -> sequence(sequence).setName(name).build();
            case OptionalDatum optional -> optional(optional).setName(name).build();
            case MapDatum map -> map(map).setName(name).build();
        };
    }

    private SequenceProto.Builder sequence(TensorSequence sequence) {
        var proto = SequenceProto.newBuilder().setElemType(SequenceProto.DataType.TENSOR_VALUE);
        for (Datum element : sequence.elements()) {
            switch (element) {
                case Tensor tensor -> proto.addTensorValues(tensors.inline("", tensor));
                case TensorSequence inner ->
                    proto.setElemType(SequenceProto.DataType.SEQUENCE_VALUE).addSequenceValues(sequence(inner));
                case OptionalDatum inner ->
                    proto.setElemType(SequenceProto.DataType.OPTIONAL_VALUE).addOptionalValues(optional(inner));
                case MapDatum inner ->
                    proto.setElemType(SequenceProto.DataType.MAP_VALUE).addMapValues(map(inner));
            }
        }
        return proto;
    }

    private OptionalProto.Builder optional(OptionalDatum optional) {
        var proto = OptionalProto.newBuilder();
        return switch (optional.value()) {
            case null -> proto.setElemType(OptionalProto.DataType.UNDEFINED_VALUE);
            case Tensor tensor ->
                proto.setElemType(OptionalProto.DataType.TENSOR_VALUE).setTensorValue(tensors.inline("", tensor));
            case TensorSequence inner ->
                proto.setElemType(OptionalProto.DataType.SEQUENCE_VALUE).setSequenceValue(sequence(inner));
            case OptionalDatum inner ->
                proto.setElemType(OptionalProto.DataType.OPTIONAL_VALUE).setOptionalValue(optional(inner));
            case MapDatum inner ->
                proto.setElemType(OptionalProto.DataType.MAP_VALUE).setMapValue(map(inner));
        };
    }

    private MapProto.Builder map(MapDatum map) {
        var proto = MapProto.newBuilder().setKeyType(map.keyType().code());
        boolean text = map.keyType() == ElementType.STRING;
        for (Object key : map.entries().keySet()) {
            switch (key) {
                case String string when text -> proto.addStringKeys(ByteString.copyFromUtf8(string));
                case Long number when !text -> proto.addKeys(number);
                default ->
                    throw EngineException.invalidArgument("key " + key + " of a map is not of type " + map.keyType());
            }
        }
        return proto.setValues(
                sequence(new TensorSequence(map.entries().values().stream().toList())));
    }
}
