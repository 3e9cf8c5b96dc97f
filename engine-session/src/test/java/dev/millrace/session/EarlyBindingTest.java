package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.ContextCache;
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
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** Of a model whose input has these extents. */
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
    void lazilyTheFirstRunBinds() {
        var lazily = SessionOptions.builder().bindLazily(true).build();
        try (Session session = session(lazily, Dim.of(2))) {
            assertThat(session.report().phases()).doesNotContainKey(PHASE);
            assertThat(session.stretches()).isEmpty();
            assertThat(relu(session)).containsExactly(0, 2);
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
