package dev.millrace.graph.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Denotations;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.ValueInfoProto;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Asserts that a model says what protobuf's own parser found in the file. */
final class ProtoComparison {
    private ProtoComparison() {}

    static void assertSame(Model model, ModelProto proto) {
        assertThat(model.header())
                .isEqualTo(new Model.Header(
                        proto.getIrVersion(),
                        proto.getProducerName(),
                        proto.getProducerVersion(),
                        proto.getDomain(),
                        proto.getModelVersion(),
                        proto.getDocString()));
        var opsets = new HashMap<String, Integer>();
        proto.getOpsetImportList()
                .forEach(opset -> opsets.put(new OpId(opset.getDomain(), "").domain(), (int) opset.getVersion()));
        assertThat(model.opsets()).isEqualTo(opsets);
        var metadata = new HashMap<String, String>();
        proto.getMetadataPropsList().forEach(entry -> metadata.put(entry.getKey(), entry.getValue()));
        assertThat(model.metadata()).isEqualTo(metadata);
        assertSame(model.graph(), proto.getGraph(), proto.getIrVersion(), opsets);
    }

    private static void assertSame(Graph graph, GraphProto proto, long irVersion, Map<String, Integer> opsets) {
        assertThat(graph.name()).isEqualTo(proto.getName());
        Map<String, TensorProto> initializers =
                proto.getInitializerList().stream().collect(Collectors.toMap(TensorProto::getName, t -> t));
        List<String> inputs = proto.getInputList().stream()
                .map(ValueInfoProto::getName)
                .filter(name -> irVersion >= 4 || !initializers.containsKey(name))
                .toList();
        assertThat(graph.inputs()).extracting(Value::name).isEqualTo(inputs);
        assertThat(graph.outputNames())
                .isEqualTo(proto.getOutputList().stream()
                        .map(ValueInfoProto::getName)
                        .toList());
        int matched = 0;
        for (Value constant : graph.constants()) {
            assertSame(required(constant.constant()), required(initializers.get(constant.name())));
            matched++;
        }
        for (Value input : graph.inputs()) {
            Tensor otherwise = graph.defaultOf(input);
            if (otherwise != null) {
                assertSame(otherwise, required(initializers.get(input.name())));
                matched++;
            }
        }
        assertThat(matched).isEqualTo(initializers.size());
        assertThat(graph.nodeCount()).isEqualTo(proto.getNodeCount());
        Iterator<Node> nodes = graph.nodes().iterator();
        for (NodeProto expected : proto.getNodeList()) {
            assertSame(nodes.next(), expected, irVersion, opsets);
        }
    }

    private static void assertSame(Node node, NodeProto proto, long irVersion, Map<String, Integer> opsets) {
        assertThat(node.op()).isEqualTo(new OpId(proto.getDomain(), proto.getOpType()));
        assertThat(node.opset()).isEqualTo(opsets.get(node.op().domain()));
        assertThat(node.name()).isEqualTo(proto.getName());
        assertThat(names(node.inputs())).isEqualTo(proto.getInputList());
        assertThat(names(node.outputs())).isEqualTo(proto.getOutputList());
        assertThat(new ArrayList<>(node.attributes().names()))
                .isEqualTo(proto.getAttributeList().stream()
                        .map(AttributeProto::getName)
                        .toList());
        for (AttributeProto attribute : proto.getAttributeList()) {
            assertSame(required(node.attributes().find(attribute.getName())), attribute, irVersion, opsets);
        }
    }

    private static <T> T required(@Nullable T value) {
        return Objects.requireNonNull(value, "absent");
    }

    private static List<String> names(List<@Nullable Value> values) {
        return values.stream().map(value -> value == null ? "" : value.name()).toList();
    }

    private static void assertSame(
            Attribute attribute, AttributeProto proto, long irVersion, Map<String, Integer> opsets) {
        switch (attribute) {
            case Attribute.Int a -> assertThat(a.value()).isEqualTo(proto.getI());
            case Attribute.Float a -> assertThat(a.value()).isEqualTo(proto.getF());
            case Attribute.Bytes a -> assertThat(ByteString.copyFrom(a.value())).isEqualTo(proto.getS());
            case Attribute.Ints a -> assertThat(a.values()).isEqualTo(proto.getIntsList());
            case Attribute.Floats a -> assertThat(a.values()).isEqualTo(proto.getFloatsList());
            case Attribute.Strings a ->
                assertThat(a.values().stream()
                                .map(bytes -> ByteString.copyFrom(bytes.value()))
                                .toList())
                        .isEqualTo(proto.getStringsList());
            case Attribute.TensorValue a -> assertSame(a.value(), proto.getT());
            case Attribute.GraphValue a -> assertSame(a.value(), proto.getG(), irVersion, opsets);
            case Attribute.Sparse a -> {
                assertSame(a.values(), proto.getSparseTensor().getValues());
                assertSame(a.indices(), proto.getSparseTensor().getIndices());
                assertThat(a.dims()).isEqualTo(proto.getSparseTensor().getDimsList());
            }
            case Attribute.TypeValue a ->
                assertThat(TypeWriter.toProto(a.value(), Denotations.NONE)).isEqualTo(proto.getTp());
            default -> throw new AssertionError("no comparison for " + attribute);
        }
    }

    static void assertSame(Tensor tensor, TensorProto proto) {
        assertThat(tensor.type().code()).isEqualTo(proto.getDataType());
        assertThat(tensor.shape().toArray())
                .containsExactly(
                        proto.getDimsList().stream().mapToLong(Long::longValue).toArray());
        if (tensor.type() == ElementType.STRING) {
            assertThat(tensor.strings())
                    .containsExactly(proto.getStringDataList().stream()
                            .map(ByteString::toStringUtf8)
                            .toArray(String[]::new));
        } else {
            assertThat(tensor.segment().toArray(ByteLayouts.BYTE)).isEqualTo(bytes(proto));
        }
    }

    private static byte[] bytes(TensorProto proto) {
        if (proto.hasRawData()) {
            return proto.getRawData().toByteArray();
        }
        var buffer = ByteBuffer.allocate(proto.getSerializedSize() * 8).order(ByteOrder.LITTLE_ENDIAN);
        proto.getFloatDataList().forEach(buffer::putFloat);
        proto.getDoubleDataList().forEach(buffer::putDouble);
        proto.getInt64DataList().forEach(buffer::putLong);
        boolean wide = proto.getDataType() == TensorProto.DataType.UINT64_VALUE;
        proto.getUint64DataList().forEach(value -> {
            if (wide) {
                buffer.putLong(value);
            } else {
                buffer.putInt(value.intValue());
            }
        });
        int bits = ElementType.requireCode(proto.getDataType()).bits();
        proto.getInt32DataList().forEach(value -> {
            switch (bits) {
                case 32 -> buffer.putInt(value);
                case 16 -> buffer.putShort(value.shortValue());
                default -> buffer.put(value.byteValue());
            }
        });
        byte[] bytes = new byte[buffer.position()];
        buffer.flip().get(bytes);
        return bytes;
    }
}
