package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.scheduler.Cancellation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.opentest4j.AssertionFailedError;

/** What the options of a compilation do. */
class CompileOptionsTest extends CompiledTest {
    @Test
    @Rows({10, 37})
    void nothingCompiledIsAnErrorWhereThatIsAskedFor() throws IOException {
        var plain = SessionOptions.builder().provider("cpu").build();
        assertRefused(
                Status.FAIL,
                () -> compile(CompileOptions.of(plain).errorIfNothingCompiled(true)),
                "Unable to compile any nodes");
        assertThat(files()).containsExactly("net.onnx");

        compile(CompileOptions.of(plain));
        assertThat(operators(target)).doesNotContain(EpContext.OP.toString());
        try (Session session = engine.session(target, plain);
                Session same = engine.session(source, plain)) {
            assertThat(answer(session)).containsExactly(answer(same));
        }
    }

    private static List<String> operators(Path file) {
        var operators = new ArrayList<String>();
        for (Node node : Models.read(file).graph().nodes()) {
            operators.add(node.op().toString());
        }
        return operators;
    }

    @Test
    @Rows(38)
    void anOutputThatIsThereIsReplacedOrAnError() throws IOException {
        Files.writeString(target, "old");
        assertRefused(Status.FAIL, () -> compile(options().errorIfOutputExists(true)), "exists already");
        assertThat(target).hasContent("old");

        compile(options());
        assertAnswersAsItsSource(target);
        compile(options());
        assertAnswersAsItsSource(target);
    }

    @Test
    void theSourceIsNotWrittenOver() throws IOException {
        assertRefused(
                Status.INVALID_ARGUMENT,
                () -> compile(ModelInput.file(source), ModelOutput.file(source), options()),
                "over its source");
        assertThat(source).hasBinaryContent(model);
    }

    @Test
    @Rows(40)
    void whatSessionsMayNotCompileTheCompilerDoes() {
        var options = SessionOptions.builder().disableModelCompile(true).build();
        assertRefused(Status.MODEL_REQUIRES_COMPILATION, () -> engine.session(source, options), "'simd'");

        compile(CompileOptions.of(options));
        assertThat(options.disableModelCompile()).isTrue();
        assertAnswersAsItsSource(target);
    }

    @Test
    @Rows(46)
    void theOptionsOfASessionStayAsTheyAre() {
        var options = SessionOptions.builder().build();
        CompileOptions.of(options)
                .embed(true)
                .level(Level.BASIC)
                .nodeNamePrefix("p_")
                .build();
        assertThat(options.epContext()).isEqualTo(EpContextOptions.defaults());
        assertThat(options.optimiser().level()).isEqualTo(Level.ALL);
    }

    @Test
    void aPrefixStandsBeforeTheNamesOfContextNodes() {
        compile(options().nodeNamePrefix("mine_"));
        for (Node node : Models.read(target).graph().nodes()) {
            assertThat(node.name()).startsWith("mine_");
        }
        assertAnswersAsItsSource(target);
    }

    /** Relu of a cast of a cast: one of the two goes at any level but the lowest. */
    @Test
    @Rows(45)
    void theLevelDecidesWhatTheOptimiserDoes() {
        var plain = SessionOptions.builder().provider("cpu").build();
        compile(CompileOptions.of(plain).level(Level.DISABLED));
        assertThat(operators(target)).containsExactlyElementsOf(operators(source));

        compile(CompileOptions.of(plain));
        assertThat(operators(target)).hasSizeLessThan(operators(source).size());
    }

    @Test
    @Rows({43, 44})
    void aPlacementKeepsMovesOrLeavesInitializers() throws IOException {
        Path withData = folder.resolve("far.onnx");
        Models.write(Models.read(model, null), withData, WriteOptions.externalData("far.data"));
        var plain = SessionOptions.builder().provider("cpu").build();
        var asked = new ArrayList<String>();
        Path moved = folder.resolve("moved.data");
        compile(
                ModelInput.file(withData),
                ModelOutput.file(target),
                CompileOptions.of(plain).level(Level.DISABLED).placement((name, tensor, original) -> {
                    asked.add(name);
                    assertThat(original == null).isEqualTo(name.startsWith("b"));
                    return switch (name) {
                        case "w0" -> original;
                        case "w1" -> written(moved, tensor);
                        default -> null;
                    };
                }));

        assertThat(asked).containsExactlyInAnyOrder("w0", "w1", "w2", "b0", "b1", "b2");
        long tensor = (long) WIDTH * WIDTH * Float.BYTES;
        assertThat(moved).hasSize(tensor);
        assertThat(Files.size(target)).isBetween(tensor, 2 * tensor);
        try (Session session = engine.session(target, plain);
                Session same = engine.session(source, plain)) {
            assertThat(answer(session)).containsExactly(answer(same));
        }
        Files.delete(folder.resolve("far.data"));
        assertRefused(Status.NO_SUCH_FILE, () -> engine.session(target), "far.data");
    }

    private static DataPlace written(Path file, Tensor tensor) {
        try {
            byte[] bytes = tensor.segment().toArray(java.lang.foreign.ValueLayout.JAVA_BYTE);
            Files.write(file, bytes);
            return new DataPlace(file.getFileName().toString(), 0, bytes.length);
        } catch (IOException e) {
            throw new AssertionFailedError("cannot write " + file, e);
        }
    }

    @Test
    void progressIsToldPhaseByPhase() {
        var phases = new ArrayList<String>();
        compile(options().progress(each -> phases.add(each.done() + "/" + each.phases() + " " + each.phase())));
        assertThat(phases)
                .containsExactly("1/6 read", "2/6 check", "3/6 optimise", "4/6 partition", "5/6 compile", "6/6 write");
    }

    @Test
    void whoCancelsGetsNothingWritten() throws IOException {
        for (String phase : List.of("check", "partition", "compile")) {
            var cancellation = new Cancellation();
            assertRefused(
                    Status.MODEL_LOAD_CANCELED,
                    () -> compile(options().cancellation(cancellation).progress(each -> {
                        if (each.phase().equals(phase)) {
                            cancellation.cancel();
                        }
                    })),
                    "cancelled");
            assertThat(files()).containsExactly("net.onnx");
        }
    }

    @Test
    @Rows(42)
    void whatAPlacementThrowsIsTold() throws IOException {
        var plain = SessionOptions.builder().provider("cpu").build();
        assertRefused(
                Status.FAIL,
                () -> compile(CompileOptions.of(plain).placement((name, tensor, original) -> {
                    throw new IOException("no room for " + name);
                })),
                "user's placement",
                "no room for");
        assertThat(files()).containsExactly("net.onnx");
    }
}
