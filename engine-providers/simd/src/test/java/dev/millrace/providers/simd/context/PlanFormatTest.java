package dev.millrace.providers.simd.context;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.GraphCheck;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.weights.PackedWeights;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** All that a plan can hold is read as it was written. */
class PlanFormatTest {
    private static final int OPSET = 17;
    private static final OpId ANY = new OpId("test", "Any");

    private final Graph graph = Graph.named("part");
    private final GraphEditor editor = new GraphEditor(graph);

    private static StoredPlan again(StoredPlan plan) {
        PlanImage image = PlanWriter.write(plan);
        StoredPlan read = PlanReader.read(MemorySegment.ofArray(image.plan()), image.segments(), "other");
        GraphCheck.check(read.graph());
        PlanImage second = PlanWriter.write(read);
        assertThat(second.plan()).isEqualTo(image.plan());
        assertThat(second.segments()).hasSameSizeAs(image.segments());
        return read;
    }

    private Graph again() {
        return again(new StoredPlan(graph, false, Map.of(), List.of(), Set.of()))
                .graph();
    }

    private Attributes attributesAgain(Map<String, Attribute> attributes) {
        editor.append(NodeSpec.of(ANY, 3).with(Attributes.of(attributes)), List.of("y"));
        return Objects.requireNonNull(again().firstNode()).attributes();
    }

    @Test
    void attributesOfAllKinds() {
        var attributes = new LinkedHashMap<String, Attribute>();
        attributes.put("int", Attribute.of(Long.MIN_VALUE));
        attributes.put("float", Attribute.of(-0.1f));
        attributes.put("text", Attribute.of("naïve"));
        attributes.put("ints", Attribute.of(0, -1, Long.MAX_VALUE));
        attributes.put("floats", new Attribute.Floats(List.of(Float.NaN, Float.NEGATIVE_INFINITY)));
        attributes.put("texts", new Attribute.Strings(List.of(new Attribute.Bytes(new byte[] {-1, 0}))));
        ValueType type = new ValueType.OptionalType(new ValueType.SequenceType(ValueType.tensor(ElementType.INT4)));
        attributes.put("type", new Attribute.TypeValue(type));
        attributes.put(
                "types",
                new Attribute.Types(List.of(
                        type,
                        new ValueType.MapType(ElementType.STRING, ValueType.tensor(ElementType.FLOAT)),
                        new ValueType.SparseType(ElementType.FLOAT, SymbolicShape.ofRank(2)))));
        assertThat(attributesAgain(attributes)).isEqualTo(Attributes.of(attributes));
    }

    @Test
    void attributesOfTensors() {
        Tensor numbers = Tensor.copyOf(new long[] {1, 2, 3}, 3, 1);
        Tensor texts = Tensor.ofStrings(Shape.of(2), "a", "");
        Attributes read = attributesAgain(Map.of(
                "tensor",
                Attribute.of(numbers),
                "tensors",
                new Attribute.Tensors(List.of(texts, numbers)),
                "sparse",
                new Attribute.Sparse(numbers, numbers, List.of(4L, 5L))));
        assertThat(read.tensor("tensor").longs()).containsExactly(1, 2, 3);
        assertThat(read.tensor("tensor").shape()).isEqualTo(Shape.of(3, 1));
        var all = (Attribute.Tensors) Objects.requireNonNull(read.find("tensors"));
        assertThat(all.values().getFirst().strings()).containsExactly("a", "");
        assertThat(all.values().getLast()).isSameAs(read.tensor("tensor"));
        var sparse = (Attribute.Sparse) Objects.requireNonNull(read.find("sparse"));
        assertThat(sparse.dims()).containsExactly(4L, 5L);
    }

    @Test
    void typesOfValues() {
        var shape = SymbolicShape.of(Dim.of(3), Dim.symbol("n"), Dim.UNKNOWN);
        editor.addInput("known", ValueType.tensor(ElementType.BFLOAT16, shape));
        editor.addInput("open", null);
        editor.addInput("rank", ValueType.tensor(null, SymbolicShape.ofRank(0)));
        editor.addInput("default", ValueType.tensor(ElementType.FLOAT), Tensor.scalar(2f));
        Graph read = again();
        for (int i = 0; i < 4; i++) {
            assertThat(read.inputs().get(i).type())
                    .isEqualTo(graph.inputs().get(i).type());
            assertThat(read.inputs().get(i).name())
                    .isEqualTo(graph.inputs().get(i).name());
        }
        assertThat(Objects.requireNonNull(read.defaultOf(read.inputs().get(3))).floats())
                .containsExactly(2f);
    }

    @Test
    void omittedInputsAndOutputsStayOmitted() {
        Value x = editor.addInput("x", null);
        Node node = editor.append(
                new NodeSpec(ANY, 5, "name", "overload", Arrays.asList(null, x, null), Attributes.NONE),
                Arrays.asList(null, "y", null));
        editor.addOutput("result", node.requireOutput(1));
        Node read = Objects.requireNonNull(again().firstNode());
        assertThat(read.toString()).isEqualTo(node.toString());
        assertThat(read.opset()).isEqualTo(5);
        assertThat(read.overload()).isEqualTo("overload");
        assertThat(read.inputs()).hasSize(3);
        assertThat(read.outputs()).hasSize(3);
    }

    @Test
    void nestedGraphsReadWhatIsAroundThem() {
        Value condition = editor.addInput("condition", ValueType.tensor(ElementType.BOOL, Shape.SCALAR));
        Value x = editor.addInput("x", ValueType.tensor(ElementType.FLOAT, Shape.of(2)));
        NodeSpec spec = NodeSpec.of(OpId.onnx("If"), OPSET, condition)
                .with("then_branch", Attribute.of(branch(x, 2)))
                .with("else_branch", Attribute.of(branch(x, 0)));
        Node node = editor.append(spec, List.of("y"));
        editor.append(NodeSpec.of(OpId.onnx("Relu"), OPSET, node.requireOutput(0)), List.of("z"));
        editor.addOutput("y", node.requireOutput(0));
        Graph read = again();
        Graph then = Objects.requireNonNull(read.firstNode()).attributes().graph("then_branch");
        assertThat(then.parent()).isSameAs(read);
        assertThat(Objects.requireNonNull(then.firstNode()).requireInput(0))
                .isSameAs(read.inputs().get(1));
    }

    private Graph branch(Value outer, int deeper) {
        Graph branch = Graph.nested("branch", graph);
        var inside = new GraphEditor(branch);
        Value constant = inside.addConstant("c", Tensor.copyOf(new float[] {1, deeper}, 2));
        Value sum = inside.append(NodeSpec.of(OpId.onnx("Add"), OPSET, outer, constant), List.of("sum"))
                .requireOutput(0);
        for (int i = 0; i < deeper; i++) {
            sum = inside.append(NodeSpec.of(OpId.onnx("Mul"), OPSET, sum, outer), List.of("product"))
                    .requireOutput(0);
        }
        inside.addOutput("result", deeper == 0 ? outer : sum);
        return branch;
    }

    @Test
    void elementsAreKeptSmallInSegmentsOrNotAtAll() {
        Tensor small = Tensor.copyOf(new long[] {7}, 1);
        Tensor large = Tensor.copyOf(new float[40_000], 40_000);
        Tensor between = Tensor.copyOf(new double[100], 100);
        Tensor left = Tensor.copyOf(new float[50], 50);
        for (Tensor tensor : List.of(small, large, between, left, small)) {
            editor.addConstant("c", tensor);
        }
        MemorySegment memory = Arena.ofAuto().allocate(256, 64).fill((byte) 3);
        var packed = new PackedWeights(List.of(left, small), "some layout", memory);
        StoredPlan read = again(new StoredPlan(graph, false, Map.of(), List.of(packed), Set.of(left)));
        List<Tensor> tensors = read.graph().constants().stream()
                .map(constant -> Objects.requireNonNull(constant.constant()))
                .toList();
        assertThat(tensors.get(0).longs()).containsExactly(7);
        assertThat(tensors.get(1).segment().address()).isEqualTo(large.segment().address());
        assertThat(tensors.get(2).doubles()).isEqualTo(new double[100]);
        assertThat(tensors.get(3).isClosed()).isTrue();
        assertThat(tensors.get(4)).isSameAs(tensors.get(0));
        PackedWeights weights = read.packed().getFirst();
        assertThat(weights.layout()).isEqualTo("some layout");
        assertThat(weights.sources()).containsExactly(tensors.get(3), tensors.get(0));
        assertThat(weights.memory().mismatch(memory)).isEqualTo(-1);
    }
}
