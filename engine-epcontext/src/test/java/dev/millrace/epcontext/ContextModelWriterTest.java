package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.add;
import static dev.millrace.epcontext.Fixtures.bytes;
import static dev.millrace.epcontext.Fixtures.chain;
import static dev.millrace.epcontext.Fixtures.contexts;
import static dev.millrace.epcontext.Fixtures.floats;
import static dev.millrace.epcontext.Fixtures.nodes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ContextModelWriterTest extends WrittenModels {
    @Test
    void oneCompiledAndOneOtherNodeBecomeTwoNodes() throws IOException {
        Model written = compile(source(chain("Relu", "Relu", "Abs")), enabled().build(), FAST);

        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx", "net_fast.bin");
        List<Node> nodes = nodes(written.graph());
        assertThat(nodes).extracting(node -> node.op().toString()).containsExactly("com.microsoft.EPContext", "Abs");
        Node context = nodes.getFirst();
        assertThat(context.opset()).isOne();
        assertThat(context.name()).isEqualTo("net_fast_1");
        assertThat(context.inputs()).hasSize(1);
        assertThat(context.attributes().names())
                .containsExactlyInAnyOrder(
                        EpContext.MAIN_CONTEXT,
                        EpContext.EMBED_MODE,
                        EpContext.CACHE_CONTEXT,
                        ContextModelWriter.DIGEST,
                        EpContext.SOURCE,
                        EpContext.PARTITION,
                        EpContext.SDK_VERSION,
                        EpContext.HARDWARE);
        assertThat(context.attributes().integer(EpContext.MAIN_CONTEXT)).isOne();
        assertThat(context.attributes().integer(EpContext.EMBED_MODE)).isZero();
        assertThat(context.attributes().text(EpContext.CACHE_CONTEXT)).isEqualTo("net_fast.bin");
        assertThat(context.attributes().text(EpContext.SOURCE)).isEqualTo("fast");
        assertThat(context.attributes().text(EpContext.PARTITION)).isEqualTo("net_fast_1");
        assertThat(ContextBinary.map(folder.resolve("net_fast.bin")).partitions())
                .containsExactly("net_fast_1");
    }

    @Test
    void onlyTheFirstNodeOfABinaryNamesIt() {
        Model written =
                compile(source(chain("Relu", "Abs", "Relu", "Abs")), enabled().build(), FAST);

        List<Node> contexts = contexts(written.graph());
        assertThat(contexts)
                .hasSize(2)
                .extracting(node -> node.attributes().integer(EpContext.MAIN_CONTEXT))
                .containsExactly(1L, 0L);
        assertThat(contexts.get(1).attributes().has(EpContext.CACHE_CONTEXT)).isFalse();
        assertThat(nodes(written.graph())).hasSize(4);
    }

    @Test
    void everyProviderHasABinaryOfItsOwn() throws IOException {
        Model written = compile(
                source(chain("Relu", "Abs", "Relu")), enabled().build(), FAST, FakeProvider.fusing("other/one", "Abs"));

        assertThat(files()).contains("net_fast.bin", "net_other_one.bin");
        assertThat(contexts(written.graph()))
                .extracting(node -> node.attributes().text(EpContext.CACHE_CONTEXT, "-"))
                .containsExactly("net_fast.bin", "net_other_one.bin", "-");
        assertThat(contexts(written.graph()))
                .extracting(node -> node.attributes().text(EpContext.SOURCE))
                .containsExactly("fast", "other/one", "fast");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1})
    void whatWasWrittenIsResolvedFromTheFileAndFromBytes(int embedMode) throws IOException {
        Path output = folder.resolve("out_ctx.onnx");
        var options = enabled()
                .filePath(output)
                .embedMode(embedMode)
                .nodeNamePrefix("left_")
                .build();
        Model fromFile = compile(source(chain("Relu", "Abs", "Relu", "Relu")), options, FAST);

        assertThat(files())
                .isEqualTo(
                        embedMode == 1
                                ? List.of("net.onnx", "out_ctx.onnx")
                                : List.of("net.onnx", "out_ctx.onnx", "out_fast.bin"));
        Model fromBytes = Models.read(Files.readAllBytes(output), null);
        var beside = EpContextOptions.builder().filePath(output).build();
        for (Model model : List.of(fromFile, fromBytes)) {
            try (var resolver = new ContextResolver(new Workspaces(), beside, null, FileUse.READ, model)) {
                List<CompiledGraph> graphs =
                        contexts(model.graph()).stream().map(resolver::resolve).toList();
                assertThat(graphs)
                        .extracting(CompiledGraph::partition)
                        .containsExactly("left_net_fast_1", "left_net_fast_2");
                assertThat(graphs)
                        .extracting(graph -> new String(bytes(graph.plan()), StandardCharsets.UTF_8))
                        .containsExactly("Relu", "Relu,Relu");
            }
        }
    }

    @Test
    void everyContextNodeNameHasThePrefix() {
        Model written = compile(
                source(chain("Relu", "Abs", "Relu")),
                enabled().nodeNamePrefix("left_").build(),
                FAST);

        assertThat(contexts(written.graph()))
                .hasSize(2)
                .allSatisfy(node -> assertThat(node.name()).startsWith("left_"))
                .allSatisfy(node ->
                        assertThat(node.attributes().text(EpContext.PARTITION)).isEqualTo(node.name()));
    }

    @Test
    void inputsAndOutputsKeepTheirOrderNamesAndTypes() {
        var editor = new GraphEditor(Graph.named("g"));
        Value late = editor.addInput("late", ValueType.tensor(ElementType.INT32, Shape.of(4)));
        Value early = editor.addInput("early", floats(2, 3));
        Value first = add(editor, "Relu", "r", early);
        Value second = add(editor, "Abs", "a", late);
        editor.setType(first, floats(2, 3));
        editor.setType(second, ValueType.tensor(ElementType.INT32, Shape.of(4)));
        editor.addOutput("of_late", second);
        editor.addOutput("of_early", first);

        Graph written = compile(source(editor.graph()), enabled().build(), FAST).graph();

        assertThat(written.inputs()).extracting(Value::name).containsExactly("late", "early");
        assertThat(written.inputs())
                .extracting(Value::elementType)
                .containsExactly(ElementType.INT32, ElementType.FLOAT);
        assertThat(written.outputNames()).containsExactly("of_late", "of_early");
        assertThat(written.outputs())
                .extracting(Value::declared)
                .containsExactly(ValueType.tensor(ElementType.INT32, Shape.of(4)), floats(2, 3));
    }

    @Test
    void metadataHeaderAndOpsetsOfTheSourceAreKept() throws Exception {
        Model source = source(chain("Relu", "Abs"));
        Model written = compile(source, enabled().build(), FAST);

        assertThat(written.header()).isEqualTo(source.header());
        assertThat(written.opsets()).containsEntry("", 17).containsEntry(OpId.MICROSOFT, 1);
        assertThat(written.metadata()).containsEntry("author", "someone");
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(folder.resolve("net.onnx")));
        assertThat(written.metadata())
                .containsEntry(
                        "millrace.source_digest", "sha256:" + HexFormat.of().formatHex(digest));
    }

    @Test
    void compatibilityIsWrittenForEachProviderThatHasSome() {
        Model source = source(chain("Relu"));
        Partitioning parts = share(source, FAST);
        Path written = write(
                new CompiledModel(
                        source,
                        parts,
                        FakeProvider.keepAll(parts),
                        Map.of("fast", "v1 avx512", "other", "x=1", "silent", "")),
                enabled().build());

        assertThat(Models.read(written).metadata())
                .containsEntry("ep_compatibility_info.fast", "v1 avx512")
                .containsEntry("ep_compatibility_info.other", "x=1")
                .doesNotContainKey("ep_compatibility_info.silent");
    }

    /** x · w1, compiled; then + w2, not compiled. */
    private static Graph weighted() {
        var editor = new GraphEditor(Graph.named("weighted"));
        Value x = editor.addInput("x", floats(2));
        Value inside = editor.addConstant("w1", Tensor.copyOf(new float[] {1, 2}, 2));
        Value outside = editor.addConstant("w2", Tensor.copyOf(new float[] {3, 4}, 2));
        Value product = add(editor, "Mul", "p", x, inside);
        editor.addOutput("y", add(editor, "Add", "s", product, outside));
        return editor.graph();
    }

    @Test
    void onlyInitializersThatAreStillReadAreKeptAndStayInside() throws IOException {
        Model written = compile(source(weighted()), enabled().build(), FAST);

        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx", "net_fast.bin");
        assertThat(written.graph().constants()).singleElement().satisfies(constant -> {
            assertThat(constant.name()).isEqualTo("w2");
            assertThat(Objects.requireNonNull(constant.constant()).floats()).containsExactly(3, 4);
        });
        ContextBinary binary = ContextBinary.map(folder.resolve("net_fast.bin"));
        assertThat(binary.segmentCount()).isOne();
        assertThat(binary.segment(0).byteSize()).isEqualTo(8);
    }

    @Test
    void initializersGoToTheFileThatIsAskedFor() throws IOException {
        Model written = compile(
                source(weighted()),
                enabled().externalInitializersFile("net.data").build(),
                FAST);

        assertThat(files()).containsExactly("net.data", "net.onnx", "net_ctx.onnx", "net_fast.bin");
        assertThat(Files.size(folder.resolve("net.data"))).isEqualTo(8);
        assertThat(written.graph().constants())
                .extracting(Value::constant)
                .singleElement()
                .satisfies(tensor ->
                        assertThat(Objects.requireNonNull(tensor).floats()).containsExactly(3, 4));
    }

    @Test
    void nestedGraphsAreWrittenWithTheirContextsAndWithWhatOnlyTheyRead() {
        var editor = new GraphEditor(Graph.named("outer"));
        Value condition = editor.addInput("c", ValueType.tensor(ElementType.BOOL, Shape.of()));
        Value x = editor.addInput("x", floats(2));
        Value weights = editor.addConstant("w", Tensor.copyOf(new float[] {5, 6}, 2));
        var attributes = Attributes.NONE;
        for (String branch : List.of("then_branch", "else_branch")) {
            var inner = new GraphEditor(Graph.nested(branch, editor.graph()));
            Value positive = add(inner, "Relu", branch + "_r", x);
            inner.addOutput("o", add(inner, "Add", branch + "_a", positive, weights));
            attributes = attributes.with(branch, Attribute.of(inner.graph()));
        }
        var choice = new NodeSpec(OpId.onnx("If"), 17, "choice", "", List.of(condition), attributes);
        editor.addOutput("y", editor.append(choice, List.of("y")).requireOutput(0));

        Graph written = compile(source(editor.graph()), enabled().build(), FAST).graph();

        assertThat(written.constants()).extracting(Value::name).containsExactly("w");
        Node node = nodes(written).getFirst();
        Graph thenBranch = node.attributes().graph("then_branch");
        Graph elseBranch = node.attributes().graph("else_branch");
        assertThat(nodes(thenBranch)).extracting(each -> each.op().name()).containsExactly("EPContext", "Add");
        assertThat(contexts(thenBranch).getFirst().attributes().integer(EpContext.MAIN_CONTEXT))
                .isOne();
        assertThat(contexts(elseBranch).getFirst().attributes().integer(EpContext.MAIN_CONTEXT))
                .isZero();
        assertThat(nodes(thenBranch).getLast().requireInput(1).constant()).isNotNull();
    }

    @Test
    void partitionsOfWhichNothingWasKeptAreWrittenAsTheNodesThatTheyWere() {
        Model source = source(weighted());
        Partitioning parts = share(source, FAST, FakeProvider.fusing("shy", "Add"));
        Map<String, ContextBinaryWriter> kept = FakeProvider.keepAll(parts);
        kept.remove("shy");

        Path written = write(
                new CompiledModel(source, parts, kept, Map.of()), enabled().build());

        Graph graph = Models.read(written).graph();
        assertThat(nodes(graph)).extracting(node -> node.op().name()).containsExactly("EPContext", "Add");
        assertThat(nodes(graph).getLast().requireInput(0).producer())
                .isSameAs(nodes(graph).getFirst());
        assertThat(graph.constants()).extracting(Value::name).containsExactly("w2");
        assertThat(graph.outputNames()).containsExactly("y");
    }

    @Test
    void theLiveGraphStaysAsItIs() {
        Model source = source(weighted());
        Partitioning parts = share(source, FAST);
        byte[] before = Models.toBytes(source);

        write(
                new CompiledModel(source, parts, FakeProvider.keepAll(parts), Map.of()),
                enabled().build());

        assertThat(Models.toBytes(source)).isEqualTo(before);
    }
}
