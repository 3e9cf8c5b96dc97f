package dev.millrace.session.operators;

import static org.assertj.core.api.Assertions.assertThat;

import ai.onnxruntime.OrtException;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A model of one operator, run by each of our providers and by ONNX Runtime. */
final class OneOperator {
    private static final int IR_VERSION = 10;

    private final OpId op;
    private final Map<String, Integer> opsets;
    private final GraphEditor editor = new GraphEditor(Graph.named("one"));
    private final List<@Nullable Value> operands = new ArrayList<>();
    private final Map<String, Tensor> inputs = new LinkedHashMap<>();
    private Attributes attributes = Attributes.NONE;
    private final Map<String, String> places = new LinkedHashMap<>();
    private int outputs = 1;
    private @Nullable ElementType castTo;

    private OneOperator(OpId op, Map<String, Integer> opsets) {
        this.op = op;
        this.opsets = opsets;
    }

    static OneOperator contributed(String name) {
        return new OneOperator(new OpId(OpId.MICROSOFT, name), Map.of(OpId.ONNX, 21, OpId.MICROSOFT, 1));
    }

    static OneOperator onnx(String name, int opset) {
        return new OneOperator(OpId.onnx(name), Map.of(OpId.ONNX, opset));
    }

    static OneOperator ml(String name) {
        return new OneOperator(new OpId(OpId.ONNX_ML, name), Map.of(OpId.ONNX, 21, OpId.ONNX_ML, 3));
    }

    static OneOperator preview(String name) {
        return new OneOperator(new OpId(OpId.ONNX_PREVIEW, name), Map.of(OpId.ONNX, 21, OpId.ONNX_PREVIEW, 1));
    }

    OneOperator with(String name, Attribute value) {
        attributes = attributes.with(name, value);
        return this;
    }

    OneOperator with(String name, long value) {
        return with(name, Attribute.of(value));
    }

    OneOperator with(String name, float value) {
        return with(name, Attribute.of(value));
    }

    OneOperator with(String name, String value) {
        return with(name, Attribute.of(value));
    }

    OneOperator list(String name, long... values) {
        return with(name, Attribute.of(values));
    }

    OneOperator reals(String name, float... values) {
        List<Float> list = new ArrayList<>();
        for (float value : values) {
            list.add(value);
        }
        return with(name, new Attribute.Floats(list));
    }

    OneOperator outputs(int count) {
        outputs = count;
        return this;
    }

    /** Lets ONNX Runtime write an output into the memory of an input, for operators that it has in this form only. */
    OneOperator inPlace(int output, int input) {
        places.put("out" + output, "in" + input);
        return this;
    }

    /** Lets the results be converted, for a reference that does not hand out the type that they have. */
    OneOperator castTo(ElementType type) {
        castTo = type;
        return this;
    }

    /** Inputs of the model, null for those that are left out. */
    OneOperator on(@Nullable Tensor... request) {
        for (Tensor tensor : request) {
            String name = "in" + operands.size();
            if (tensor == null) {
                operands.add(null);
            } else {
                operands.add(editor.addInput(name, ValueType.tensor(tensor.type(), tensor.shape())));
                inputs.put(name, tensor);
            }
        }
        return this;
    }

    /** Inputs of the operator that the model holds. */
    OneOperator holding(Tensor... request) {
        for (Tensor tensor : request) {
            operands.add(editor.addConstant("held" + operands.size(), tensor));
        }
        return this;
    }

    private byte[] model() {
        var names = new ArrayList<@Nullable String>();
        for (int i = 0; i < outputs; i++) {
            names.add("out" + i);
        }
        var made = editor.append(
                NodeSpec.of(op, opsets.getOrDefault(op.domain(), 1), operands).with(attributes), names);
        for (int i = 0; i < outputs; i++) {
            Value result = made.requireOutput(i);
            if (castTo != null) {
                NodeSpec cast = NodeSpec.of(OpId.onnx("Cast"), opsets.getOrDefault(OpId.ONNX, 1), result)
                        .with("to", Attribute.of(castTo.code()));
                result = editor.append(cast, List.of("cast" + i)).requireOutput(0);
            }
            editor.addOutput(result.name(), result);
        }
        var header = new Model.Header(IR_VERSION, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, opsets, Map.of(), Map.of(), editor.graph(), null));
    }

    private static SessionOptions options(List<String> providers, Level level) {
        var options = SessionOptions.builder();
        providers.forEach(options::provider);
        return options.optimiser(Optimiser.Options.builder().level(level).build())
                .build();
    }

    private Map<String, Tensor> ours(Engine engine, byte[] model, SessionOptions options) {
        Inputs request = Inputs.empty();
        inputs.forEach(request::and);
        try (Session session = engine.session(model, options)) {
            var answer = new LinkedHashMap<String, Tensor>();
            // Machine code may take over from the second run on.
            for (int i = 0; i < 3; i++) {
                try (Outputs out = session.run(request)) {
                    for (var output : session.outputs()) {
                        answer.put(output.name(), Tensor.copyOf(out.get(output.name())));
                    }
                }
            }
            return answer;
        }
    }

    /** The first output of the plain provider. */
    Tensor run(Engine engine) {
        return run(engine, "cpu");
    }

    Tensor run(Engine engine, String... providers) {
        return ours(engine, model(), options(List.of(providers), Level.DISABLED))
                .values()
                .iterator()
                .next();
    }

    /** All outputs of ONNX Runtime. */
    Tensor[] referenceOutputs() throws OrtException {
        return OnnxRuntimeAnswers.run(model(), inputs, places).values().toArray(new Tensor[0]);
    }

    /** Checks that all of ours give what ONNX Runtime does, to within a distance. */
    void agrees(Engine engine, double within) throws OrtException {
        byte[] model = model();
        check(engine, model, OnnxRuntimeAnswers.run(model, inputs, places), within);
    }

    /** Checks that all of ours give this, for what ONNX Runtime does not have. */
    void gives(Engine engine, double within, Tensor... expected) {
        var named = new LinkedHashMap<String, Tensor>();
        for (int i = 0; i < expected.length; i++) {
            named.put("out" + i, expected[i]);
        }
        check(engine, model(), named, within);
    }

    private void check(Engine engine, byte[] model, Map<String, Tensor> expected, double within) {
        for (List<String> providers : List.of(List.of("cpu"), List.of("simd", "cpu"))) {
            for (Level level : List.of(Level.DISABLED, Level.ALL)) {
                Map<String, Tensor> actual = ours(engine, model, options(providers, level));
                assertThat(actual.keySet()).containsExactlyElementsOf(expected.keySet());
                expected.forEach((name, tensor) -> {
                    String what = op + " " + attributes + ", " + name + " by " + providers + ", " + level;
                    Tensor found = Objects.requireNonNull(actual.get(name));
                    assertThat(found.type()).as(what).isEqualTo(tensor.type());
                    assertThat(found.shape()).as(what).isEqualTo(tensor.shape());
                    if (tensor.type() == ElementType.STRING) {
                        assertThat(found.strings()).as(what).containsExactly(tensor.strings());
                        return;
                    }
                    assertThat(distance(numbers(found), numbers(tensor)))
                            .as(what)
                            .isLessThanOrEqualTo(within);
                });
            }
        }
    }

    static double[] numbers(Tensor tensor) {
        double[] numbers = new double[Math.toIntExact(tensor.elements())];
        Elements.read(tensor.type(), tensor.segment(), 0, numbers, 0, numbers.length);
        return numbers;
    }

    private static double distance(double[] a, double[] b) {
        double most = 0;
        for (int i = 0; i < a.length; i++) {
            double apart = a[i] == b[i] || Double.isNaN(a[i]) && Double.isNaN(b[i]) ? 0 : Math.abs(a[i] - b[i]);
            most = Double.isNaN(apart) ? Double.POSITIVE_INFINITY : Math.max(most, apart);
        }
        return most;
    }
}
