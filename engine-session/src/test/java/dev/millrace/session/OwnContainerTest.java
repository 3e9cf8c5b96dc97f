package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.ContextGroup;
import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.CompileContext;
import dev.millrace.providers.spi.ContextBlob;
import dev.millrace.providers.spi.ContextFacts;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of a provider that keeps a container in a format of its own: names of partitions, each with the number that its kernel
 * adds.
 */
class OwnContainerTest {
    private static final String NAME = "adding";
    private static final String ALIAS = "AddingExecutionProvider";
    private static final int WIDTH = 4;

    @TempDir
    Path folder;

    private final List<ContextBlob> seen = new ArrayList<>();
    /** The means by which the provider reads its container. */
    private String by = "bytes";

    private final Engine engine = Engine.create(
            EngineOptions.builder().threads(1).providers(List.of(new Adding())).build());
    private Path source = Path.of("");
    private Path compiled = Path.of("");

    @BeforeEach
    void write() throws IOException {
        source = Files.write(folder.resolve("net.onnx"), TestModels.scaledSum(WIDTH));
        compiled = folder.resolve("net_ctx.onnx");
    }

    @AfterEach
    void close() {
        engine.close();
    }

    private final class Adding extends TestFactory {
        Adding() {
            super(NAME);
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            return new Provider();
        }
    }

    private final class Provider implements ExecutionProvider {
        @Override
        public String name() {
            return NAME;
        }

        @Override
        public Set<String> sourceAliases() {
            return Set.of(ALIAS);
        }

        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            var nodes = new ArrayList<Node>();
            for (Node node : graph.nodes()) {
                if (node.op().equals(EpContext.OP) || node.op().name().equals("Add")) {
                    nodes.add(node);
                }
            }
            nodes.forEach(node -> sink.fuse(List.of(node)));
        }

        @Override
        public List<Kernel> compile(List<Partition> partitions, CompileContext context) {
            ContextSink sink = context.sink();
            var kernels = new ArrayList<Kernel>();
            var bytes = new ByteArrayOutputStream();
            for (Partition partition : partitions) {
                float added = partition.isContext() ? kept(partition, context) : constant(partition);
                kernels.add(new Sum(added));
                bytes.writeBytes(partition.name().getBytes(StandardCharsets.US_ASCII));
                bytes.write(0);
                bytes.writeBytes(ByteBuffer.allocate(4).putFloat(added).array());
                if (sink != null) {
                    sink.describe(partition, new ContextFacts("sdk 7", "unit 3", "by hand", "net.onnx", 64));
                }
            }
            if (sink != null) {
                sink.container(partitions, MemorySegment.ofArray(bytes.toByteArray()));
            }
            return kernels;
        }

        /** The first element of the constant row that a partition adds. */
        private static float constant(Partition partition) {
            for (Value input : partition.onlyNode().inputs()) {
                Tensor row = input == null ? null : input.constant();
                if (row != null) {
                    return row.floats()[0];
                }
            }
            throw new IllegalStateException(partition.name() + " adds no constant");
        }

        private float kept(Partition partition, CompileContext context) {
            Node node = partition.onlyNode();
            String wanted = node.attributes().text(EpContext.PARTITION);
            for (ContextBlob blob : context.blobs(node)) {
                seen.add(blob);
                var bytes = ByteBuffer.wrap(read(blob));
                while (bytes.hasRemaining()) {
                    var name = new StringBuilder();
                    for (byte letter = bytes.get(); letter != 0; letter = bytes.get()) {
                        name.append((char) letter);
                    }
                    float added = bytes.getFloat();
                    if (name.toString().equals(wanted)) {
                        return added;
                    }
                }
            }
            throw new IllegalStateException("no graph " + wanted);
        }

        private byte[] read(ContextBlob blob) {
            try {
                return switch (by) {
                    case "path" -> Files.readAllBytes(Objects.requireNonNull(blob.path()));
                    case "stream" -> {
                        try (var in = new DataInputStream(blob.stream())) {
                            var out = new ByteArrayOutputStream();
                            out.write(in.readByte());
                            in.transferTo(out);
                            yield out.toByteArray();
                        }
                    }
                    default -> blob.bytes().toArray(ValueLayout.JAVA_BYTE);
                };
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private record Sum(float added) implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return List.of(facts.type(0));
        }

        @Override
        public Launch bind(BindContext context) {
            return run -> {
                for (long at = 0; at < run.output(0).byteSize(); at += Float.BYTES) {
                    float value = run.input(0).get(ValueLayout.JAVA_FLOAT, at);
                    run.output(0).set(ValueLayout.JAVA_FLOAT, at, value + added);
                }
            };
        }
    }

    private static SessionOptions.Builder session() {
        return SessionOptions.builder().provider(NAME).provider("cpu");
    }

    private CompileOptions.Builder options() {
        return CompileOptions.of(session().build());
    }

    private void compile(CompileOptions.Builder options) {
        engine.compiler(options.build()).compile(ModelInput.file(source), ModelOutput.file(compiled));
    }

    private void assertAnswers(SessionOptions.Builder options) {
        try (Session session = engine.session(
                        compiled, options.disableModelCompile(true).build());
                Session plain = engine.session(source, session().build())) {
            assertThat(session.label().providers()).contains(NAME);
            assertThat(TestModels.answer(session, WIDTH)).containsExactly(TestModels.answer(plain, WIDTH));
        }
    }

    private void change(Map<String, Attribute> ofContextNodes) throws IOException {
        Model model = Models.read(compiled);
        var editor = new GraphEditor(model.graph());
        for (Node node : model.graph().nodes()) {
            if (node.op().equals(EpContext.OP)) {
                ofContextNodes.forEach((name, value) ->
                        editor.setAttributes(node, node.attributes().with(name, value)));
            }
        }
        Files.write(compiled, Models.toBytes(model));
    }

    @ParameterizedTest
    @CsvSource({"path, false", "bytes, false", "stream, false", "bytes, true", "stream, true"})
    void aContainerComesBackAsItWasKept(String means, boolean embeds) {
        compile(options().embed(embeds));
        by = means;
        assertAnswers(session());
        assertThat(seen).isNotEmpty();
        assertThat(seen.getFirst().name()).isEqualTo(embeds ? "" : "net_adding.bin");
        assertThat(seen.getFirst().path() == null).isEqualTo(embeds);
        assertThat(seen.getFirst().bytes().isReadOnly()).isTrue();
    }

    @Test
    void aContainerGoesThroughTheCallbacks() throws IOException {
        var kept = new ByteArrayOutputStream();
        compile(options().binaryTarget(name -> kept, "secret"));
        try (var files = Files.list(folder)) {
            assertThat(files.map(path -> path.getFileName().toString())).containsOnly("net.onnx", "net_ctx.onnx");
        }
        assertAnswers(session()
                .epContext(EpContextOptions.builder()
                        .source(name -> MemorySegment.ofArray(kept.toByteArray()))
                        .build()));
        assertThat(seen.getFirst().path()).isNull();
        assertThat(seen.getFirst().name()).isEqualTo("secret_adding.bin");
    }

    @Test
    void nodesStateWhatTheProviderSays() throws IOException {
        compile(options());
        for (Node node : Models.read(compiled).graph().nodes()) {
            if (node.op().equals(EpContext.OP)) {
                assertThat(node.attributes().text(EpContext.SDK_VERSION)).isEqualTo("sdk 7");
                assertThat(node.attributes().text(EpContext.HARDWARE)).isEqualTo("unit 3");
                assertThat(node.attributes().text(EpContext.NOTES)).isEqualTo("by hand");
                assertThat(node.attributes().text(EpContext.MODEL_FILE)).isEqualTo("net.onnx");
                assertThat(node.attributes().integer(EpContext.MAX_SIZE, 0)).isEqualTo(64);
            }
        }
    }

    @Test
    void anotherContainerIsRefused() throws IOException {
        compile(options());
        Path binary = folder.resolve("net_adding.bin");
        byte[] bytes = Files.readAllBytes(binary);
        bytes[bytes.length - 1] ^= 1;
        Files.write(binary, bytes);
        CompiledTest.assertRefused(
                Status.INVALID_GRAPH,
                () -> engine.session(compiled, session().build()),
                "net_adding.bin",
                "compile the source model again");
    }

    @Test
    void aNodeOfAStrangersToolResolvesUnderAnAlias() throws IOException {
        compile(options());
        change(Map.of(EpContext.SOURCE, Attribute.of(ALIAS), "millrace_context_digest", Attribute.of("")));
        assertAnswers(session());
        change(Map.of(EpContext.SOURCE, Attribute.of("OtherExecutionProvider")));
        CompiledTest.assertRefused(
                Status.INVALID_GRAPH,
                () -> engine.session(compiled, session().build()),
                "'OtherExecutionProvider' is not compatible");
    }

    @Test
    void aContainerLiesInTheFolderOfItsModel() throws IOException {
        Files.write(folder.resolve("outside.bin"), new byte[] {1});
        compiled = Files.createDirectory(folder.resolve("inside")).resolve("net_ctx.onnx");
        compile(options());
        change(Map.of(EpContext.CACHE_CONTEXT, Attribute.of("../outside.bin")));
        CompiledTest.assertRefused(
                Status.INVALID_GRAPH, () -> engine.session(compiled, session().build()), "../outside.bin");
    }

    @Test
    void aGroupSharesNoContainersOfAStranger() {
        try (ContextGroup group = ContextGroup.create()) {
            CompiledTest.assertRefused(
                    Status.NOT_IMPLEMENTED, () -> compile(options().group(group)), "'adding'", "format of its own");
        }
    }
}
