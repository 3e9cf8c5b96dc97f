package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.chain;
import static dev.millrace.epcontext.Fixtures.model;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.providers.spi.EpContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the outputs that are refused before anything is compiled. */
class ContextModelCheckTest {
    @TempDir
    Path folder;

    private static EpContextOptions.Builder enabled() {
        return EpContextOptions.builder().enable(true);
    }

    private Model fromFile() {
        return model(chain("Relu"), folder.resolve("net.onnx"));
    }

    private static Model fromBytes() {
        return model(chain("Relu"), null);
    }

    /** Does the checks that a session does before it compiles. */
    private static void check(EpContextOptions options, Model model) {
        if (options.enable()) {
            ContextModelWriter.checkNotCompiled(model);
            ContextOutput output = ContextOutputs.of(options, model);
            output.check(model);
            new Workspaces().group(options, output);
        }
    }

    private static void assertRefused(EpContextOptions options, Model model, Status status, String... parts) {
        assertThatThrownBy(() -> check(options, model))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContainingAll(parts);
    }

    private static void assertAccepted(EpContextOptions options, Model model) {
        assertThatCode(() -> check(options, model)).doesNotThrowAnyException();
    }

    @Test
    void nothingIsAskedOfASessionThatWritesNone() {
        assertAccepted(EpContextOptions.defaults(), fromBytes());
        assertAccepted(EpContextOptions.builder().share(true).build(), compiled("n"));
    }

    @Test
    void aFreePlaceIsAccepted() {
        assertAccepted(enabled().build(), fromFile());
        assertAccepted(enabled().filePath(folder.resolve("other.onnx")).build(), fromBytes());
    }

    @Test
    void anExistingOutputIsRefusedAndStays() throws IOException {
        Path output = Files.writeString(folder.resolve("net_ctx.onnx"), "old");

        assertRefused(enabled().build(), fromFile(), Status.FAIL, output.toString(), "exists already");
        assertRefused(enabled().filePath(output).build(), fromBytes(), Status.FAIL, "exists already");
        assertThat(output).hasContent("old");
    }

    @Test
    void anExistingInitializersFileIsRefusedAndStays() throws IOException {
        Path data = Files.writeString(folder.resolve("net.data"), "weights of the source");

        assertRefused(
                enabled().externalInitializersFile("net.data").build(), fromFile(), Status.FAIL, "exists already");
        assertThat(data).hasContent("weights of the source");
    }

    @ParameterizedTest
    @ValueSource(strings = {"out/", "out", ".onnx", "out.", "is_a_folder.onnx"})
    void aFolderIsNoOutput(String path) throws IOException {
        Files.createDirectory(folder.resolve("is_a_folder.onnx"));
        var options = enabled().filePath(folder.resolve(path)).build();

        for (Model model : List.of(fromFile(), fromBytes())) {
            assertRefused(options, model, Status.INVALID_ARGUMENT, "should not point to a folder");
        }
    }

    @Test
    void aMissingFolderIsNamed() {
        assertRefused(
                enabled().filePath(folder.resolve("gone/net_ctx.onnx")).build(),
                fromFile(),
                Status.INVALID_ARGUMENT,
                "gone",
                "does not exist");
    }

    @ParameterizedTest
    @ValueSource(strings = {"../w.bin", "sub/w.bin", "/w.bin", ".."})
    void theInitializersFileIsAFileNameAndNoPath(String name) {
        assertRefused(
                enabled().externalInitializersFile(name).build(),
                fromFile(),
                Status.INVALID_ARGUMENT,
                name,
                "no file name");
    }

    @Test
    void aModelFromBytesNeedsAPlace() {
        for (Path path : new @Nullable Path[] {null, Path.of("")}) {
            assertRefused(
                    enabled().filePath(path).build(),
                    fromBytes(),
                    Status.FAIL,
                    "loaded from bytes",
                    "Please specify a valid ep.context_file_path");
        }
    }

    private static Model compiled(String name) {
        var editor = new GraphEditor(Graph.named("g"));
        editor.append(new NodeSpec(EpContext.OP, 1, name, "", List.of(), Attributes.NONE), List.of("y"));
        return model(editor.graph(), null);
    }

    @Test
    void aCompiledModelIsNotCompiledAgain() {
        assertRefused(
                enabled().filePath(folder.resolve("a.onnx")).build(),
                compiled("part7"),
                Status.INVALID_GRAPH,
                "ep.context_enable",
                "'part7'",
                "already compiled");
    }

    @Test
    void aContextNodeInANestedGraphMakesACompiledModelToo() {
        var editor = new GraphEditor(Graph.named("g"));
        var inner = new GraphEditor(Graph.nested("body", editor.graph()));
        inner.append(new NodeSpec(EpContext.OP, 1, "deep", "", List.of(), Attributes.NONE), List.of("y"));
        var body = Attributes.of("body", Attribute.of(inner.graph()));
        editor.append(new NodeSpec(OpId.onnx("Loop"), 17, "loop", "", List.of(), body), List.of("z"));

        assertRefused(
                enabled().filePath(folder.resolve("a.onnx")).build(),
                model(editor.graph(), null),
                Status.INVALID_GRAPH,
                "'deep'");
    }

    @Test
    void aGroupIsNotEndedWhereThereIsNone() {
        assertRefused(enabled().stopShare(true).build(), fromFile(), Status.INVALID_ARGUMENT, "ep.stop_share");
    }

    @Test
    void modelsThatShareABinaryDoNotHoldIt() {
        assertRefused(
                enabled().share(true).embedMode(1).build(),
                fromFile(),
                Status.INVALID_ARGUMENT,
                "ep.context_embed_mode 0");
    }

    @Test
    void aGroupThatIsNamedIsNotTheOneOfTheFlags() {
        assertThatThrownBy(
                        () -> enabled().share(true).group(ContextGroup.create()).build())
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("not both");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 2, Integer.MAX_VALUE})
    void anEmbedModeOtherThanZeroAndOneIsRefused(int mode) {
        assertThatThrownBy(() -> EpContextOptions.builder().embedMode(mode).build())
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("embedMode is " + mode);
    }
}
