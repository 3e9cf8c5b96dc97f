package dev.millrace.graph.format;

import static dev.millrace.graph.format.NotesTest.again;
import static dev.millrace.graph.format.NotesTest.entry;
import static dev.millrace.graph.format.NotesTest.marked;
import static dev.millrace.graph.format.NotesTest.tensor;
import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.info;
import static dev.millrace.graph.format.Protos.node;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.FunctionInliner;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.SparseTensorProto;
import dev.millrace.graph.proto.TensorProto;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Documentation texts, and the names and remarks of tensors in attributes, survive reading and writing a model. */
class RemarksTest {
    @Test
    void whatIsWrittenForPeopleSurvives() throws InvalidProtocolBufferException {
        ModelProto documented = documented().build();
        Model model = Protos.read(documented.toBuilder());
        for (Model each : List.of(model, model.with(GraphCopier.copy(model.graph(), null)))) {
            ModelProto again = ModelProto.parseFrom(Models.toBytes(each));
            assertThat(again.getDocString()).isEqualTo("of the model");
            assertThat(again.getFunctions(0).getDocString()).isEqualTo("of the function");
            GraphProto graph = again.getGraph();
            assertThat(graph.getDocString()).isEqualTo("of the graph");
            assertThat(graph.getInput(0).getDocString()).isEqualTo("of the input");
            assertThat(graph.getOutput(0).getDocString()).isEqualTo("of the output");
            assertThat(graph.getValueInfo(0).getDocString()).isEqualTo("of the value");
            assertThat(graph.getInitializer(0).getDocString()).isEqualTo("of the weight");
            assertThat(graph.getNodeList()).isEqualTo(documented.getGraph().getNodeList());
        }
    }

    @Test
    void aTextThatIsNoUtf8GoesOutAsItCameIn() throws InvalidProtocolBufferException {
        ByteString odd = ByteString.copyFrom(new byte[] {'a', (byte) 0xff, 'b'});
        ModelProto.Builder model = documented().setDocStringBytes(odd);
        model.getGraphBuilder().getNodeBuilder(0).setDocStringBytes(odd);
        ModelProto again = ModelProto.parseFrom(Models.toBytes(Protos.read(model)));
        assertThat(again.getDocStringBytes()).isEqualTo(odd);
        assertThat(again.getGraph().getNode(0).getDocStringBytes()).isEqualTo(odd);
    }

    @Test
    void aTextIsNoCopyOfTheFile() {
        byte[] file = documented().build().toByteArray();
        Model model = Models.read(file, null);
        for (DocString text : List.of(
                model.header().documentation(),
                model.graph().documentation(),
                requireNonNull(model.graph().firstNode()).remarks().documentation())) {
            assertThat(text.isEmpty()).isFalse();
        }
        Arrays.fill(file, (byte) 'x');
        assertThat(model.header().documentation().text()).isEqualTo("x".repeat("of the model".length()));
    }

    @Test
    void whatIsSaidOfTensorsInAttributesIsNoReasonForThemToDiffer() {
        Node node = requireNonNull(Protos.read(documented()).graph().firstNode());
        Attributes attributes = node.attributes();
        assertThat(attributes.notes("one").tensor(0).remarks().metadata()).isEqualTo(Map.of("note", "a tensor"));
        assertThat(attributes).isEqualTo(Attributes.of(attributes.asMap()));
        assertThat(attributes.with("one", Attribute.of(1)).notes("one").isEmpty())
                .isTrue();
        assertThat(attributes.without("one").notes("many").isEmpty()).isFalse();
        assertThat(attributes.without("one").notes("one").isEmpty()).isTrue();
    }

    @Test
    void aConstantNodeHandsOverWhatIsSaidOfItsTensor() throws InvalidProtocolBufferException {
        GraphProto.Builder main = graph(
                        List.of("x"),
                        List.of("y"),
                        node("Constant", List.of(), List.of("c"))
                                .addAttribute(AttributeProto.newBuilder()
                                        .setName("value")
                                        .setType(AttributeProto.AttributeType.TENSOR)
                                        .setT(tensor("", 5)
                                                .setDocString("why five")
                                                .addMetadataProps(entry("note", "a tensor")))),
                        node("Mul", List.of("x", "c"), List.of("y")))
                .addValueInfo(marked("c", "a value").toBuilder().setDocString("a factor"));
        Model model = Protos.read(Protos.model(main));
        new Optimiser(Optimiser.Options.DEFAULT, ConstantEvaluator.NONE).optimise(model.graph());
        GraphProto again = again(model);
        assertThat(again.getInitializerList()).singleElement().satisfies(tensor -> {
            assertThat(tensor.getDocString()).isEqualTo("why five");
            assertThat(tensor.getMetadataPropsList()).containsExactly(entry("note", "a tensor"));
        });
        assertThat(again.getValueInfoList()).singleElement().satisfies(info -> {
            assertThat(info.getDocString()).isEqualTo("a factor");
            assertThat(info.getMetadataPropsList()).containsExactly(entry("note", "a value"));
        });
    }

    @Test
    void anAttributeOfACallerBringsWhatIsSaidOfIt() throws InvalidProtocolBufferException {
        AttributeProto given = AttributeProto.newBuilder()
                .setName("given")
                .setType(AttributeProto.AttributeType.TENSOR)
                .setDocString("by the caller")
                .setT(tensor("five", 5).addMetadataProps(entry("note", "a tensor")))
                .build();
        FunctionProto.Builder function = FunctionProto.newBuilder()
                .setDomain("my")
                .setName("F")
                .addAttribute("given")
                .addAttributeProto(given.toBuilder().setName("other").setDocString("by default"))
                .addOutput("a")
                .addOutput("b")
                .addOpsetImport(Protos.opset("", 21))
                .addNode(node("Constant", List.of(), List.of("a")).addAttribute(reference("value", "given")))
                .addNode(node("Constant", List.of(), List.of("b")).addAttribute(reference("value", "other")));
        GraphProto.Builder main = graph(
                List.of(),
                List.of("y", "z"),
                node("F", List.of(), List.of("y", "z")).setDomain("my").addAttribute(given));
        Model model = Protos.read(
                Protos.model(main).addOpsetImport(Protos.opset("my", 1)).addFunctions(function));
        assertThat(again(FunctionInliner.inline(model)).getNodeList())
                .extracting(node -> node.getAttribute(0))
                .containsExactly(
                        given.toBuilder()
                                .setName("value")
                                .setT(raw(given.getT()))
                                .build(),
                        given.toBuilder()
                                .setName("value")
                                .setT(raw(given.getT()))
                                .setDocString("by default")
                                .build());
        ModelProto written = ModelProto.parseFrom(Models.toBytes(model));
        assertThat(written.getFunctions(0).getAttributeProto(0).getDocString()).isEqualTo("by default");
    }

    /** Returns a model with a documentation text on everything that may have one. */
    private static ModelProto.Builder documented() {
        TensorProto first = raw(tensor("first", 1)
                .setDocString("of a tensor")
                .addMetadataProps(entry("note", "a tensor"))
                .build());
        TensorProto second = raw(tensor("second", 2).setDocString("of another").build());
        TensorProto index = TensorProto.newBuilder()
                .setName("places")
                .setDataType(TensorProto.DataType.INT64_VALUE)
                .addDims(1)
                .setRawData(ByteString.copyFrom(new byte[8]))
                .setDocString("of the indices")
                .build();
        NodeProto.Builder node = node("Odd", List.of("x"), List.of("inner"))
                .setDomain("odd")
                .setDocString("of the node")
                .addMetadataProps(entry("note", "a node"))
                .addAttribute(attribute("one", AttributeProto.AttributeType.TENSOR)
                        .setDocString("of the attribute")
                        .setT(first))
                .addAttribute(attribute("many", AttributeProto.AttributeType.TENSORS)
                        .addTensors(second)
                        .addTensors(first))
                .addAttribute(attribute("few", AttributeProto.AttributeType.SPARSE_TENSOR)
                        .setSparseTensor(SparseTensorProto.newBuilder()
                                .setValues(second.toBuilder().addDims(1))
                                .setIndices(index)
                                .addDims(4)))
                .addAttribute(attribute("plain", AttributeProto.AttributeType.INT)
                        .setDocString("of a number")
                        .setI(3));
        GraphProto.Builder main = graph(
                        List.of("x"), List.of("y"), node, node("Mul", List.of("inner", "w"), List.of("y")))
                .setDocString("of the graph")
                .addInitializer(tensor("w", 2).setDocString("of the weight"))
                .addValueInfo(info("inner").toBuilder().setDocString("of the value"));
        main.setInput(0, info("x").toBuilder().setDocString("of the input"));
        main.setOutput(0, info("y").toBuilder().setDocString("of the output"));
        return Protos.model(main)
                .setDocString("of the model")
                .addOpsetImport(Protos.opset("odd", 1))
                .addFunctions(FunctionProto.newBuilder()
                        .setDomain("my")
                        .setName("F")
                        .setDocString("of the function")
                        .addOpsetImport(Protos.opset("", 21)));
    }

    private static AttributeProto.Builder attribute(String name, AttributeProto.AttributeType type) {
        return AttributeProto.newBuilder().setName(name).setType(type);
    }

    private static AttributeProto.Builder reference(String name, String callerAttribute) {
        return attribute(name, AttributeProto.AttributeType.TENSOR).setRefAttrName(callerAttribute);
    }

    /** Returns the float tensor with raw data, as the writer stores it. */
    private static TensorProto raw(TensorProto tensor) {
        byte[] bytes = new byte[Float.BYTES];
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putFloat(tensor.getFloatData(0));
        return tensor.toBuilder()
                .clearFloatData()
                .setRawData(ByteString.copyFrom(bytes))
                .build();
    }
}
