package dev.millrace.providers.cpu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.NestedRun;
import dev.millrace.providers.testkit.NodeCases;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ControlFlowTest {
    @Test
    void everyCaseWithNestedGraphsPasses() throws IOException {
        var cases = NodeCases.of(new CpuProvider());
        List<String> names = cases.names().stream()
                .filter(name -> name.matches("test_(if|loop|scan|sequence_map|range_.*_expanded).*"))
                .toList();
        assertThat(cases.failures(names)).isEmpty();
        assertThat(names).hasSizeGreaterThan(20);
    }

    /** A body that adds what it scans to a state and gives the sum twice. */
    private static Graph sums(Graph around) {
        var editor = new GraphEditor(Graph.nested("body", around));
        ValueType scalar = ValueType.tensor(ElementType.FLOAT, Shape.SCALAR);
        Value state = editor.addInput("state", scalar);
        Value step = editor.addInput("step", scalar);
        Node add = editor.append(NodeSpec.of(OpId.onnx("Add"), 13, state, step), List.of("sum"));
        Value sum = add.requireOutput(0);
        editor.setType(sum, scalar);
        editor.addOutput("sum", sum);
        editor.addOutput("sums", sum);
        return editor.graph();
    }

    private static List<Datum> scan(int opset, List<@Nullable Datum> inputs, String... attributes) {
        var editor = new GraphEditor(Graph.named("test"));
        List<@Nullable Value> values = new ArrayList<>();
        List<Datum> all = new ArrayList<>();
        for (Datum input : inputs) {
            if (input instanceof Tensor tensor) {
                values.add(editor.addInput("in" + all.size(), ValueType.tensor(tensor.type(), tensor.shape())));
                all.add(input);
            } else {
                values.add(null);
            }
        }
        NodeSpec spec = NodeSpec.of(OpId.onnx("Scan"), opset, values.toArray(new Value[0]))
                .with("body", Attribute.of(sums(editor.graph())))
                .with("num_scan_inputs", Attribute.of(1L));
        for (String attribute : attributes) {
            spec = spec.with(attribute, Attribute.of(new long[] {1}));
        }
        Node node = editor.append(spec, Arrays.asList("last", "all"));
        editor.addOutput("last", node.requireOutput(0));
        editor.addOutput("all", node.requireOutput(1));
        return NestedRun.run(editor.graph(), all, new CpuKernels());
    }

    private static float[] floats(Datum datum) {
        return ((Tensor) datum).floats();
    }

    @Test
    void scansBackwardAndCollectsBackward() {
        List<@Nullable Datum> inputs = List.of(Tensor.scalar(100f), Tensor.copyOf(new float[] {1, 2, 3}, 3));
        var forward = scan(16, inputs);
        assertThat(floats(forward.get(1))).containsExactly(101, 103, 106);
        var backward = scan(16, inputs, "scan_input_directions");
        assertThat(floats(backward.get(1))).containsExactly(103, 105, 106);
        var collected = scan(16, inputs, "scan_output_directions");
        assertThat(floats(collected.get(1))).containsExactly(106, 103, 101);
        assertThat(floats(collected.get(0))).containsExactly(106);
    }

    @Test
    void scansEachSequenceOfABatchUpToItsLength() {
        Tensor lengths = Tensor.copyOf(new long[] {3, 2}, 2);
        Tensor states = Tensor.copyOf(new float[] {0, 10}, 2);
        Tensor steps = Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
        var results = scan(8, Arrays.asList(lengths, states, steps));
        assertThat(floats(results.get(0))).containsExactly(6, 19);
        assertThat(floats(results.get(1))).containsExactly(1, 3, 6, 14, 19, 0);
        var backward = scan(8, Arrays.asList(lengths, states, steps), "directions");
        assertThat(floats(backward.get(1))).containsExactly(3, 5, 6, 15, 19, 0);
        var whole = scan(8, Arrays.asList(null, states, steps));
        assertThat(floats(whole.get(0))).containsExactly(6, 25);
    }
}
