package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.CustomOperator;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderFactory;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of operators that providers define: their checks, their types, and who may run them. */
class CustomOperatorTest {
    private static final String DOMAIN = "org.example";
    private static final OpId SHIFT = new OpId(DOMAIN, "Shift");

    /** The schema of an operator that adds its attribute to each element. */
    private static final String SCHEMA = """
        Shift 1
        < X:T
        > Y:T
        @ by:float!
        T = float double
        """;

    /** A provider that defines the operator, or runs it, or both. */
    private static class Shifting extends TestFactory {
        private final boolean runs;
        private final List<CustomOperator> operators;

        Shifting(String name, boolean runs, CustomOperator... operators) {
            super(name);
            this.runs = runs;
            this.operators = List.of(operators);
        }

        @Override
        public List<CustomOperator> customOperators() {
            return operators;
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            return new ExecutionProvider() {
                @Override
                public String name() {
                    return Shifting.this.name();
                }

                @Override
                public void claim(Graph graph, CapabilitySink sink) {
                    for (Node node : graph.nodes()) {
                        if (runs && node.op().equals(SHIFT)) {
                            assertThat(node.requireInput(0).type()).isNotNull();
                            sink.single(node);
                        }
                    }
                }

                @Override
                public KernelFactory kernels() {
                    return node -> node.op().equals(SHIFT)
                            ? new Kernel(node.attributes().real("by", 0))
                            : null;
                }
            };
        }
    }

    private record Kernel(double by) implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return List.of(facts.type(0));
        }

        @Override
        public Launch bind(BindContext context) {
            return launch -> {
                for (long i = 0; i < launch.output(0).byteSize() / Float.BYTES; i++) {
                    float x = launch.input(0).getAtIndex(ValueLayout.JAVA_FLOAT, i);
                    launch.output(0).setAtIndex(ValueLayout.JAVA_FLOAT, i, (float) (x + by));
                }
            };
        }
    }

    private static CustomOperator shift() {
        return CustomOperator.parse(DOMAIN, SCHEMA, (node, inputs) -> {
            if (inputs.getFirst() instanceof ValueType.TensorType tensor
                    && tensor.shape() != null
                    && tensor.shape().dims().isEmpty()) {
                throw new IllegalArgumentException("scalars are not shifted");
            }
            return inputs;
        });
    }

    /** y = relu(shift(relu(x))), whose output has no declared type. */
    private static byte[] model(Attributes attributes, Dim... dims) {
        var editor = new GraphEditor(Graph.named("shifted"));
        var x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(dims)));
        var positive = TestModels.node(editor, "Relu", x);
        var shifted = editor.append(NodeSpec.of(SHIFT, 1, positive).with(attributes), List.of("shifted"))
                .requireOutput(0);
        editor.addOutput("y", TestModels.node(editor, "Relu", shifted));
        var model = new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(OpId.ONNX, TestModels.OPSET, DOMAIN, 1),
                Map.of(),
                Map.of(),
                editor.graph(),
                null);
        return Models.toBytes(model);
    }

    private static Attributes by(float value) {
        return Attributes.of(Map.of("by", Attribute.of(value)));
    }

    private static Engine engine(ProviderFactory... factories) {
        return Engine.create(
                EngineOptions.builder().threads(1).providers(List.of(factories)).build());
    }

    private static SessionOptions providers(String... names) {
        var options = SessionOptions.builder();
        for (String name : names) {
            options.provider(name);
        }
        return options.build();
    }

    @Test
    @Rows(111)
    void typesBehindAnOperatorAreInferredAndItRuns() {
        try (Engine engine = engine(new Shifting("shifting", true, shift()));
                Session session =
                        engine.session(model(by(2), Dim.symbol("n"), Dim.of(3)), providers("shifting", "cpu"));
                Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(new float[] {-1, 0, 1}, 1, 3)))) {
            assertThat(session.outputs().getFirst().type())
                    .isEqualTo(ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"), Dim.of(3))));
            assertThat(outputs.get("y").floats()).containsExactly(2, 2, 3);
        }
    }

    @Test
    void aSessionOfAnotherProviderKnowsTheOperator() {
        try (Engine engine = engine(new Shifting("defining", false, shift()), new Shifting("running", true));
                Session session = engine.session(model(by(1), Dim.of(2)), providers("running", "cpu"))) {
            assertThat(session.outputs().getFirst().type())
                    .isEqualTo(ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(2))));
        }
    }

    @Test
    void aNodeThatTheSchemaDoesNotAllowIsRefused() {
        try (Engine engine = engine(new Shifting("shifting", true, shift()))) {
            CompiledTest.assertRefused(
                    Status.INVALID_GRAPH,
                    () -> engine.session(model(Attributes.NONE, Dim.of(2)), providers("shifting", "cpu")),
                    "Shift",
                    "'by'");
            CompiledTest.assertRefused(
                    Status.INVALID_GRAPH,
                    () -> engine.session(model(by(1)), providers("shifting", "cpu")),
                    "Shift",
                    "scalars are not shifted");
        }
    }

    @Test
    void aProviderThatCannotTellItsOperatorsIsNotedAndHarmsNobody() {
        var broken = new Shifting("broken", false) {
            @Override
            public List<CustomOperator> customOperators() {
                throw new NoClassDefFoundError("Gone");
            }
        };
        try (Engine engine = engine(broken, new Shifting("running", true, shift()));
                Session session = engine.session(model(by(1), Dim.of(2)), providers("running", "cpu"))) {
            assertThat(session.report().notes())
                    .anySatisfy(note -> assertThat(note).contains("provider 'broken'", "Gone"));
        }
    }

    @Test
    void theFirstOfTwoDefinitionsIsUsedAndTheOtherNoted() {
        CustomOperator other = CustomOperator.parse(DOMAIN, "Shift 1\n< X:float\n> Y:float", (node, inputs) -> inputs);
        try (Engine engine = engine(new Shifting("b", true, shift()), new Shifting("a", true, other));
                Session session = engine.session(model(by(1), Dim.of(2)), providers("a", "cpu"))) {
            assertThat(session.report().notes())
                    .anySatisfy(note -> assertThat(note).contains("'a'", "'b'", "org.example", "Shift"));
        }
    }

    @Test
    void theEnginesDomainsAreNotForProviders() {
        assertThatThrownBy(() -> CustomOperator.parse(OpId.MICROSOFT, SCHEMA, (node, inputs) -> inputs))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("use a domain of your own");
        assertThatThrownBy(() -> CustomOperator.parse(DOMAIN, "", (node, inputs) -> inputs))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(new CpuFactory().customOperators()).isEmpty();
    }
}
