package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.BinaryTarget;
import dev.millrace.epcontext.ContextGroup;
import dev.millrace.graph.Status;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which models are of one group, and what becomes of those that are. */
class ContextGroupMembersTest extends CompiledTest {
    private Path other = Path.of("");

    @BeforeEach
    void another() throws IOException {
        other = Files.write(folder.resolve("other.onnx"), TestModels.perceptron(2, WIDTH, 6));
    }

    @Test
    void aFolderIsOneHoweverItIsSpelled() throws IOException {
        Path same = folder.resolve(".").resolve("..").resolve(folder.getFileName());
        Path link = Files.createSymbolicLink(folder.resolveSibling(folder.getFileName() + "-link"), folder);
        try {
            engine.session(source, ContextGroupTest.sharing(false)).close();
            engine.session(same.resolve("other.onnx"), ContextGroupTest.sharing(false))
                    .close();
            Files.write(folder.resolve("third.onnx"), TestModels.perceptron(1, WIDTH, 7));
            engine.session(link.resolve("third.onnx"), ContextGroupTest.sharing(true))
                    .close();
        } finally {
            Files.delete(link);
        }
        assertThat(files())
                .containsExactlyInAnyOrder(
                        "net.onnx",
                        "net_ctx.onnx",
                        "net_simd.bin",
                        "other.onnx",
                        "other_ctx.onnx",
                        "third.onnx",
                        "third_ctx.onnx");
        assertAnswersAsItsSource(target);
    }

    @Test
    void aModelOfWhichNothingIsCompiledIsWrittenWithItsGroup() throws IOException {
        try (ContextGroup group = ContextGroup.create()) {
            compile(options().group(group));
            var plain = SessionOptions.builder().provider("cpu").build();
            compile(
                    ModelInput.file(other),
                    ModelOutput.besideSource(),
                    CompileOptions.of(plain).group(group));
            assertThat(group.write()).containsExactly(target, folder.resolve("other_ctx.onnx"));
        }
        try (Session written = engine.session(folder.resolve("other_ctx.onnx"));
                Session same = engine.session(other)) {
            assertThat(answer(written)).containsExactly(answer(same));
        }
        assertAnswersAsItsSource(target);
    }

    @Test
    void aGroupHasOneTarget() throws IOException {
        var taken = new ArrayList<String>();
        BinaryTarget target = name -> {
            taken.add(name);
            return new ByteArrayOutputStream();
        };
        try (ContextGroup group = ContextGroup.create()) {
            compile(options().group(group).binaryTarget(target, "net"));
            assertRefused(
                    Status.INVALID_ARGUMENT,
                    () -> compile(
                            ModelInput.file(other),
                            ModelOutput.besideSource(),
                            options().group(group)),
                    "one target");
        }
        assertThat(files()).containsExactly("net.onnx", "other.onnx");
        try (ContextGroup group = ContextGroup.create()) {
            for (Path each : List.of(source, other)) {
                compile(
                        ModelInput.file(each),
                        ModelOutput.besideSource(),
                        options().group(group).binaryTarget(target, "net"));
            }
            group.write();
        }
        assertThat(taken).containsExactly("net_simd.bin");
        assertThat(files()).containsExactly("net.onnx", "net_ctx.onnx", "other.onnx", "other_ctx.onnx");
    }

    @Test
    void anEngineSaysWhichGroupsNobodyEnded() throws IOException {
        var warnings = new ArrayList<String>();
        Logger logger = Logger.getLogger("dev.millrace.epcontext.Workspaces");
        var listening = new Handler() {
            @Override
            public void publish(LogRecord each) {
                warnings.add(each.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        logger.addHandler(listening);
        try (Engine own = Engine.create(EngineOptions.builder().threads(1).build())) {
            own.session(source, ContextGroupTest.sharing(false)).close();
        } finally {
            logger.removeHandler(listening);
        }
        assertThat(warnings).singleElement().asString().contains("ep.stop_share_ep_contexts");
        assertThat(files()).containsExactly("net.onnx", "other.onnx");
    }
}
