package dev.millrace.extensions;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A model of one node. */
final class OneNode {
    static final String DOMAIN = "ai.onnx.contrib";

    private final String domain;
    private final String op;
    private final int outputs;
    private final Map<String, Attribute> attributes = new HashMap<>();
    private final Map<String, Tensor> inputs = new LinkedHashMap<>();

    OneNode(String op, int outputs) {
        this(DOMAIN, op, outputs);
    }

    OneNode(String domain, String op, int outputs) {
        this.domain = domain;
        this.op = op;
        this.outputs = outputs;
    }

    OneNode text(String name, String value) {
        attributes.put(name, Attribute.of(value));
        return this;
    }

    OneNode bytes(String name, byte[] value) {
        attributes.put(name, new Attribute.Bytes(value));
        return this;
    }

    byte[] bytesOf(String name) {
        return ((Attribute.Bytes) Objects.requireNonNull(attributes.get(name), name)).value();
    }

    OneNode flag(String name, long value) {
        attributes.put(name, Attribute.of(value));
        return this;
    }

    OneNode input(Tensor value) {
        inputs.put("in" + inputs.size(), value);
        return this;
    }

    OneNode input(String... texts) {
        return input(Tensor.ofStrings(Shape.of(texts.length), texts));
    }

    Map<String, Tensor> inputs() {
        return inputs;
    }

    int outputs() {
        return outputs;
    }

    byte[] model() {
        var editor = new GraphEditor(Graph.named("one"));
        var values = new ArrayList<Value>();
        inputs.forEach((name, tensor) -> values.add(editor.addInput(
                name,
                ValueType.tensor(
                        tensor.type(), SymbolicShape.ofRank(tensor.shape().rank())))));
        List<@Nullable String> names = IntStream.range(0, outputs)
                .<@Nullable String>mapToObj(i -> "out" + i)
                .toList();
        NodeSpec spec = NodeSpec.of(new OpId(domain, op), 1, values.toArray(Value[]::new))
                .with(Attributes.of(attributes));
        var node = editor.append(spec, names);
        for (int i = 0; i < outputs; i++) {
            editor.addOutput("out" + i, node.requireOutput(i));
        }
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", 21, domain, 1), Map.of(), Map.of(), editor.graph(), null));
    }

    /** Returns the outputs of a run. */
    List<Tensor> run() {
        try (Engine engine = Engine.create();
                Session session = engine.session(model(), SessionOptions.defaults())) {
            Inputs given = Inputs.empty();
            inputs.forEach(given::and);
            try (Outputs answer = session.run(given)) {
                return IntStream.range(0, outputs)
                        .mapToObj(i -> Tensor.copyOf(answer.get(i)))
                        .toList();
            }
        }
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
