package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.DataPlace;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.scheduler.Cancellation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests of the effects of compile options. */
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

    /** Returns the model y = relu(x W + b), with a cast of x to the type that it has already. */
    private static byte[] cast() {
        var editor = new GraphEditor(Graph.named("cast"));
        var type = ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(1), Dim.of(WIDTH)));
        NodeSpec spec = NodeSpec.of(OpId.onnx("Cast"), TestModels.OPSET, editor.addInput("x", type))
                .with("to", Attribute.of(ElementType.FLOAT.code()));
        Value x = editor.append(spec, List.of("same")).requireOutput(0);
        var random = new Random(3);
        Value weights = editor.addConstant("w", RandomTensors.uniform(random, -1, 1, WIDTH, WIDTH));
        Value bias = editor.addConstant("b", RandomTensors.uniform(random, -1, 1, WIDTH));
        Value product = TestModels.node(editor, "MatMul", x, weights);
        editor.addOutput("y", TestModels.node(editor, "Relu", TestModels.node(editor, "Add", product, bias)));
        return Models.toBytes(TestModels.model(editor.graph()));
    }

    /** The lowest level that does anything removes a cast to the same type; fusions come at higher levels. */
    @Test
    @Rows(45)
    void theLevelDecidesWhatTheOptimiserDoes() throws IOException {
        Files.write(source, cast());
        var operators = Map.of(
                Level.DISABLED, List.of("Cast", "MatMul", "Add", "Relu"),
                Level.BASIC, List.of("MatMul", "Add", "Relu"),
                Level.ALL, List.of("dev.millrace.Linear"));
        for (Level level : operators.keySet()) {
            var optimiser = Optimiser.Options.builder().level(level).build();
            var plain = SessionOptions.builder().provider("cpu");
            var ofLevel = plain.build().toBuilder().optimiser(optimiser).build();
            compile(CompileOptions.of(plain.build()).level(level));
            assertThat(operators(target)).isEqualTo(operators.get(level));
            assertAnswersAlike(ofLevel);

            compile(CompileOptions.of(ofLevel));
            assertThat(operators(target)).as("by the session's options").isEqualTo(operators.get(level));
        }
        compile(CompileOptions.of(SessionOptions.builder().provider("cpu").build()));
        assertThat(operators(target)).as("by default").isEqualTo(operators.get(Level.ALL));
    }

    /** Asserts that the compiled model answers as its source does, to the bit. */
    private void assertAnswersAlike(SessionOptions options) {
        try (Session session = engine.session(target, options);
                Session same = engine.session(source, options)) {
            assertThat(answer(session)).containsExactly(answer(same));
        }
    }

    @Test
    @Rows(44)
    void aPlacementKeepsMovesOrLeavesInitializers() throws IOException {
        Path withData = folder.resolve("far.onnx");
        Models.write(Models.read(model, null), withData, WriteOptions.externalData("far.data"));
        var plain = SessionOptions.builder().provider("cpu").build();
        var asked = new ArrayList<String>();
        var moved = new PlacedTensors(folder.resolve("moved.data"), 0);
        compile(
                ModelInput.file(withData),
                ModelOutput.file(target),
                CompileOptions.of(plain).level(Level.DISABLED).placement((name, tensor, original) -> {
                    asked.add(name);
                    assertThat(original == null).isEqualTo(name.startsWith("b"));
                    return switch (name) {
                        case "w0" -> original;
                        case "w1" -> moved.place(name, tensor, original);
                        default -> null;
                    };
                }));

        assertThat(asked).containsExactlyInAnyOrder("w0", "w1", "w2", "b0", "b1", "b2");
        long tensor = (long) WIDTH * WIDTH * Float.BYTES;
        assertThat(folder.resolve("moved.data")).hasSize(PlacedTensors.HEADER + tensor);
        assertThat(Files.size(target)).isBetween(tensor, 2 * tensor);
        assertAnswersAlike(plain);
        Files.delete(folder.resolve("far.data"));
        assertRefused(Status.NO_SUCH_FILE, () -> engine.session(target), "far.data");
    }

    @Test
    @Rows(43)
    void aPlacementPutsLargeInitializersWhereItSaysAndSmallOnesStay() throws IOException {
        long large = (long) WIDTH * WIDTH * Float.BYTES;
        var plain = SessionOptions.builder().provider("cpu").build();
        var placed = new PlacedTensors(folder.resolve("moved.data"), large);
        compile(CompileOptions.of(plain).level(Level.DISABLED).placement(placed));

        assertThat(placed.places()).containsOnlyKeys("w0", "w1", "w2");
        assertThat(placed.places().values())
                .extracting(DataPlace::offset)
                .containsExactlyInAnyOrder(
                        PlacedTensors.HEADER, PlacedTensors.HEADER + large, PlacedTensors.HEADER + 2 * large);
        assertThat(PlacedTensors.read(target))
                .containsExactlyInAnyOrderElementsOf(placed.places().values());
        assertThat(Files.size(target)).isLessThan(large);
        assertAnswersAlike(plain);
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
