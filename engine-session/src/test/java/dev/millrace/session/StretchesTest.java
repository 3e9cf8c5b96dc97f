package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.RandomTensors;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Partitions that cannot be bound at once. */
class StretchesTest {
    /** More than binding follows a content back. */
    private static final int STEPS = 70;

    private static final int WIDTH = 64;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private static SessionOptions.Builder plain() {
        return SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build());
    }

    /** A product whose left operand takes a shape that many operators compute from an input. */
    private static byte[] reshaped() {
        var editor = new GraphEditor(Graph.named("reshaped"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"))));
        Value shape = editor.addInput("shape", ValueType.tensor(ElementType.INT64, Shape.of(2)));
        Value weights = editor.addConstant("w", RandomTensors.uniform(new Random(7), -1, 1, WIDTH, WIDTH));
        for (int i = 0; i < STEPS; i++) {
            shape = TestModels.node(editor, "Neg", shape);
        }
        Value rows = TestModels.node(editor, "Reshape", TestModels.node(editor, "Neg", x), shape);
        editor.addOutput("y", TestModels.node(editor, "MatMul", rows, weights));
        editor.addOutput("rows", rows);
        return Models.toBytes(TestModels.model(editor.graph()));
    }

    private static Inputs rows(int count) {
        return Inputs.of("x", RandomTensors.uniform(new Random(count), -1, 1, (long) count * WIDTH))
                .and("shape", Tensor.copyOf(new long[] {count, WIDTH}, 2));
    }

    @Test
    void aShapeThatNothingForetellsStartsAnotherStretch() {
        try (Session session = engine.session(reshaped(), plain().build());
                Session cpu = engine.session(reshaped(), plain().provider("cpu").build())) {
            for (int count : new int[] {3, 5, 3, 1}) {
                assertSame(session, cpu, rows(count));
            }
        }
    }

    @Test
    void soItIsInAContextThatHoldsWeightsPackedOnly() {
        ModelOutput.Buffer compiled = ModelOutput.buffer();
        engine.compiler(CompileOptions.builder()
                        .level(Level.DISABLED)
                        .embed(true)
                        .build())
                .compile(ModelInput.buffer(ByteBuffer.wrap(reshaped())), compiled);
        try (Session session = engine.session(
                        compiled.bytes(),
                        SessionOptions.builder().disableModelCompile(true).build());
                Session cpu = engine.session(reshaped(), plain().provider("cpu").build())) {
            assertSame(session, cpu, rows(4));
        }
    }

    private static void assertSame(Session session, Session reference, Inputs inputs) {
        try (Outputs outputs = session.run(inputs);
                Outputs expected = reference.run(inputs)) {
            assertThat(outputs.get("rows").floats())
                    .containsExactly(expected.get("rows").floats());
            assertThat(outputs.get("y").shape()).isEqualTo(expected.get("y").shape());
            float[] found = outputs.get("y").floats();
            float[] sums = expected.get("y").floats();
            for (int i = 0; i < sums.length; i++) {
                assertThat(found[i]).isCloseTo(sums[i], within(1e-4f));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"simd", "cpu"})
    void anOperatorThatOthersAreWrittenForIsBoundWhenItsRankIsKnown(String provider) {
        var editor = new GraphEditor(Graph.named("rankless"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.INT8));
        NodeSpec pool = NodeSpec.of(new OpId(OpId.MICROSOFT, "NhwcMaxPool"), 1, x)
                .with("kernel_shape", Attribute.of(new long[] {1, 2}));
        editor.addOutput("y", editor.append(pool, List.of("y")).requireOutput(0));
        byte[] model = Models.toBytes(TestModels.model(editor.graph()));
        var options = SessionOptions.builder();
        if (provider.equals("cpu")) {
            options.provider("cpu");
        }
        try (Session session = engine.session(model, options.build())) {
            try (Outputs outputs = session.run(Inputs.of("x", bytes(Shape.of(1, 1, 3, 2), 1, 8, 5, 3, 2, 9)))) {
                assertThat(outputs.get("y").shape()).isEqualTo(Shape.of(1, 1, 2, 2));
                assertThat(outputs.get("y").longs()).containsExactly(5, 8, 5, 9);
            }
            try (Outputs outputs = session.run(Inputs.of("x", bytes(Shape.of(1, 1, 4, 1), 1, 8, 5, 3)))) {
                assertThat(outputs.get("y").longs()).containsExactly(8, 8, 5);
            }
        }
    }

    private static Tensor bytes(Shape shape, int... numbers) {
        Tensor tensor = Tensor.allocate(ElementType.INT8, shape);
        for (int i = 0; i < numbers.length; i++) {
            tensor.segment().set(ValueLayout.JAVA_BYTE, i, (byte) numbers[i]);
        }
        return tensor;
    }

    /** So many blocks of channels that a pass over them is more calls of kernels than a plan may have. */
    @Test
    void whatWouldTakeTooManyCallsIsLeftToTheFallback() {
        long channels = (1L << 23) + 1;
        var editor = new GraphEditor(Graph.named("channels"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, Shape.of(1, 1, 1, 2)));
        Value shape = editor.addConstant("shape", Tensor.copyOf(new long[] {1, channels, 1, 2}, 4));
        Value images = TestModels.node(editor, "Expand", x, shape);
        NodeSpec pool = NodeSpec.of(OpId.onnx("MaxPool"), TestModels.OPSET, images)
                .with("kernel_shape", Attribute.of(new long[] {1, 2}));
        editor.addOutput("y", editor.append(pool, List.of("y")).requireOutput(0));
        byte[] model = Models.toBytes(TestModels.model(editor.graph()));
        try (Session session = engine.session(model, SessionOptions.defaults());
                Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(new float[] {3, 4}, 1, 1, 1, 2)))) {
            assertThat(outputs.get("y").shape()).isEqualTo(Shape.of(1, channels, 1, 1));
            assertThat(outputs.get("y").floats()).containsOnly(4);
        }
    }
}
