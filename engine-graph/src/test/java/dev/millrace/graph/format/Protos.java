package dev.millrace.graph.format;

import com.google.protobuf.ByteString;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.OperatorSetIdProto;
import dev.millrace.graph.proto.StringStringEntryProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.TypeProto;
import dev.millrace.graph.proto.ValueInfoProto;
import java.util.List;

/** Small models as protobuf messages. */
public final class Protos {
    private Protos() {}

    public static Model read(ModelProto.Builder model) {
        return Models.read(model.build().toByteArray(), null);
    }

    public static ModelProto.Builder model(GraphProto.Builder graph) {
        return ModelProto.newBuilder()
                .setIrVersion(10)
                .addOpsetImport(opset("", 21))
                .setGraph(graph);
    }

    public static OperatorSetIdProto opset(String domain, long version) {
        return OperatorSetIdProto.newBuilder()
                .setDomain(domain)
                .setVersion(version)
                .build();
    }

    public static GraphProto.Builder graph(List<String> inputs, List<String> outputs, NodeProto.Builder... nodes) {
        var graph = GraphProto.newBuilder().setName("g");
        inputs.forEach(input -> graph.addInput(info(input)));
        outputs.forEach(output -> graph.addOutput(info(output)));
        for (NodeProto.Builder node : nodes) {
            graph.addNode(node);
        }
        return graph;
    }

    public static ValueInfoProto info(String name) {
        var type = TypeProto.newBuilder();
        type.getTensorTypeBuilder().setElemType(TensorProto.DataType.FLOAT_VALUE);
        return ValueInfoProto.newBuilder().setName(name).setType(type).build();
    }

    public static NodeProto.Builder node(String op, List<String> inputs, List<String> outputs) {
        return NodeProto.newBuilder().setOpType(op).addAllInput(inputs).addAllOutput(outputs);
    }

    public static AttributeProto.Builder attribute(String name, GraphProto.Builder graph) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.GRAPH)
                .setG(graph);
    }

    public static AttributeProto.Builder attribute(String name, long value) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.INT)
                .setI(value);
    }

    public static AttributeProto.Builder reference(String name, String callerAttribute) {
        return AttributeProto.newBuilder()
                .setName(name)
                .setType(AttributeProto.AttributeType.INT)
                .setRefAttrName(callerAttribute);
    }

    public static TensorProto.Builder bytes(String name, int... values) {
        byte[] raw = new byte[values.length];
        for (int i = 0; i < raw.length; i++) {
            raw[i] = (byte) values[i];
        }
        return TensorProto.newBuilder()
                .setName(name)
                .setDataType(TensorProto.DataType.UINT8_VALUE)
                .addDims(values.length)
                .setRawData(ByteString.copyFrom(raw));
    }

    public static TensorProto.Builder external(String name, long size, String location, String... more) {
        var tensor = TensorProto.newBuilder()
                .setName(name)
                .setDataType(TensorProto.DataType.UINT8_VALUE)
                .addDims(size)
                .setDataLocation(TensorProto.DataLocation.EXTERNAL)
                .addExternalData(entry("location", location));
        for (int i = 0; i < more.length; i += 2) {
            tensor.addExternalData(entry(more[i], more[i + 1]));
        }
        return tensor;
    }

    private static StringStringEntryProto entry(String key, String value) {
        return StringStringEntryProto.newBuilder().setKey(key).setValue(value).build();
    }
}
