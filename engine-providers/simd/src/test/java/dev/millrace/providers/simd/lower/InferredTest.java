package dev.millrace.providers.simd.lower;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.infer.Facts;
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
import dev.millrace.kernels.Kernels;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.PackedTensors;
import dev.millrace.scheduler.kernel.BindContext;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class InferredTest {
    private static final Tensor TARGET = Tensor.copyOf(new long[] {3, 2}, 2);

    /** An input of the partition, its content being the same in every run or not known before. */
    private record Input(
            ElementType type, Shape shape, @Nullable Tensor constant) {}

    private static Input floats(long... dims) {
        return new Input(ElementType.FLOAT, Shape.of(dims), null);
    }

    private static Input target(@Nullable Tensor constant) {
        return new Input(ElementType.INT64, Shape.of(2), constant);
    }

    /** A graph of one node over floats and, perhaps, numbers that say what shape its output has. */
    private static Graph graph(String op, int opset, boolean hasTarget) {
        var editor = new GraphEditor(Graph.named("part"));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, (SymbolicShape) null));
        List<@Nullable Value> inputs = hasTarget
                ? List.of(x, editor.addInput("target", ValueType.tensor(ElementType.INT64, Shape.of(2))))
                : List.of(x);
        editor.addOutput(
                "y",
                editor.append(NodeSpec.of(OpId.onnx(op), opset, inputs), List.of("y"))
                        .requireOutput(0));
        return editor.graph();
    }

    private static Inferred inferred(Graph graph, Input... inputs) {
        Kernels shared = Kernels.shared();
        var environment =
                new CompileEnvironment(shared.set(), shared.gemm(), new Weights(new PackedTensors()), _ -> null);
        return Inferred.of(
                graph,
                new Facts() {
                    @Override
                    public ValueType type(int input) {
                        return ValueType.tensor(inputs[input].type(), inputs[input].shape());
                    }

                    @Override
                    public @Nullable Tensor value(int input) {
                        return input == 0 ? null : TARGET;
                    }
                },
                environment);
    }

    private static boolean serves(Inferred inferred, Input... inputs) {
        var context = (BindContext) Proxy.newProxyInstance(
                InferredTest.class.getClassLoader(), new Class<?>[] {BindContext.class}, (_, method, arguments) -> {
                    if (arguments == null) {
                        return inputs.length; // inputCount
                    }
                    Input input = inputs[(int) arguments[0]];
                    return Map.<String, Object>of("inputType", input.type(), "inputShape", input.shape())
                            .getOrDefault(method.getName(), input.constant());
                });
        return inferred.of(context, new BindingFacts.Inputs() {
                    @Override
                    public ElementType type(int input) {
                        return inputs[input].type();
                    }

                    @Override
                    public Shape shape(int input) {
                        return inputs[input].shape();
                    }

                    @Override
                    public @Nullable Tensor known(int input) {
                        return inputs[input].constant();
                    }

                    @Override
                    public @Nullable Tensor content(int input) {
                        return inputs[input].constant();
                    }
                })
                != null;
    }

    @Test
    void aBindingOfTheSameShapesGoesOnWithIt() {
        Inferred inferred = inferred(graph("Neg", 13, false), floats(2, 3));

        assertThat(inferred.types()).containsExactly(ValueType.tensor(ElementType.FLOAT, Shape.of(2, 3)));
        assertThat(serves(inferred, floats(2, 3))).isTrue();
    }

    @Test
    void aBindingThatKnowsAnInputDoesNot() {
        Input known = new Input(ElementType.FLOAT, Shape.of(2), Tensor.copyOf(new float[] {1, 2}, 2));

        assertThat(serves(inferred(graph("Neg", 13, false), floats(2)), known)).isFalse();
    }

    @Test
    void whatFollowsFromTheContentOfAnInputIsInferredAgain() {
        Inferred inferred = inferred(graph("Reshape", 21, true), floats(2, 3), target(null));

        assertThat(inferred.types()).containsExactly(ValueType.tensor(ElementType.FLOAT, Shape.of(3, 2)));
        assertThat(serves(inferred, floats(2, 3), target(null))).isFalse();
    }
}
