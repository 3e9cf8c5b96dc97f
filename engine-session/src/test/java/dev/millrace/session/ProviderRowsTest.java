package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.Status;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.ProviderDevice;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.kernel.KernelFactory;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.lang.foreign.ValueLayout;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of providers that bring kernels and compile nothing, and of what a provider learns about operators. */
class ProviderRowsTest {
    /** A provider whose kernels are those of the providers behind it, for some operators. */
    private static final class Borrowing extends TestFactory {
        private final Set<String> operators;

        Borrowing(Set<String> operators) {
            super("borrowing");
            this.operators = operators;
        }

        @Override
        public ExecutionProvider create(List<ProviderDevice> devices, ProviderOptions options) {
            Map<Node, Kernel> kernels = new IdentityHashMap<>();
            return new ExecutionProvider() {
                @Override
                public String name() {
                    return Borrowing.this.name();
                }

                @Override
                public void claim(Graph graph, CapabilitySink sink) {
                    for (Node node : graph.nodes()) {
                        if (operators.contains(node.op().name())) {
                            Kernel behind = sink.lookUpFallback(node);
                            kernels.put(node, behind == null ? new Softmax() : behind);
                            sink.single(node);
                        }
                    }
                }

                @Override
                public KernelFactory kernels() {
                    return kernels::get;
                }
            };
        }
    }

    /** Softmax over rows of two elements. */
    private static final class Softmax implements ShapedKernel {
        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return List.of(facts.type(0));
        }

        @Override
        public Launch bind(BindContext context) {
            return run -> {
                for (long at = 0; at < run.output(0).byteSize(); at += 2 * Float.BYTES) {
                    float first = run.input(0).get(ValueLayout.JAVA_FLOAT, at);
                    float second = run.input(0).get(ValueLayout.JAVA_FLOAT, at + Float.BYTES);
                    float share = (float) (1 / (1 + Math.exp(second - first)));
                    run.output(0).set(ValueLayout.JAVA_FLOAT, at, share);
                    run.output(0).set(ValueLayout.JAVA_FLOAT, at + Float.BYTES, 1 - share);
                }
            };
        }
    }

    private static Engine engine(String... operators) {
        return Engine.create(EngineOptions.builder()
                .threads(1)
                .providers(List.of(new Borrowing(Set.of(operators))))
                .build());
    }

    private static SessionOptions.Builder options() {
        return SessionOptions.builder().provider("borrowing");
    }

    @Test
    @Rows(109)
    void aProviderOfKernelsAloneRunsWithoutCpu() {
        byte[] model = TestModels.softmax();
        SessionOptions withoutCpu = SessionOptions.builder()
                .provider("borrowing")
                .provider("simd")
                .disableCpuFallback(true)
                .build();
        try (Engine engine = engine("Softmax");
                Session session = engine.session(model, withoutCpu);
                Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(new float[] {0, 0}, 1, 2)))) {
            assertThat(session.label().providers()).contains("borrowing").doesNotContain("cpu");
            assertThat(outputs.get(0).floats()).containsExactly(.5f, .5f);
        }
        try (Engine engine = engine()) {
            CompiledTest.assertRefused(
                    Status.NOT_IMPLEMENTED,
                    () -> engine.session(model, options().build()),
                    "Softmax",
                    "borrowing");
        }
    }

    @Test
    @Rows(110)
    void aProviderRunsALoopWhoseBodyOthersRun() {
        try (Engine engine = engine("Loop");
                Session session = engine.session(
                        TestModels.loop(), options().provider("cpu").build());
                Session plain = engine.session(
                        TestModels.loop(),
                        SessionOptions.builder().provider("cpu").build())) {
            assertThat(session.label().providers()).contains("borrowing");
            Inputs inputs = Inputs.of("n", Tensor.scalar(3L)).and("x", 2f);
            try (Outputs mine = session.run(inputs);
                    Outputs others = plain.run(inputs)) {
                assertThat(mine.get(0).floats()).containsExactly(16f);
                assertThat(others.get(0).floats()).containsExactly(16f);
            }
        }
    }

    @Test
    @Rows(115)
    void aProviderFindsWhichValuesATypeVariableStandsFor() {
        OperatorSchema schema = Objects.requireNonNull(Schemas.find(OpId.onnx("Where"), 16));
        assertThat(schema.inputsOf("T")).containsExactly(1, 2);
        assertThat(schema.inputsOf("B")).containsExactly(0);
        assertThat(schema.outputsOf("T")).containsExactly(0);
        assertThat(schema.outputsOf("B")).isEmpty();
        assertThat(Schemas.find(new OpId("org.example", "Where"), 1)).isNull();
        assertThat(Schemas.find(OpId.onnx("NoSuchOperator"), 21)).isNull();
    }
}
