package dev.millrace.providers.simd.lower;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.PackedTensors;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.testkit.ProviderKernels;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FoldingTest {
    private final AtomicInteger bindings = new AtomicInteger();

    @Test
    void whatFollowsFromConstantsIsMadeOnceAndNotBeforeItIsAskedFor() {
        var editor = new GraphEditor(Graph.named("part"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, Shape.of(2)));
        Value constant = editor.addConstant("constant", Tensor.copyOf(new float[] {1, -2}, 2));
        Value neg = node(editor, "Neg", 13, constant);
        Value abs = node(editor, "Abs", 13, neg);
        editor.addOutput("sum", node(editor, "Add", 14, x, abs));
        TypeInference.infer(editor.graph());

        var facts = new BindingFacts(editor.graph(), new OneInput(), environment(editor.graph()));
        ValueState cell = facts.cell(abs);

        assertThat(cell.isKnown()).isTrue();
        assertThat(facts.nodes()).extracting(node -> node.op().name()).containsExactly("Add");
        assertThat(bindings).hasValue(0);
        assertThat(cell.known()).isNotNull().extracting(Tensor::floats).isEqualTo(new float[] {1, 2});
        assertThat(cell.known()).isSameAs(facts.cell(abs).known());
        assertThat(bindings).hasValue(2);
    }

    private static Value node(GraphEditor editor, String op, int opset, Value... inputs) {
        return editor.append(NodeSpec.of(OpId.onnx(op), opset, inputs), List.of(op))
                .requireOutput(0);
    }

    private CompileEnvironment environment(Graph graph) {
        Kernels kernels = Kernels.shared();
        var cpu = new CpuFactory().create(List.of(), new ProviderOptions(1, Map.of()));
        var behind = ProviderKernels.of(graph, List.of(cpu));
        return new CompileEnvironment(
                kernels.set(),
                kernels.gemm(),
                new Weights(new PackedTensors()),
                node -> behind.create(node) instanceof ShapedKernel shaped ? new Counted(shaped) : null);
    }

    private final class Counted implements ShapedKernel {
        private final ShapedKernel kernel;

        Counted(ShapedKernel kernel) {
            this.kernel = kernel;
        }

        @Override
        public boolean isPure() {
            return kernel.isPure();
        }

        @Override
        public List<@Nullable ValueType> outputs(Node node, Facts facts) {
            return kernel.outputs(node, facts);
        }

        @Override
        public Launch bind(BindContext context) {
            bindings.incrementAndGet();
            return kernel.bind(context);
        }
    }

    private static final class OneInput implements BindingFacts.Inputs {
        @Override
        public ElementType type(int input) {
            return ElementType.FLOAT;
        }

        @Override
        public Shape shape(int input) {
            return Shape.of(2);
        }

        @Override
        public @Nullable Tensor known(int input) {
            return null;
        }

        @Override
        public @Nullable Tensor content(int input) {
            return null;
        }
    }
}
