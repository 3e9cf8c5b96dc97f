package dev.millrace.session.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.SessionReport;
import dev.millrace.session.TestModels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EarlyBindingTest {
    private static final String PHASE = "bind";

    private final Engine engine = Engine.create();

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    /** Returns a session of a model whose input has these extents. */
    private Session session(SessionOptions options, Dim... dims) {
        var editor = new GraphEditor(Graph.named("relu"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(dims)));
        Value y = editor.append(NodeSpec.of(OpId.onnx("Relu"), TestModels.OPSET, x), List.of("y"))
                .requireOutput(0);
        editor.addOutput("y", y);
        return engine.session(Models.toBytes(TestModels.model(editor.graph())), options);
    }

    private static float[] relu(Session session) {
        try (Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(new float[] {-1, 2}, 2)))) {
            return outputs.get(0).floats();
        }
    }

    @Test
    void aModelOfFixedShapesIsBoundBeforeItsFirstRun() {
        try (Session session = session(SessionOptions.defaults(), Dim.of(2))) {
            assertThat(session.report().phases()).containsKey(PHASE);
            var bound = session.stretches();
            assertThat(bound).hasSize(1);
            assertThat(relu(session)).containsExactly(0, 2);
            assertThat(session.stretches()).hasSameSizeAs(bound);
        }
    }

    @Test
    void shapesThatAreOnlyUsualAreNotKept() {
        try (Session session = session(SessionOptions.defaults(), Dim.symbol("n"))) {
            assertThat(session.report().phases()).containsKey(PHASE);
            assertThat(session.stretches()).isEmpty();
            assertThat(relu(session)).containsExactly(0, 2);
        }
    }

    @Test
    void oneOfWhatModelsTakeAnyNumberOfIsExpected() {
        try (Session session = session(SessionOptions.defaults(), Dim.symbol("n"), Dim.of(2))) {
            assertThat(session.stretches()).hasSize(1);
            for (int rows = 1; rows <= 2; rows++) {
                try (Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(new float[2 * rows], rows, 2)))) {
                    assertThat(outputs.get(0).shape()).isEqualTo(Shape.of(rows, 2));
                }
                assertThat(session.stretches()).hasSize(rows);
            }
        }
    }

    @Test
    void lazilyTheFirstRunBinds() {
        var lazily = SessionOptions.builder().bindLazily(true).build();
        try (Session session = session(lazily, Dim.of(2))) {
            assertThat(session.report().phases()).doesNotContainKey(PHASE);
            assertThat(session.stretches()).isEmpty();
            assertThat(relu(session)).containsExactly(0, 2);
            assertThat(session.stretches()).hasSize(1);
        }
    }

    private static SessionOptions expecting(Inputs typical) {
        return SessionOptions.builder().expect(typical).build();
    }

    @Test
    void whatIsExpectedIsBoundAndKept() {
        SessionOptions options = SessionOptions.builder()
                .expect(Inputs.of("x", 1f, 2f))
                .expect(Inputs.of("x", new float[3]))
                .build();
        try (Session session = session(options, Dim.symbol("n"))) {
            assertThat(session.report().phases()).containsKey(PHASE);
            assertThat(session.stretches()).hasSize(2);
            assertThat(relu(session)).containsExactly(0, 2);
            assertThat(session.stretches()).hasSize(2);
        }
    }

    /** Returns a session of a model whose first step computes the shape to which the second one reshapes. */
    private Session reshaping(SessionOptions options) {
        var editor = new GraphEditor(Graph.named("reshape"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"))));
        Value dims = editor.addInput("dims", ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.of(2))));
        Value one = editor.addConstant("one", Tensor.copyOf(new long[] {1, 1}, 2));
        Value shape = TestModels.node(editor, "Add", dims, one);
        editor.addOutput("y", TestModels.node(editor, "Relu", TestModels.node(editor, "Reshape", x, shape)));
        return engine.session(Models.toBytes(TestModels.model(editor.graph())), options);
    }

    @Test
    void whatAFewNumbersDecideIsForeseen() {
        Inputs typical = Inputs.of("x", -1f, 2f, 3f, 4f, -5f, 6f).and("dims", 1L, 2L);
        var options = SessionOptions.builder().provider("cpu").expect(typical).build();
        try (Session session = reshaping(options)) {
            assertThat(session.stretches()).hasSize(2);
            try (Outputs outputs = session.run(typical)) {
                assertThat(outputs.get(0).shape()).isEqualTo(Shape.of(2, 3));
                assertThat(outputs.get(0).floats()).containsExactly(0, 2, 3, 4, 0, 6);
            }
            assertThat(session.stretches()).hasSize(2);
            try (Outputs outputs = session.run(Inputs.of("x", -1f, 2f).and("dims", 0L, 1L))) {
                assertThat(outputs.get(0).shape()).isEqualTo(Shape.of(1, 2));
            }
        }
    }

    @Test
    void whatIsExpectedHasToSuitTheModel() {
        assertThatThrownBy(() -> session(expecting(Inputs.of("y", 1f, 2f)), Dim.symbol("n")))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("expected inputs: ");
        assertThatThrownBy(() -> session(expecting(Inputs.of("x", 1L, 2)), Dim.symbol("n")))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("expected inputs: ");
    }

    @Test
    void sessionsThatExpectDifferentThingsShareWhatWasPrepared(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("model.onnx"), TestModels.perceptron(2, 64, 1));
        Files.setLastModifiedTime(file, FileTime.fromMillis(0));
        Inputs two = Inputs.of("x", Tensor.copyOf(new float[128], 2, 64));
        Inputs three = Inputs.of("x", Tensor.copyOf(new float[192], 3, 64));
        try (Session first = engine.session(file, expecting(two));
                Session second = engine.session(file, expecting(three))) {
            assertThat(first.stretches()).hasSize(2);
            assertThat(second.stretches()).hasSize(2);
            assertThatThrownBy(() -> engine.session(file, expecting(Inputs.of("x", 1f, 2f))))
                    .isInstanceOf(EngineException.class);
            second.run(three).close();
            assertThat(first.stretches()).hasSize(2);
        }
    }

    @Test
    void whatACacheHoldsWaitsForTheFirstRunUnlessThatIsExpected(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("model.onnx"), TestModels.perceptron(2, 64, 1));
        Inputs one = Inputs.of("x", Tensor.copyOf(new float[64], 1, 64));
        var cache = ContextCache.in(folder.resolve("cache"));
        engine.session(file, SessionOptions.builder().contextCache(cache).build())
                .close();
        try (Session session = engine.session(
                file, expecting(one).toBuilder().contextCache(cache).build())) {
            assertThat(session.report().cache()).isEqualTo(SessionReport.CacheUse.HIT);
            assertThat(session.stretches()).hasSize(1);
        }
    }

    @Test
    void whatACacheHoldsWaitsForTheFirstRun(@TempDir Path folder) throws IOException {
        Path file = Files.write(folder.resolve("model.onnx"), TestModels.perceptron(2, 64, 1));
        var cached = SessionOptions.builder()
                .contextCache(ContextCache.in(folder.resolve("cache")))
                .build();
        engine.session(file, cached).close();
        try (Session session = engine.session(file, cached)) {
            assertThat(session.report().cache()).isEqualTo(SessionReport.CacheUse.HIT);
            assertThat(session.report().phases()).doesNotContainKey(PHASE);
            assertThat(session.stretches()).isEmpty();
        }
    }
}
