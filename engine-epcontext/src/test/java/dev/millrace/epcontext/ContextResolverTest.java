package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.bytes;
import static dev.millrace.epcontext.Fixtures.contexts;
import static dev.millrace.epcontext.Fixtures.model;
import static dev.millrace.epcontext.Fixtures.utf8;
import static dev.millrace.epcontext.Fixtures.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.binary.FileState;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.providers.partition.Partitioner;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class ContextResolverTest extends ContextNodes {
    @Test
    void aNodeFindsItsGraphInTheFileBesideTheModel() {
        writer("a", "b").write(folder.resolve("m_fast.bin"));
        Node node = add(file("b", "m_fast.bin"));

        try (ContextResolver resolver = resolver()) {
            CompiledGraph graph = resolver.resolve(node);

            assertThat(graph.partition()).isEqualTo("b");
            assertThat(plan(graph)).isEqualTo("plan of b");
            assertThat(bytes(graph.segment(0))).isEqualTo(utf8("weights of b"));
        }
        assertThat(workspaces.of("fast").openFiles()).isZero();
    }

    @Test
    void anInterruptedThreadFindsItAndStaysInterrupted() {
        writer("a").write(folder.resolve("m_fast.bin"));
        Node node = add(file("a", "m_fast.bin"));
        Thread.currentThread().interrupt();
        try (ContextResolver resolver = resolver()) {
            assertThat(plan(resolver.resolve(node))).isEqualTo("plan of a");
        } finally {
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aFileIsReadToTheEndOnceForEachOfItsStates() throws IOException {
        Path file = folder.resolve("m_fast.bin");
        writer("a").write(file);
        Node node = add(file("a", "m_fast.bin"));
        resolver().resolve(node);

        FileTime written = Files.getLastModifiedTime(file);
        byte[] image = Files.readAllBytes(file);
        image[image.length - 1] ^= 1;
        Files.write(file, image);
        Files.setLastModifiedTime(file, written);
        assertInvalid(() -> resolver().resolve(node), "is damaged");
    }

    @Test
    void aFileThatIsStillTheSameIsNotReadAgain() throws IOException {
        Path file = folder.resolve("m_fast.bin");
        writer("a").write(file);
        Node node = add(file("a", "m_fast.bin"));
        try (var arena = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            // the first write through a mapping changes the times of a file; those after it do not, until the page is
            // on the disk
            MemorySegment last = channel.map(FileChannel.MapMode.READ_WRITE, channel.size() - 1, 1, arena);
            byte whole = last.get(ValueLayout.JAVA_BYTE, 0);
            last.set(ValueLayout.JAVA_BYTE, 0, whole);
            FileState before = FileState.of(file);
            resolver().resolve(node);
            last.set(ValueLayout.JAVA_BYTE, 0, (byte) (whole ^ 1));
            if (!FileState.of(file).equals(before)) {
                Assumptions.abort("this file system tells of writes through a mapping at once");
            }
            assertThat(plan(resolver().resolve(node))).isEqualTo("plan of a");
        }
    }

    private static Map<String, Attribute> tied(Map<String, Attribute> attributes, ContextBinaryWriter to) {
        attributes.put(ContextModelWriter.DIGEST, Attribute.of(to.image("").digest()));
        return attributes;
    }

    @Test
    void aBinaryOfOtherWeightsIsNotTheModels() {
        Path file = folder.resolve("m_fast.bin");
        ContextBinaryWriter own = writer("a");
        Node node = add(tied(file("a", "m_fast.bin"), own));
        own.write(file);
        try (ContextResolver resolver = resolver()) {
            assertThat(plan(resolver.resolve(node))).isEqualTo("plan of a");
        }

        var other = new ContextBinaryWriter("fast");
        int segment = other.segment(MemorySegment.ofArray(utf8("weights of b")));
        other.graph(Fixtures.partition("a"), utf8("plan of a"), new int[] {segment});
        other.write(file);
        try (ContextResolver resolver = resolver()) {
            assertInvalid(
                    () -> resolver.resolve(node), file.toString(), "not the one that was written with this model");
        }
    }

    @Test
    void anEmbeddedBinaryOfOtherWeightsIsNotTheModels() {
        Node node = add(tied(embedded("a", writer("a").toBytes()), writer("a", "b")));

        assertInvalid(() -> resolver().resolve(node), "not the one that was written with this model");
    }

    @Test
    void damagedWeightsAreRefusedUnlessTheOptionsLetThemPass() throws IOException {
        Path file = folder.resolve("m_fast.bin");
        byte[] image = writer("a").toBytes();
        image[image.length - 1] ^= 1;
        Files.write(file, image);
        Node node = add(file("a", "m_fast.bin"));
        Model model = model(editor.graph(), folder.resolve("m.onnx"));

        assertInvalid(() -> resolver().resolve(node), file.toString(), "is damaged");
        var trusting =
                EpContextOptions.builder().verification(Verification.NEVER).build();
        assertThat(plan(resolver(model, trusting).resolve(node))).isEqualTo("plan of a");
        assertInvalid(() -> resolver().resolve(node), "is damaged");
    }

    @Test
    void whatIsVerifiedWhenItIsTouchedIsRefusedWhenItIsAskedFor() throws IOException {
        Path file = folder.resolve("m_fast.bin");
        byte[] whole = writer("a").toBytes();
        byte[] image = whole.clone();
        image[image.length - 1] ^= 1;
        Node node = add(file("a", "m_fast.bin"));
        Model model = model(editor.graph(), folder.resolve("m.onnx"));
        var lazily = EpContextOptions.builder()
                .verification(Verification.WHEN_TOUCHED)
                .build();

        Files.write(file, image);
        CompiledGraph damaged = resolver(model, lazily).resolve(node);
        assertThat(plan(damaged)).isEqualTo("plan of a");
        assertInvalid(() -> damaged.segment(0), file.toString(), "is damaged", "segment 0");
        Files.write(file, whole);
        CompiledGraph sound = resolver(model, lazily).resolve(node);
        assertThat(sound.segment(0)).isEqualTo(sound.segment(0));
    }

    @Test
    void aNodeFindsItsGraphInsideOfTheModelWithoutAnyPlace() {
        Node node = add(embedded("b", writer("a", "b").toBytes()));

        CompiledGraph graph = resolver(model(editor.graph(), null), EpContextOptions.defaults())
                .resolve(node);

        assertThat(plan(graph)).isEqualTo("plan of b");
        assertThat(graph.segment(0).isNative()).isTrue();
        assertThat(graph.segment(0).address() % 64).isZero();
    }

    @Test
    void aModelFromMemoryHasItsBinaryWhereTheOptionSays() {
        writer("a").write(folder.resolve("m_fast.bin"));
        Node node = add(file("a", "m_fast.bin"));
        Model model = model(editor.graph(), null);
        var options =
                EpContextOptions.builder().filePath(folder.resolve("any.onnx")).build();

        assertThat(plan(resolver(model, options).resolve(node))).isEqualTo("plan of a");
        assertInvalid(
                () -> resolver(model, EpContextOptions.defaults()).resolve(node),
                "node0",
                "requires a model path",
                "ep.context_file_path");
    }

    @Test
    void aModelFromAFileHasItsBinaryBesideItWhateverTheOptionSays() {
        writer("a").write(folder.resolve("m_fast.bin"));
        Node node = add(file("a", "m_fast.bin"));
        var options = EpContextOptions.builder()
                .filePath(Path.of("/nowhere/any.onnx"))
                .build();

        assertThat(plan(resolver(model(editor.graph(), folder.resolve("m.onnx")), options)
                        .resolve(node)))
                .isEqualTo("plan of a");
    }

    @Test
    void aBinaryThatIsNotBesideTheModelIsFoundInTheFolderOfTheOption() {
        writer("a").write(folder.resolve("m_fast.bin"));
        Node node = add(file("a", "m_fast.bin"));
        var options =
                EpContextOptions.builder().filePath(folder.resolve("any.onnx")).build();

        assertThat(plan(resolver(model(editor.graph(), Path.of("/nowhere/m.onnx")), options)
                        .resolve(node)))
                .isEqualTo("plan of a");
    }

    @Test
    void aHundredNodesOpenOneFileOnce() {
        String[] names = IntStream.range(0, 100).mapToObj(i -> "part" + i).toArray(String[]::new);
        writer(names).write(folder.resolve("m_fast.bin"));
        add(file("part0", "m_fast.bin"));
        for (int i = 1; i < 100; i++) {
            add(dependent("part" + i));
        }

        try (ContextResolver resolver = resolver()) {
            List<Node> nodes = contexts(editor.graph());
            for (int i = 0; i < 100; i++) {
                assertThat(resolver.resolve(nodes.get(i)).partition()).isEqualTo("part" + i);
            }
            assertThat(workspaces.of("fast").openFiles()).isOne();
        }
        assertThat(workspaces.of("fast").openFiles()).isZero();
    }

    @Test
    void dependentNodesFindTheirGraphInAnyBinaryOfTheirSource() {
        writer("a", "b").write(folder.resolve("one.bin"));
        byte[] second = writer("c", "d").toBytes();
        Node b = add(dependent("b"));
        add(file("a", "one.bin"));
        add(embedded("c", second));
        Node d = add(dependent("d"));

        try (ContextResolver resolver = resolver()) {
            assertThat(plan(resolver.resolve(b))).isEqualTo("plan of b");
            assertThat(plan(resolver.resolve(d))).isEqualTo("plan of d");
            assertThat(contexts(editor.graph()).stream().map(resolver::resolve).map(CompiledGraph::partition))
                    .containsExactly("b", "a", "c", "d");
        }
    }

    @Test
    void aDependentNodeWithoutItsGraphSaysWhereItWasSought() {
        writer("a", "b").write(folder.resolve("one.bin"));
        Node orphan = add(dependent("z"));
        assertInvalid(() -> resolver().resolve(orphan), "node0", "'z'", "no node of its source with main_context 1");

        add(file("a", "one.bin"));
        assertInvalid(() -> resolver().resolve(orphan), "node0", "'z'", "one.bin of 2 graphs");
    }

    @Test
    void theOnlyGraphOfABinaryIsTakenUnderAnyName() {
        Node node = add(embedded("another name", writer("a").toBytes()));
        Node several = add(embedded("another name", writer("a", "b").toBytes()));

        assertThat(plan(resolver().resolve(node))).isEqualTo("plan of a");
        assertInvalid(() -> resolver().resolve(several), "node1", "'another name'", "of 2 graphs");
    }

    @Test
    void withoutAPartitionNameTheNodesOwnNameCounts() {
        Map<String, Attribute> attributes = embedded("", writer("x", "node0").toBytes());
        attributes.remove(EpContext.PARTITION);

        assertThat(plan(resolver().resolve(add(attributes)))).isEqualTo("plan of node0");
    }

    @Test
    void aNodeWithoutASourceIsResolved() {
        Map<String, Attribute> attributes = embedded("a", writer("a").toBytes());
        attributes.remove(EpContext.SOURCE);

        assertThat(plan(resolver().resolve(add(attributes)))).isEqualTo("plan of a");
    }

    @Test
    void nodesInNestedGraphsAndCopiesOfNodesAreResolved() {
        var inner = new GraphEditor(Graph.nested("then", editor.graph()));
        var spec = new NodeSpec(
                EpContext.OP,
                1,
                "inner",
                "",
                List.of(last),
                Attributes.of(embedded("a", writer("a", "b").toBytes())));
        inner.addOutput("o", inner.append(spec, List.of("o")).requireOutput(0));
        editor.append(
                new NodeSpec(
                        OpId.onnx("If"),
                        17,
                        "if",
                        "",
                        List.of(last),
                        Attributes.of("then_branch", Attribute.of(inner.graph()))),
                List.of("chosen"));
        Node outer = add(dependent("b"));
        editor.addOutput("y", outer.requireOutput(0));
        ContextResolver resolver = resolver();

        Partitioning parts =
                Partitioner.partition(editor.graph(), List.of(FakeProvider.fusing("fast"), FakeProvider.plain()), "m");

        assertThat(parts.fused().stream()
                        .map(each -> resolver.resolve(each.partition().onlyNode()))
                        .map(CompiledGraph::partition))
                .containsExactly("b", "a");
    }

    @Test
    void twoSessionsShareOneFileUntilBothAreClosed() {
        writer("a").write(folder.resolve("m_fast.bin"));
        Node node = add(file("a", "m_fast.bin"));
        ContextResolver first = resolver();
        ContextResolver second = resolver();

        assertThat(first.resolve(node)).isSameAs(second.resolve(node));
        first.close();
        first.close();
        assertThat(workspaces.of("fast").openFiles()).isOne();
        assertThat(second.resolve(node).partition()).isEqualTo("a");
        assertThatThrownBy(() -> first.resolve(node)).hasMessageContaining("closed");
        second.close();
        assertThat(workspaces.of("fast").openFiles()).isZero();
    }
}
