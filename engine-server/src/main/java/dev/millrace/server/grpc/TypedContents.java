package dev.millrace.server.grpc;

import com.google.protobuf.ByteString;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.server.protocol.InferTensorContents;
import dev.millrace.server.tensor.Datatype;
import dev.millrace.server.tensor.FlatValues;
import dev.millrace.server.tensor.TensorBytes;

/** Elements in the field of their datatype. */
final class TypedContents {
    private TypedContents() {}

    static Tensor tensor(String place, Datatype type, Shape shape, InferTensorContents contents) {
        var values = new FlatValues();
        switch (type) {
            case BOOL -> contents.getBoolContentsList().forEach(each -> values.add(each.booleanValue()));
            case INT8, INT16, INT32 -> contents.getIntContentsList().forEach(each -> values.add(each.longValue()));
            case INT64 -> contents.getInt64ContentsList().forEach(each -> values.add(each.longValue()));
            case UINT8, UINT16, UINT32 ->
                contents.getUintContentsList().forEach(each -> values.add(Integer.toUnsignedLong(each)));
            case UINT64 -> contents.getUint64ContentsList().forEach(values::addUnsigned);
            case FP32 -> contents.getFp32ContentsList().forEach(each -> values.add(each.doubleValue()));
            case FP64 -> contents.getFp64ContentsList().forEach(each -> values.add(each.doubleValue()));
            case BYTES -> {
                for (ByteString each : contents.getBytesContentsList()) {
                    values.add(TensorBytes.text(place, each.asReadOnlyByteBuffer()));
                }
            }
            case FP16, BF16 ->
                throw EngineException.invalidArgument(
                        place + " is " + type + ", which has no typed contents; send raw_input_contents");
        }
        return values.toTensor(place, type.element(), shape);
    }
}
