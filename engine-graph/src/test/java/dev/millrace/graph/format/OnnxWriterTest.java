package dev.millrace.graph.format;

import static dev.millrace.graph.format.Protos.attribute;
import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.node;
import static dev.millrace.graph.format.Protos.opset;
import static dev.millrace.graph.format.Protos.reference;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphCopier;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.StringStringEntryProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OnnxWriterTest {
    private final Graph graph = Graph.named("g");
    private final GraphEditor editor = new GraphEditor(graph);
    private final Value input = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, Shape.of(2)));

    @Test
    void nodesOfOtherOpsetsStandInADomainThatNamesTheirs() throws IOException {
        Value abs = append(graph, OpId.onnx("Abs"), 21, input, "a");
        Value neg = append(graph, OpId.onnx("Neg"), 9, abs, "b");
        editor.addOutput("y", append(graph, new OpId("com.microsoft", "Gelu"), 1, neg, "y"));
        ModelProto proto = ModelProto.parseFrom(Models.toBytes(model(21)));
        assertThat(proto.getGraph().getNodeList())
                .extracting(NodeProto::getDomain)
                .containsExactly("", "dev.millrace.onnx9", "com.microsoft");
        assertThat(proto.getOpsetImportList())
                .containsExactlyInAnyOrder(opset("", 21), opset("dev.millrace.onnx9", 9), opset("com.microsoft", 1));
        Model again = Models.read(proto.toByteArray(), null);
        assertThat(ModelText.of(again.graph())).isEqualTo(ModelText.of(graph));
        assertThat(again.opsets()).containsExactlyInAnyOrderEntriesOf(Map.of("", 21, "com.microsoft", 1));
    }

    @Test
    void anotherDomainInTwoOpsetsIsRefused() {
        Value first = append(graph, new OpId("ai.onnx.ml", "Scaler"), 1, input, "a");
        editor.addOutput("y", append(graph, new OpId("ai.onnx.ml", "Scaler"), 3, first, "y"));
        assertThatThrownBy(() -> Models.toBytes(model(21)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("ai.onnx.ml")
                .hasMessageContaining("opset 3");
    }

    @Test
    void outputsKeepTheirNamesWhateverTheirValuesAreCalled() {
        Value abs = append(graph, OpId.onnx("Abs"), 21, input, "inner");
        editor.addOutput("first", abs);
        editor.addOutput("second", abs);
        editor.addOutput("third", input);
        Graph again = Models.read(Models.toBytes(model(21)), null).graph();
        assertThat(again.outputNames()).containsExactly("first", "second", "third");
        assertThat(again.outputs()).extracting(Value::name).containsExactly("first", "second", "third");
        assertThat(again.nodeCount()).isEqualTo(3);
        assertThat(again.lastNode()).matches(node -> node != null && node.is("Identity"));
    }

    @Test
    void valuesOfOneNameGetSeveral() {
        Value one = editor.addConstant("x", Tensor.scalar(1f));
        Value sum = append(graph, OpId.onnx("Abs"), 21, one, "x");
        Graph nested = Graph.nested("body", graph);
        Value inner = append(nested, OpId.onnx("Neg"), 21, sum, "x");
        new GraphEditor(nested).addOutput("x", inner);
        NodeSpec spec = NodeSpec.of(OpId.onnx("If"), 21, input).with("then_branch", Attribute.of(nested));
        editor.addOutput("y", editor.append(spec, List.of("x")).requireOutput(0));
        Graph again = Models.read(Models.toBytes(model(21)), null).graph();
        assertThat(again.inputs()).extracting(Value::name).containsExactly("x");
        Graph read = Objects.requireNonNull(again.lastNode()).attributes().graph("then_branch");
        Value outer = Objects.requireNonNull(read.firstNode()).requireInput(0);
        assertThat(outer.producer()).matches(node -> node != null && node.is("Abs"));
        assertThat(outer.name()).isNotEqualTo("x");
    }

    @Test
    void metadataOfNodesSurvivesWritingAndCopying() {
        NodeProto.Builder marked = node("Neg", List.of("x"), List.of("y"))
                .addMetadataProps(
                        StringStringEntryProto.newBuilder().setKey("layer").setValue("7"));
        Model model = Protos.read(
                Protos.model(graph(List.of("x"), List.of("z"), marked, node("Abs", List.of("y"), List.of("z")))));
        Model written = Models.read(Models.toBytes(model), null);
        for (Graph graph : List.of(model.graph(), written.graph(), GraphCopier.copy(written.graph(), null))) {
            List<Map<String, String>> metadata = new ArrayList<>();
            graph.nodes().forEach(each -> metadata.add(each.remarks().metadata()));
            assertThat(metadata).containsExactly(Map.of("layer", "7"), Map.of());
        }
    }

    @Test
    void functionsAttributesAndNestedGraphsSurvive() {
        FunctionProto.Builder function = FunctionProto.newBuilder()
                .setDomain("my.functions")
                .setName("F")
                .setOverload("o")
                .addInput("x")
                .addOutput("y")
                .addAttribute("a")
                .addAttributeProto(attribute("b", 5))
                .addOpsetImport(opset("", 13))
                .addValueInfo(Protos.info("y"))
                .addValueInfo(Protos.info("x"))
                .addNode(node("Op", List.of("x"), List.of("y")).addAttribute(reference("axis", "a")));
        Model model = Protos.read(Protos.model(graph(
                        List.of("x"),
                        List.of("y"),
                        node("F", List.of("x"), List.of("y"))
                                .setDomain("my.functions")
                                .setOverload("o")))
                .addFunctions(function)
                .addOpsetImport(opset("my.functions", 1))
                .addMetadataProps(
                        StringStringEntryProto.newBuilder().setKey("k").setValue("v")));
        assertThat(ModelText.of(Models.read(Models.toBytes(model), null)))
                .isEqualTo(ModelText.of(model))
                .contains("Reference[callerAttribute=a]", "{k=v}");
    }

    @Test
    void externalDataIsAlignedAndSmallTensorsStayInline(@TempDir Path folder) throws IOException {
        Value small = editor.addConstant("small", Tensor.copyOf(new float[] {1}, 1));
        Value large = editor.addConstant("large", Tensor.copyOf(new float[300], 300));
        Value larger = editor.addConstant("larger", Tensor.copyOf(new float[301], 301));
        Value sum = editor.append(NodeSpec.of(OpId.onnx("Sum"), 21, input, small, large, larger), List.of("y"))
                .requireOutput(0);
        editor.addOutput("y", sum);
        Path file = folder.resolve("m.onnx");
        Models.write(model(21), file, WriteOptions.externalData("m.data"));
        Models.write(model(21), file, WriteOptions.externalData("m.data"));
        ModelProto proto = ModelProto.parseFrom(Files.readAllBytes(file));
        assertThat(proto.getGraph().getInitializerList())
                .extracting(tensor -> tensor.getDataLocation() == TensorProto.DataLocation.EXTERNAL)
                .containsExactly(false, true, true);
        assertThat(proto.getGraph().getInitializer(2).getExternalData(1).getValue())
                .isEqualTo("1216");
        assertThat(ModelText.of(Models.read(file))).isEqualTo(ModelText.of(model(21)));
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactlyInAnyOrder(file, folder.resolve("m.data"));
        }
    }

    @Test
    void nothingIsLeftBehindWhereWritingFails(@TempDir Path folder) throws IOException {
        Path occupied = folder.resolve("m.onnx");
        Files.createDirectories(occupied.resolve("x"));
        editor.addOutput("y", append(graph, OpId.onnx("Abs"), 21, input, "y"));
        assertThatThrownBy(() -> Models.write(model(21), occupied, WriteOptions.inline()))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("m.onnx");
        try (var files = Files.list(folder)) {
            assertThat(files).containsExactly(occupied);
        }
    }

    @Test
    void aModelBeyondTwoGigabytesIsRefusedInline(@TempDir Path folder) throws IOException {
        long size = (2L << 30) - 1000;
        Path file = folder.resolve("weights");
        try (var data = new RandomAccessFile(file.toFile(), "rw")) {
            data.setLength(size);
        }
        MemorySegment mapped;
        try (FileChannel channel = FileChannel.open(file)) {
            mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, size, Arena.ofAuto());
        }
        Tensor large = Tensor.wrap(ElementType.UINT8, Shape.of(size), mapped);
        editor.addOutput("y", editor.addConstant("a", large));
        editor.document(DocString.of("d".repeat(2000)));
        assertThatThrownBy(() -> Models.write(model(21), folder.resolve("m.onnx"), WriteOptions.inline()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining("externalData");
        editor.addOutput("z", editor.addConstant("b", large));
        assertThatThrownBy(() -> Models.toBytes(model(21))).hasMessageContaining("externalData");
    }

    @Test
    void externalFilesHavePlainNames() {
        for (String name : List.of("", "..", "a/b", "a\\b", "c:d")) {
            assertThatThrownBy(() -> WriteOptions.externalData(name)).isInstanceOf(EngineException.class);
        }
    }

    @Test
    void everyKindOfAttributeSurvives() {
        Tensor strings = Tensor.ofStrings(Shape.of(2), "a", "ü");
        var sparse =
                new Attribute.Sparse(Tensor.copyOf(new float[] {1}, 1), Tensor.copyOf(new long[] {3}, 1), List.of(5L));
        ValueType type = new ValueType.MapType(
                ElementType.INT64,
                new ValueType.OptionalType(
                        new ValueType.SequenceType(ValueType.tensor(ElementType.BFLOAT16, Shape.of(1, 2)))));
        var attributes = new LinkedHashMap<String, Attribute>();
        attributes.put("i", Attribute.of(-1));
        attributes.put("f", Attribute.of(-0f));
        attributes.put("s", Attribute.of("é"));
        attributes.put("is", Attribute.of(1, -2));
        attributes.put("none", new Attribute.Ints(List.of()));
        attributes.put("fs", new Attribute.Floats(List.of(1f, Float.NaN)));
        attributes.put("ss", new Attribute.Strings(List.of(new Attribute.Bytes(new byte[] {(byte) 0xff}))));
        attributes.put("t", Attribute.of(strings));
        attributes.put("ts", new Attribute.Tensors(List.of(strings, Tensor.scalar(1L))));
        attributes.put("gs", new Attribute.Graphs(List.of(Graph.nested("n", graph))));
        attributes.put("y", new Attribute.TypeValue(type));
        attributes.put("ys", new Attribute.Types(List.of(type, new ValueType.SparseType(ElementType.INT8, null))));
        attributes.put("sparse", sparse);
        NodeSpec spec = NodeSpec.of(OpId.onnx("Op"), 21, input).with(Attributes.of(attributes));
        editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
        Model again = Models.read(Models.toBytes(model(21)), null);
        assertThat(ModelText.of(again.graph())).isEqualTo(ModelText.of(graph));
    }

    private Model model(int opset) {
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return new Model(header, Map.of("", opset), Map.of(), Map.of(), graph, null);
    }

    private static Value append(Graph to, OpId op, int opset, Value from, String name) {
        return new GraphEditor(to)
                .append(NodeSpec.of(op, opset, from), List.of(name))
                .requireOutput(0);
    }
}
