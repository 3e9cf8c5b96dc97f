package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.epcontext.CompatibilityCheck;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Remarks;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of context models, whether a session writes them or the compiler does. */
class ContextFrontsTest {
    private static final int WIDTH = 8;
    private static final ValueType FLOATS = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(WIDTH)));
    private static final ValueType NUMBERS = ValueType.tensor(ElementType.INT32, SymbolicShape.of(Dim.of(WIDTH)));

    @TempDir
    private Path folder = Path.of("");

    private final FakeFactory fake = new FakeFactory();
    private Engine engine = Engine.create();
    private Path source = Path.of("");
    private Path target = Path.of("");

    @BeforeEach
    void open() {
        engine.close();
        engine = TestEngines.with(fake);
        source = folder.resolve("net.onnx");
        target = folder.resolve("net_ctx.onnx");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    /** Returns options without the optimiser, so that operators are those of the model. */
    private static SessionOptions.Builder options(String... providers) {
        var options = SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build());
        for (String provider : providers) {
            options.provider(provider);
        }
        return options;
    }

    private static SessionOptions.Builder withFake() {
        return options(FakeFactory.NAME, "cpu");
    }

    private static Value node(GraphEditor editor, String op, Value... inputs) {
        return editor.append(
                        NodeSpec.of(OpId.onnx(op), TestModels.OPSET, inputs),
                        List.of(op + editor.graph().nodeCount()))
                .requireOutput(0);
    }

    /** Writes a model that is a chain of unary operators. */
    private void chain(String... operators) throws IOException {
        var editor = new GraphEditor(Graph.named("chain"));
        Value value = editor.addInput("x", FLOATS);
        for (String operator : operators) {
            value = node(editor, operator, value);
        }
        editor.addOutput("y", value);
        write(editor.graph());
    }

    private void write(Graph graph) throws IOException {
        Files.write(source, Models.toBytes(TestModels.model(graph)));
    }

    private List<String> make(Front front, SessionOptions.Builder options) {
        return front.make(engine, source, target, options.build());
    }

    private List<String> operators() {
        var operators = new ArrayList<String>();
        for (Node node : Models.read(target).graph().nodes()) {
            operators.add(node.op().name());
        }
        return operators;
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @ParameterizedTest
    @EnumSource
    @Rows({3, 4, 38})
    void whatIsThereStaysAsItIs(Front front) throws IOException {
        chain("Relu");
        front.make(engine, source, null, withFake().build());
        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx", "net_fake.bin");
        Path binary = folder.resolve("net_fake.bin");
        var times = List.of(Files.getLastModifiedTime(target), Files.getLastModifiedTime(binary));
        byte[] bytes = Files.readAllBytes(source);

        for (Runnable again : List.<Runnable>of(
                () -> front.make(engine, source, null, withFake().build()),
                () -> front.make(engine, bytes, target, withFake().build()))) {
            CompiledTest.assertRefused(Status.FAIL, again, "net_ctx.onnx", "exists already");
        }
        assertThat(List.of(Files.getLastModifiedTime(target), Files.getLastModifiedTime(binary)))
                .isEqualTo(times);
    }

    @ParameterizedTest
    @EnumSource
    @Rows({5, 6})
    void aPathIsOfAFile(Front front) throws IOException {
        chain("Relu");
        for (String path : List.of("out/", "out", ".onnx", "out.")) {
            Path to = Path.of(folder + "/" + path);
            CompiledTest.assertRefused(
                    Status.INVALID_ARGUMENT,
                    () -> front.make(engine, source, to, withFake().build()),
                    "context_file_path should not point to a folder");
        }
        assertThat(files()).containsExactly("net.onnx");
    }

    @ParameterizedTest
    @EnumSource
    @Rows({1, 13, 14})
    void eachPartHasANodeAndTheRestStays(Front front) throws IOException {
        chain("Relu", "Neg");
        make(front, withFake());
        assertThat(operators()).containsExactly("EPContext", "Neg");
        assertThat(Models.read(target).graph().nodes().iterator().next().inputs())
                .hasSize(1);

        Files.delete(target);
        chain("Relu", "Neg", "Relu", "Neg");
        make(front, withFake());
        assertThat(operators()).containsExactly("EPContext", "Neg", "EPContext", "Neg");
        engine.session(target, withFake().disableModelCompile(true).build()).close();
    }

    @ParameterizedTest
    @EnumSource
    @Rows(15)
    void everyContextNodeHasThePrefix(Front front) throws IOException {
        chain("Relu", "Neg", "Relu");
        make(front, withFake().config("ep.context_node_name_prefix", "mine_"));
        assertThat(operators()).containsExactly("EPContext", "Neg", "EPContext");
        for (Node node : Models.read(target).graph().nodes()) {
            if (node.op().equals(EpContext.OP)) {
                assertThat(node.name()).startsWith("mine_");
                assertThat(node.attributes().text(EpContext.PARTITION)).startsWith("mine_");
            }
        }
        engine.session(target, withFake().build()).close();
    }

    @ParameterizedTest
    @EnumSource
    @Rows({16, 17, 58})
    void inputsKeepTheirOrderAndTheirTypes(Front front) throws IOException {
        var editor = new GraphEditor(Graph.named("two"));
        Value last = editor.addInput("read_last", NUMBERS);
        Value first = editor.addInput("read_first", FLOATS);
        Value positive = node(editor, "Relu", first);
        NodeSpec cast = NodeSpec.of(OpId.onnx("Cast"), TestModels.OPSET, last)
                .with("to", Attribute.of(ElementType.FLOAT.code()));
        Value second = editor.append(cast, List.of("cast")).requireOutput(0);
        editor.addOutput("y", node(editor, "Add", positive, second));
        write(editor.graph());

        make(front, options("simd", "cpu"));
        assertThat(operators()).contains("EPContext");
        Inputs inputs = Inputs.of(Map.of(
                "read_first",
                Tensor.copyOf(new float[] {-1, 2, -3, 4, -5, 6, -7, 8}, WIDTH),
                "read_last",
                Tensor.copyOf(new int[] {1, 2, 3, 4, 5, 6, 7, 8}, WIDTH)));
        try (Session session = engine.session(target);
                Outputs outputs = session.run(inputs)) {
            assertThat(session.inputs())
                    .extracting(ValueInfo::name, ValueInfo::type)
                    .containsExactly(tuple("read_last", NUMBERS), tuple("read_first", FLOATS));
            assertThat(outputs.get(0).floats()).containsExactly(1, 4, 3, 8, 5, 12, 7, 16);
        }
    }

    @ParameterizedTest
    @EnumSource
    @Rows({18, 19})
    void initializersOfOtherNodesLieOutsideWhereThatIsAskedForOnly(Front front) throws IOException {
        var editor = new GraphEditor(Graph.named("bias"));
        Value x = editor.addInput("x", FLOATS);
        Value bias = editor.addConstant("bias", Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6, 7, 8}, WIDTH));
        editor.addOutput("y", node(editor, "Sub", node(editor, "Relu", x), bias));
        write(editor.graph());

        make(front, withFake());
        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx", "net_fake.bin");
        Files.delete(target);
        make(front, withFake().config("ep.context_model_external_initializers_file_name", "rest.data"));
        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx", "net_fake.bin", "rest.data");
        assertThat(folder.resolve("rest.data")).hasSize(WIDTH * Float.BYTES);
        engine.session(target, withFake().build()).close();
    }

    @ParameterizedTest
    @EnumSource
    @Rows(21)
    void whatOnlyNestedGraphsReadIsThere(Front front) throws IOException {
        var editor = new GraphEditor(Graph.named("choice"));
        Value x = editor.addInput("x", FLOATS);
        Value which = editor.addInput("which", ValueType.tensor(ElementType.BOOL, SymbolicShape.of()));
        Value more = editor.addConstant("more", Tensor.copyOf(new float[] {8, 7, 6, 5, 4, 3, 2, 1}, WIDTH));
        Value positive = node(editor, "Relu", x);
        NodeSpec choice = NodeSpec.of(OpId.onnx("If"), TestModels.OPSET, which)
                .with("then_branch", Attribute.of(branch(editor.graph(), "Sub", positive, more)))
                .with("else_branch", Attribute.of(branch(editor.graph(), "Mul", positive, more)));
        editor.addOutput("y", editor.append(choice, List.of("y")).requireOutput(0));
        write(editor.graph());

        make(front, options("simd", "cpu"));
        assertThat(operators()).contains("EPContext");
        float[] of = {1, 1, 1, 1, 1, 1, 1, 1};
        for (boolean then : new boolean[] {true, false}) {
            Inputs inputs = Inputs.of(Map.of("x", Tensor.copyOf(of, WIDTH), "which", Tensor.scalar(then)));
            try (Session session = engine.session(target);
                    Session plain = engine.session(source);
                    Outputs outputs = session.run(inputs);
                    Outputs wanted = plain.run(inputs)) {
                assertThat(outputs.get(0).floats())
                        .startsWith(then ? -7 : 8)
                        .containsExactly(wanted.get(0).floats());
            }
        }
    }

    private static Graph branch(Graph around, String operator, Value x, Value more) {
        Graph graph = Graph.nested(operator, around);
        var editor = new GraphEditor(graph);
        editor.addOutput("of" + operator, node(editor, operator, x, more));
        return graph;
    }

    @ParameterizedTest
    @EnumSource
    @Rows(22)
    void whatTheSourceSaysOfItselfIsKept(Front front) throws IOException {
        var editor = new GraphEditor(Graph.named("chain"));
        Value positive = node(editor, "Relu", editor.addInput("x", FLOATS));
        Map<String, String> marked = Map.of("layer", "7");
        var spec = new NodeSpec(
                OpId.onnx("Neg"), TestModels.OPSET, "", "", List.of(positive), Attributes.NONE, Remarks.of(marked));
        editor.addOutput("y", editor.append(spec, List.of("y")).requireOutput(0));
        Graph graph = editor.graph();
        var header = new Model.Header(10, "a tool", "2.1", "org.example", 17, "what it is for");
        Map<String, Integer> opsets = Map.of(OpId.ONNX, TestModels.OPSET, "org.example", 3);
        Models.write(
                new Model(header, opsets, Map.of("author", "somebody"), Map.of(), graph, null),
                source,
                WriteOptions.inline());

        make(front, withFake());
        Model written = Models.read(target);
        assertThat(written.header().documentation().text()).isEqualTo("what it is for");
        assertThat(written.header().domain()).isEqualTo("org.example");
        assertThat(written.header().modelVersion()).isEqualTo(17);
        assertThat(written.opsets()).containsAllEntriesOf(opsets).containsEntry(OpId.MICROSOFT, 1);
        assertThat(written.metadata()).containsEntry("author", "somebody");
        assertThat(written.graph().nodes())
                .last()
                .satisfies(node -> assertThat(node.remarks().metadata()).isEqualTo(marked));
    }

    @ParameterizedTest
    @EnumSource
    @Rows({23, 132})
    void aPartThatWasNotKeptStaysAsItWas(Front front) throws IOException {
        chain("Relu", "Neg", "Relu", "Neg");
        fake.keepsAtMost = 1;
        make(front, withFake());
        assertThat(operators()).containsExactly("EPContext", "Neg", "Relu", "Neg");
        engine.session(target, withFake().build()).close();
    }

    @ParameterizedTest
    @EnumSource
    @Rows(24)
    void whatAProviderDoesWrongLeavesNoFile(Front front) throws IOException {
        chain("Relu");
        fake.keepsWhatIsNotItsOwn = true;
        CompiledTest.assertRefused(Status.EP_FAIL, () -> make(front, withFake()), "'fake'", "stolen");
        assertThat(files()).containsExactly("net.onnx");

        fake.keepsWhatIsNotItsOwn = false;
        fake.returnsNoKernel = true;
        assertThat(make(front, withFake())).anyMatch(note -> note.contains("'fake'") && note.contains("no kernel"));
        assertThat(folder.resolve("net_fake.bin")).doesNotExist();
    }

    @ParameterizedTest
    @EnumSource
    @Rows({25, 26, 27, 28})
    void eachProviderSaysWhatItNeeds(Front front) throws IOException {
        chain("Relu", "Exp");
        make(front, options(FakeFactory.NAME, "simd", "cpu"));
        Map<String, String> said = CompatibilityCheck.infos(Models.read(target));
        assertThat(said).containsOnlyKeys("fake", "simd").containsEntry("fake", "v1");
        assertThat(said.get("simd")).startsWith("simd;format=");
        assertThat(Models.read(target).metadata()).containsEntry("ep_compatibility_info.fake", "v1");

        Files.delete(target);
        fake.info = "";
        make(front, options(FakeFactory.NAME, "simd", "cpu"));
        assertThat(CompatibilityCheck.infos(Models.read(target))).containsOnlyKeys("simd");

        Files.delete(target);
        fake.failure = new IllegalStateException("no idea");
        assertThat(make(front, options(FakeFactory.NAME, "simd", "cpu")))
                .anyMatch(note -> note.contains("'fake'") && note.contains("no idea"));
        assertThat(CompatibilityCheck.infos(Models.read(target))).containsOnlyKeys("simd");
    }

    @ParameterizedTest
    @EnumSource
    @Rows({29, 30})
    void binariesLieInsideOrBeside(Front front) throws IOException {
        Files.write(source, TestModels.perceptron(2, WIDTH, 3));
        float[] x = {1, 2, 3, 4, 5, 6, 7, 8};
        Inputs inputs = Inputs.of("x", Tensor.copyOf(x, 1, WIDTH));
        for (String embedded : List.of("0", "1")) {
            make(front, SessionOptions.builder().config("ep.context_embed_mode", embedded));
            assertThat(Files.exists(folder.resolve("net_simd.bin"))).isEqualTo(embedded.equals("0"));
            var loading = SessionOptions.builder()
                    .disableModelCompile(true)
                    .config("ep.context_file_path", embedded.equals("0") ? target.toString() : "")
                    .build();
            try (Session plain = engine.session(source);
                    Session file = engine.session(target, loading);
                    Session bytes = engine.session(Files.readAllBytes(target), loading);
                    Outputs wanted = plain.run(inputs);
                    Outputs ofFile = file.run(inputs);
                    Outputs ofBytes = bytes.run(inputs)) {
                assertThat(ofFile.get(0).floats()).containsExactly(wanted.get(0).floats());
                assertThat(ofBytes.get(0).floats())
                        .containsExactly(wanted.get(0).floats());
            }
            Files.delete(target);
            Files.deleteIfExists(folder.resolve("net_simd.bin"));
        }
    }
}
