package dev.millrace.providers.cpu;

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
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.NestedRun;
import dev.millrace.scheduler.kernel.DirectRun;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** One operator, its attributes and inputs, written down by a test and run. */
public final class OneNode {
    private final OpId op;
    private final int opset;
    private final Map<String, Attribute> attributes = new LinkedHashMap<>();
    private int outputs = 1;
    private int omitted = -1;

    private OneNode(OpId op, int opset) {
        this.op = op;
        this.opset = opset;
    }

    public static OneNode onnx(String name, int opset) {
        return new OneNode(OpId.onnx(name), opset);
    }

    public static OneNode ml(String name, int opset) {
        return new OneNode(new OpId(OpId.ONNX_ML, name), opset);
    }

    public static OneNode of(String domain, String name, int opset) {
        return new OneNode(new OpId(domain, name), opset);
    }

    public OneNode with(String name, Attribute value) {
        attributes.put(name, value);
        return this;
    }

    public OneNode withAll(String name, long... values) {
        return with(name, Attribute.of(values));
    }

    public OneNode with(String name, long value) {
        return with(name, Attribute.of(value));
    }

    public OneNode with(String name, float... values) {
        List<Float> list = new ArrayList<>();
        for (float value : values) {
            list.add(value);
        }
        return with(name, new Attribute.Floats(list));
    }

    public OneNode with(String name, String value) {
        return with(name, Attribute.of(value));
    }

    public OneNode withTexts(String name, String... values) {
        List<Attribute.Bytes> list = new ArrayList<>();
        for (String value : values) {
            list.add((Attribute.Bytes) Attribute.of(value));
        }
        return with(name, new Attribute.Strings(list));
    }

    public OneNode outputs(int count) {
        this.outputs = count;
        return this;
    }

    /** Without the name of an output. */
    public OneNode omitting(int output) {
        this.omitted = output;
        return this;
    }

    public Node node(@Nullable Datum... inputs) {
        var editor = new GraphEditor(Graph.named("test"));
        List<@Nullable Value> values = new ArrayList<>();
        for (Datum input : inputs) {
            ValueType type = input instanceof Tensor tensor ? ValueType.tensor(tensor.type(), tensor.shape()) : null;
            values.add(input == null ? null : editor.addInput("in" + values.size(), type));
        }
        List<@Nullable String> names = new ArrayList<>();
        for (int i = 0; i < outputs; i++) {
            names.add(i == omitted ? null : "out" + i);
        }
        return editor.append(
                NodeSpec.of(op, opset, values.toArray(new Value[0])).with(Attributes.of(attributes)), names);
    }

    public List<Datum> runAll(@Nullable Datum... inputs) {
        Node node = node(inputs);
        var kernels = new CpuKernels();
        Kernel kernel = Objects.requireNonNull(kernels.create(node));
        List<@Nullable Datum> values = new ArrayList<>();
        Collections.addAll(values, inputs);
        List<Datum> results = new ArrayList<>();
        List<@Nullable Datum> made =
                DirectRun.run(kernel, node, values, (nested, arguments) -> NestedRun.run(nested, arguments, kernels));
        for (int i = 0; i < made.size(); i++) {
            if (i != omitted) {
                results.add(Objects.requireNonNull(made.get(i)));
            }
        }
        return results;
    }

    public Tensor run(@Nullable Datum... inputs) {
        return (Tensor) runAll(inputs).getFirst();
    }
}
