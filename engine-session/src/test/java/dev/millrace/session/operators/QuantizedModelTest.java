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
import dev.millrace.graph.quantize.ModelQuantizer;
import dev.millrace.graph.quantize.ModelQuantizer.Quantized;
import dev.millrace.graph.quantize.QuantizeOptions;
import dev.millrace.graph.quantize.QuantizeOptions.Method;
import dev.millrace.graph.quantize.QuantizeReport;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs quantised models beside their sources and beside ONNX Runtime. */
@Tag("reference")
class QuantizedModelTest {
    private static final int OPSET = 21;
    private static final Engine ENGINE = Engine.create(EngineOptions.defaults());

    private final Draw draw = new Draw(7);
    private final GraphEditor editor = new GraphEditor(Graph.named("source"));
    private final Map<String, Tensor> inputs = new LinkedHashMap<>();
    private QuantizeOptions options = QuantizeOptions.defaults();

    @AfterAll
    static void close() {
        ENGINE.close();
    }

    @BeforeEach
    void quantiseSmallWeights() {
        options = QuantizeOptions.builder().minElements(0).blockSize(16).build();
    }

    private Value input(String name, Tensor tensor) {
        inputs.put(name, tensor);
        return editor.addInput(name, ValueType.tensor(tensor.type(), tensor.shape()));
    }

    private static Value node(GraphEditor target, String name, Attributes attributes, Value... operands) {
        return target.append(
                        NodeSpec.of(OpId.onnx(name), OPSET, operands).with(attributes),
                        List.of(name + target.graph().nodeCount()))
                .requireOutput(0);
    }

    private Value node(String name, Value... operands) {
        return node(editor, name, Attributes.NONE, operands);
    }

    private Model model() {
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return new Model(header, Map.of(OpId.ONNX, OPSET), Map.of(), Map.of(), editor.graph(), null);
    }

    private Map<String, Tensor> run(Model model, String... providers) {
        var chosen = SessionOptions.builder();
        List.of(providers).forEach(chosen::provider);
        Inputs request = Inputs.empty();
        inputs.forEach(request::and);
        var answers = new LinkedHashMap<String, Tensor>();
        try (Session session = ENGINE.session(Models.toBytes(model), chosen.build());
                Outputs outputs = session.run(request)) {
            outputs.names().forEach(name -> answers.put(name, Tensor.copyOf(outputs.get(name))));
        }
        return answers;
    }

    /** Returns the root of the summed squared differences, relative to that of the squared expected numbers. */
    private static double apart(Map<String, Tensor> expected, Map<String, Tensor> actual) {
        assertThat(actual.keySet()).isEqualTo(expected.keySet());
        double difference = 0;
        double power = 0;
        for (Map.Entry<String, Tensor> each : expected.entrySet()) {
            Tensor found = Objects.requireNonNull(actual.get(each.getKey()));
            assertThat(found.shape()).isEqualTo(each.getValue().shape());
            assertThat(found.type()).isEqualTo(each.getValue().type());
            double[] a = OneOperator.numbers(each.getValue());
            double[] b = OneOperator.numbers(found);
            for (int i = 0; i < a.length; i++) {
                difference += (a[i] - b[i]) * (a[i] - b[i]);
                power += a[i] * a[i];
            }
        }
        return Math.sqrt(difference / power);
    }

    /**
     * Quantises the model and checks that our providers and ONNX Runtime agree on the result, and that it is as far from the
     * source as its weights are: with random operands, the relative error of a product is that of the weight.
     *
     * @param rounding the relative distance that rounding within a run may make
     * @param more the relative error that is not due to weights
     */
    private QuantizeReport check(double rounding, double more) throws OrtException {
        Model source = model();
        Map<String, Tensor> expected = run(source, "cpu");
        Quantized made = ModelQuantizer.of(options).quantize(source);
        assertThat(made.report().weights()).isNotEmpty();
        Map<String, Tensor> reference = OnnxRuntimeAnswers.run(Models.toBytes(made.model()), inputs, Map.of());
        for (String[] providers : new String[][] {{"cpu"}, {"simd", "cpu"}}) {
            Map<String, Tensor> actual = run(made.model(), providers);
            assertThat(apart(reference, actual))
                    .as("%s and ONNX Runtime", List.of(providers))
                    .isLessThan(rounding);
            double error = made.report().weights().getFirst().error();
            assertThat(apart(expected, actual))
                    .as("%s and the source", List.of(providers))
                    .isLessThan(1.5 * error + more);
        }
        return made.report();
    }

    @ParameterizedTest
    @CsvSource({
        "4, true, 64",
        "4, false, 64",
        "8, true, 64",
        "8, false, 64",
        "4, true, 40",
        "4, false, 40",
        "8, true, 40",
        "8, false, 40"
    })
    void productsInBlocks(int bits, boolean symmetric, int inner) throws Exception {
        options = options.toBuilder().bits(bits).symmetric(symmetric).build();
        Value x = input("x", draw.floats(2, 3, inner));
        editor.addOutput("y", node("MatMul", x, editor.addConstant("w", draw.floats(inner, 24))));
        QuantizeReport report = check(1e-4, 0);
        assertThat(report.weights()).singleElement().satisfies(weight -> {
            assertThat(weight.operator()).isEqualTo("MatMulNBits");
            assertThat(weight.error()).isLessThan(bits == 4 ? 0.1 : 0.006);
            assertThat(weight.sourceStays()).isFalse();
        });
    }

    @ParameterizedTest
    @CsvSource({"BLOCKS, true", "BLOCKS, false", "DYNAMIC, true", "DYNAMIC, false"})
    void gemmKeepsItsFactorsAndItsBias(Method method, boolean turned) throws Exception {
        options = options.toBuilder()
                .method(method)
                .bits(method == Method.DYNAMIC ? 8 : 4)
                .build();
        Value x = input("x", turned ? draw.floats(48, 5) : draw.floats(5, 48));
        Value w = editor.addConstant("w", turned ? draw.floats(32, 48) : draw.floats(48, 32));
        Value c = editor.addConstant("c", draw.floats(32));
        Attributes attributes = Attributes.of("alpha", Attribute.of(0.5f))
                .with("beta", Attribute.of(3f))
                .with("transA", Attribute.of(turned ? 1 : 0))
                .with("transB", Attribute.of(turned ? 1 : 0));
        editor.addOutput("y", node(editor, "Gemm", attributes, x, w, c));
        check(1e-4, method == Method.DYNAMIC ? 0.02 : 0);
    }

    @Test
    void gemmWithoutABiasOrWithBetaZeroAddsNothing() throws Exception {
        Value x = input("x", draw.floats(5, 32));
        Value w = editor.addConstant("w", draw.floats(32, 32));
        Value y = node(editor, "Gemm", Attributes.NONE, x, w);
        Attributes none = Attributes.of("beta", Attribute.of(0f));
        editor.addOutput("y", y);
        editor.addOutput("z", node(editor, "Gemm", none, x, w, editor.addConstant("c", draw.floats(32))));
        check(1e-4, 0);
        assertThat(ModelQuantizer.of(options).quantize(model()).model().graph().nodes())
                .allMatch(node -> node.op().name().equals("MatMulNBits"));
    }

    @Test
    void productsOfBytes() throws Exception {
        options =
                QuantizeOptions.builder().method(Method.DYNAMIC).minElements(0).build();
        Value x = input("x", draw.floats(2, 3, 40));
        Value y = node("MatMul", x, editor.addConstant("w", draw.floats(40, 48)));
        Value z = node("MatMul", x, editor.addConstant("v", draw.floats(40, 24)));
        editor.addOutput("y", y);
        editor.addOutput("z", z);
        check(1e-4, 0.02);
        long rounded =
                count(ModelQuantizer.of(options).quantize(model()).model().graph(), "DynamicQuantizeLinear");
        assertThat(rounded).as("inputs that are rounded once").isEqualTo(1);
    }

    private static long count(Graph graph, String operator) {
        long count = 0;
        for (var node : graph.nodes()) {
            count += node.op().name().equals(operator) ? 1 : 0;
        }
        return count;
    }

    @ParameterizedTest
    @CsvSource({"BLOCKS, false", "BLOCKS, true", "DYNAMIC, false"})
    void modelsOfSixteenBitsStaySo(Method method, boolean symmetric) throws Exception {
        options =
                options.toBuilder().method(method).bits(8).symmetric(symmetric).build();
        Value x = input("x", draw.reals(ElementType.FLOAT16, 5, 48));
        Value w = editor.addConstant("w", draw.reals(ElementType.FLOAT16, 48, 32));
        Value c = editor.addConstant("c", draw.reals(ElementType.FLOAT16, 32));
        editor.addOutput("y", node(editor, "Gemm", Attributes.of("beta", Attribute.of(2f)), x, w, c));
        check(2e-3, 0.02);
    }

    @ParameterizedTest
    @CsvSource({
        "4, true, false, 64",
        "4, false, true, 64",
        "8, true, true, 64",
        "4, true, false, 40",
        "8, false, false, 40"
    })
    void embeddingsThatAreAlsoWeights(int bits, boolean symmetric, boolean narrow, int width) throws Exception {
        options = options.toBuilder()
                .bits(bits)
                .symmetric(symmetric)
                .fp16Scales(narrow)
                .embedding(true)
                .build();
        Value ids = input("ids", draw.below(ElementType.INT64, 50, 2, 7));
        Value table = editor.addConstant("table", draw.floats(50, width));
        Value hidden = node("Gather", table, ids);
        editor.addOutput("hidden", hidden);
        editor.addOutput("logits", node("MatMul", hidden, node("Transpose", table)));
        QuantizeReport report = check(1e-3, 0.2);
        assertThat(report.weights())
                .extracting(QuantizeReport.Weight::operator)
                .containsExactlyInAnyOrder("GatherBlockQuantized", "MatMulNBits");
        assertThat(report.kept()).isEmpty();
    }

    @Test
    void bodiesOfAnIfReadTheirOwnWeightsAndThoseAround() throws Exception {
        Value x = input("x", draw.floats(5, 32));
        Value truth = input("truth", Tensor.scalar(true));
        Value around = editor.addConstant("around", draw.floats(32, 32));
        Attributes branches = Attributes.of(Map.of(
                "then_branch", new Attribute.GraphValue(branch("then", x, around)),
                "else_branch", new Attribute.GraphValue(branch("else", x, around))));
        editor.addOutput("y", node(editor, "If", branches, truth));
        QuantizeReport report = check(1e-4, 0.1);
        assertThat(report.weights())
                .extracting(QuantizeReport.Weight::name)
                .containsExactlyInAnyOrder("around", "then_own", "else_own");
    }

    private Graph branch(String name, Value x, Value around) {
        var branch = new GraphEditor(Graph.nested(name, editor.graph()));
        Value own = branch.addConstant(name + "_own", draw.floats(32, 32));
        Value inner = node(branch, "MatMul", Attributes.NONE, x, around);
        branch.addOutput(name + "_y", node(branch, "MatMul", Attributes.NONE, inner, own));
        return branch.graph();
    }

    private static double[] numbersOf(Map<String, Tensor> answers) {
        return OneOperator.numbers(Objects.requireNonNull(answers.get("y")));
    }

    /** Without a search, a weight is at most half a step from its code, or a whole one at the narrow end of a range. */
    @ParameterizedTest
    @CsvSource({"4, true", "4, false", "8, true", "8, false"})
    void differencesAreWithinTheStepsOfTheWeights(int bits, boolean symmetric) {
        options = options.toBuilder()
                .bits(bits)
                .symmetric(symmetric)
                .scaleSearch(false)
                .build();
        int inner = 56;
        int columns = 8;
        Value x = input("x", draw.floats(3, inner));
        editor.addOutput("y", node("MatMul", x, editor.addConstant("w", draw.floats(inner, columns))));
        Quantized made = ModelQuantizer.of(options).quantize(model());
        double[] expected = numbersOf(run(model(), "cpu"));
        double[] actual = numbersOf(run(made.model(), "cpu"));
        Tensor scales = made.model().graph().constants().stream()
                .filter(value -> value.name().endsWith("_scales"))
                .findFirst()
                .map(Value::constant)
                .orElseThrow();
        double[] numbers = OneOperator.numbers(Objects.requireNonNull(inputs.get("x")));
        int blocks = Math.ceilDiv(inner, options.blockSize());
        for (int i = 0; i < expected.length; i++) {
            double bound = 1e-4;
            for (int k = 0; k < inner; k++) {
                long block = (long) i % columns * blocks + k / options.blockSize();
                double step = Math.abs(Elements.getDouble(ElementType.FLOAT, scales.segment(), block));
                bound += Math.abs(numbers[i / columns * inner + k]) * step;
            }
            assertThat(Math.abs(actual[i] - expected[i])).isLessThan(bound);
        }
    }
}
