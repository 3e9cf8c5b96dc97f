package dev.millrace.cli.fire;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Tensors;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.TypeProto;
import dev.millrace.graph.proto.ValueInfoProto;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.lang.foreign.MemorySegment;
import java.util.Set;

/**
 * Recognises differences that come from rounding numbers of 16 bits between nodes at different places, by
 * evaluating the model in float. An answer that is hardly further from that evaluation than the
 * unoptimised answer is as right as it.
 */
final class Widened {
    /** The factor by which roundings may make one answer worse by chance. */
    private static final double NEAR = 1.5;
    /** The attributes whose value is an element type. */
    private static final Set<String> TYPES = Set.of("to", "dtype", "output_dtype", "output_datatype");

    private final Conditioning.Plain plain;

    Widened(Conditioning.Plain plain) {
        this.plain = plain;
    }

    /** Whether an answer is about as near to that of the model in float as the expected one is. */
    boolean explains(byte[] model, Inputs inputs, Datum expected, Datum actual) {
        if (!(Conditioning.distance(expected, actual) < Double.POSITIVE_INFINITY)) {
            return false;
        }
        Datum wide = plain.output(model(model), inputs(inputs));
        return wide != null
                && Conditioning.distance(wide, of(actual)) <= NEAR * Conditioning.distance(wide, of(expected))
                && Conditioning.distance(wide, of(actual)) < Double.POSITIVE_INFINITY;
    }

    private static ElementType wider(ElementType type) {
        return type == ElementType.FLOAT16 || type == ElementType.BFLOAT16 ? ElementType.FLOAT : type;
    }

    private static int wider(int code) {
        for (ElementType type : ElementType.values()) {
            if (type.code() == code) {
                return wider(type).code();
            }
        }
        return code;
    }

    /**
     * Returns the model with its types widened to float; bytes that are no model, or whose tensors are
     * incomplete, are returned as they are.
     */
    private static byte[] model(byte[] bytes) {
        try {
            ModelProto.Builder model = ModelProto.parseFrom(bytes).toBuilder();
            widen(model.getGraphBuilder());
            for (FunctionProto.Builder function : model.getFunctionsBuilderList()) {
                for (NodeProto.Builder node : function.getNodeBuilderList()) {
                    widen(node);
                }
            }
            return model.buildPartial().toByteArray();
        } catch (InvalidProtocolBufferException | EngineException e) {
            return bytes;
        }
    }

    private static Inputs inputs(Inputs inputs) {
        var widened = Inputs.empty();
        inputs.asMap().forEach((name, value) -> widened.and(name, of(value)));
        return widened;
    }

    private static Datum of(Datum value) {
        return value instanceof Tensor tensor ? of(tensor) : value;
    }

    private static Tensor of(Tensor tensor) {
        ElementType wider = wider(tensor.type());
        if (wider == tensor.type()) {
            return tensor;
        }
        Tensor widened = Tensor.allocate(wider, tensor.shape());
        for (long i = 0; i < tensor.elements(); i++) {
            Elements.setDouble(wider, widened.segment(), i, Elements.getDouble(tensor.type(), tensor.segment(), i));
        }
        return widened;
    }

    private static void widen(GraphProto.Builder graph) throws InvalidProtocolBufferException {
        for (TensorProto.Builder tensor : graph.getInitializerBuilderList()) {
            widen(tensor);
        }
        graph.getInputBuilderList().forEach(Widened::widen);
        graph.getOutputBuilderList().forEach(Widened::widen);
        graph.getValueInfoBuilderList().forEach(Widened::widen);
        for (NodeProto.Builder node : graph.getNodeBuilderList()) {
            widen(node);
        }
    }

    private static void widen(NodeProto.Builder node) throws InvalidProtocolBufferException {
        for (AttributeProto.Builder attribute : node.getAttributeBuilderList()) {
            if (attribute.hasG()) {
                widen(attribute.getGBuilder());
            }
            if (attribute.hasT()) {
                widen(attribute.getTBuilder());
            }
            if (TYPES.contains(attribute.getName())) {
                attribute.setI(wider((int) attribute.getI()));
            }
        }
    }

    private static void widen(ValueInfoProto.Builder value) {
        if (value.hasType()) {
            widen(value.getTypeBuilder());
        }
    }

    private static void widen(TypeProto.Builder type) {
        if (type.hasTensorType()) {
            TypeProto.Tensor.Builder tensor = type.getTensorTypeBuilder();
            tensor.setElemType(wider(tensor.getElemType()));
        } else if (type.hasSequenceType()) {
            widen(type.getSequenceTypeBuilder().getElemTypeBuilder());
        } else if (type.hasOptionalType()) {
            widen(type.getOptionalTypeBuilder().getElemTypeBuilder());
        }
    }

    private static void widen(TensorProto.Builder tensor) throws InvalidProtocolBufferException {
        if (wider(tensor.getDataType()) != tensor.getDataType()) {
            Tensor narrow = Tensors.readTensor(
                    MemorySegment.ofArray(tensor.buildPartial().toByteArray()));
            TensorProto.Builder widened =
                    TensorProto.newBuilder().mergeFrom(Tensors.toBytes(tensor.getName(), of(narrow)));
            tensor.clear().mergeFrom(widened.buildPartial());
        }
    }
}
