package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.kernels.Kernels;
import dev.millrace.providers.cpu.CpuFactory;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.rule.Rules;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.PackedTensors;
import dev.millrace.providers.spi.ProviderOptions;
import dev.millrace.providers.testkit.NestedRun;
import dev.millrace.providers.testkit.ProviderKernels;
import dev.millrace.providers.testkit.RandomTensors;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.KernelFactory;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SimdKernelTest {
    /** So many that the program is not folded. */
    private static final int COUNT = 1 << 19;

    private static final int ROWS = COUNT / 8;

    private static final Tensor INPUT = input();

    private final Graph graph = Graph.named("part\nWARNING forged");
    private final Node fused = fused();

    private static Tensor input() {
        float[] numbers = new float[COUNT];
        numbers[0] = 2;
        numbers[1] = -3;
        return Tensor.copyOf(numbers, COUNT);
    }

    /** The node that stands for Relu and Neg. */
    private Node fused() {
        var editor = new GraphEditor(graph);
        Value x = editor.addInput("x", ValueType.tensor(INPUT.type(), INPUT.shape()));
        Value relu = editor.append(NodeSpec.of(OpId.onnx("Relu"), 14, x), List.of("relu"))
                .requireOutput(0);
        Value neg = editor.append(NodeSpec.of(OpId.onnx("Neg"), 13, relu), List.of("neg"))
                .requireOutput(0);
        editor.addOutput("neg", neg);
        TypeInference.infer(graph);
        var around = new GraphEditor(Graph.named("around"));
        Value value = around.addInput("x", ValueType.tensor(INPUT.type(), INPUT.shape()));
        return around.append(NodeSpec.of(new OpId(OpId.MILLRACE, "fused"), 1, value), List.of("neg"));
    }

    private Tensor run(KernelFactory fallback, RuntimeException failure) {
        Kernels kernels = Kernels.shared();
        var environment =
                new CompileEnvironment(kernels.set(), kernels.gemm(), new Weights(new PackedTensors()), fallback);
        var kernel = new SimdKernel(graph, environment, node -> rule(node, failure));
        return (Tensor) DirectRun.run(kernel, fused, List.of(INPUT)).getFirst();
    }

    private static @Nullable Rule rule(Node node, RuntimeException failure) {
        if (!node.op().name().equals("Neg")) {
            return Rules.of(node);
        }
        return op -> {
            throw failure;
        };
    }

    private KernelFactory behind() {
        var cpu = new CpuFactory().create(List.of(), new ProviderOptions(1, Map.of()));
        return ProviderKernels.of(graph, List.of(cpu));
    }

    private static List<String> notesOf(Runnable action) {
        Logger log = Logger.getLogger(SimdKernel.class.getName());
        var notes = new ArrayList<String>();
        var handler = new Handler() {
            @Override
            public void publish(LogRecord note) {
                notes.add(note.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        log.addHandler(handler);
        try {
            action.run();
        } finally {
            log.removeHandler(handler);
        }
        return notes;
    }

    @Test
    void whatTheRulesFailAtIsLeftToTheProvidersBehindWithANote() {
        var failures = List.of(
                new IllegalArgumentException("too many registers"),
                new IndexOutOfBoundsException(7),
                new IllegalStateException());
        for (RuntimeException failure : failures) {
            List<String> notes =
                    notesOf(() -> assertThat(run(behind(), failure).floats()).startsWith(-2, -0f));
            assertThat(notes).singleElement().asString().contains("'part\\nWARNING forged'", "Neg -> 'neg'");
        }
    }

    @Test
    void whereNobodyIsBehindTheRefusalNamesTheNode() {
        assertThatThrownBy(() -> run(_ -> null, new IndexOutOfBoundsException(7)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("Neg -> 'neg'")
                .hasCauseInstanceOf(IndexOutOfBoundsException.class);
    }

    @Test
    void whatIsWrongWithAModelIsNotTriedAgain() {
        var wrong = new EngineException(Status.INVALID_GRAPH, "Neg has no axis 7");
        assertThatThrownBy(() -> run(behind(), wrong)).isSameAs(wrong);
    }

    @Test
    void floatsOfSixteenBitsAreRoundedAlsoWhereTheyAreNotWritten() {
        for (ElementType type : List.of(ElementType.FLOAT16, ElementType.BFLOAT16)) {
            var narrow = Graph.named("narrow");
            var editor = new GraphEditor(narrow);
            Value x = editor.addInput("x", ValueType.tensor(INPUT.type(), INPUT.shape()));
            Value cast = cast(editor, "narrow", type, x);
            Value wide = cast(editor, "wide", ElementType.FLOAT, cast);
            Value neg = editor.append(NodeSpec.of(OpId.onnx("Neg"), 13, wide), List.of("neg"))
                    .requireOutput(0);
            editor.addOutput("neg", neg);
            TypeInference.infer(narrow);
            Kernels kernels = Kernels.shared();
            var environment =
                    new CompileEnvironment(kernels.set(), kernels.gemm(), new Weights(new PackedTensors()), _ -> null);
            Tensor tensor = Tensor.copyOf(INPUT);
            tensor.segment().setAtIndex(ValueLayout.JAVA_FLOAT, 0, 0.1f);
            Tensor result =
                    (Tensor) DirectRun.run(new SimdKernel(narrow, environment, Rules::of), fused, List.of(tensor))
                            .getFirst();
            Tensor stored = Tensor.allocate(type, Shape.of(1));
            Elements.setDouble(type, stored.segment(), 0, 0.1f);
            assertThat(result.floats()[0]).isEqualTo(-stored.floats()[0]).isNotEqualTo(-0.1f);
        }
    }

    /** Without the values that others read too, the region of {@code product} has five inputs, where kernels have four. */
    @Test
    void aRegionWithMoreInputsThanItsLargestOneIsComputedInPieces() {
        Graph shared = shared();
        List<Datum> inputs = List.of(numbers(ROWS, 8), numbers(ROWS, 8));
        var options = new ProviderOptions(1, Map.of());
        var cpu = new CpuFactory().create(List.of(), options);
        var simd = new SimdFactory().create(List.of(), options);
        List<Datum> expected = NestedRun.run(shared, inputs, ProviderKernels.of(shared, List.of(cpu)));
        Graph same = shared();
        var kernels = ProviderKernels.of(same, List.of(simd, cpu));
        List<String> notes = notesOf(() -> assertThat(
                        Arrays.deepEquals(numbers(NestedRun.run(same, inputs, kernels)), numbers(expected)))
                .isTrue());
        assertThat(notes).isEmpty();
    }

    private static Graph shared() {
        var editor = new GraphEditor(Graph.named("shared"));
        var rows = ValueType.tensor(ElementType.FLOAT, Shape.of(ROWS, 8));
        Value x = editor.addInput("x", rows);
        Value relu = append(editor, "Relu", x);
        Value sum = append(editor, "Add", x, editor.addInput("y", rows));
        Value scaled = append(editor, "Mul", sum, editor.addConstant("a", numbers(8)));
        Value shifted = append(editor, "Add", relu, editor.addConstant("b", numbers(8)));
        Value product = append(editor, "Mul", shifted, scaled);
        Value matrix = append(editor, "MatMul", relu, editor.addConstant("w", numbers(8, 8)));
        Value last = append(editor, "Add", product, editor.addConstant("c", numbers(8)));
        editor.addOutput("twice", append(editor, "Add", matrix, matrix));
        editor.addOutput("all", append(editor, "Add", matrix, last));
        TypeInference.infer(editor.graph());
        return editor.graph();
    }

    private static Value append(GraphEditor editor, String op, Value... inputs) {
        String name = op + editor.graph().nodeCount();
        return editor.append(NodeSpec.of(OpId.onnx(op), 14, inputs), List.of(name))
                .requireOutput(0);
    }

    /** Small whole numbers, of which every order of sums is exact. */
    private static Tensor numbers(long... dims) {
        var random = new Random(dims.length);
        return RandomTensors.reals(ElementType.FLOAT, Shape.of(dims), () -> random.nextInt(9) - 4);
    }

    private static float[][] numbers(List<Datum> tensors) {
        return tensors.stream().map(each -> ((Tensor) each).floats()).toArray(float[][]::new);
    }

    private static Value cast(GraphEditor editor, String name, ElementType to, Value x) {
        var attributes = Attributes.of(Map.of("to", Attribute.of((long) to.code())));
        return editor.append(NodeSpec.of(OpId.onnx("Cast"), 19, x).with(attributes), List.of(name))
                .requireOutput(0);
    }
}
