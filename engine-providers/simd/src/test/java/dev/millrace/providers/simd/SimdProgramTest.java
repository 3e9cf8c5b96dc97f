package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.DirectRun;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compiled programs against the same operators in double precision. */
class SimdProgramTest {
    private static final OpId LINEAR = new OpId(OpId.MILLRACE, "Linear");

    /** Checks a kernel as it is compiled, in parts, and resolved from what was kept; the three agree to the bit. */
    private static SimdProgram check(PartitionUnderTest part) {
        var kept = new PartitionUnderTest.Kept();
        SimdKernel kernel = part.compile(kept);
        assertThat(ProgramFormat.read(kept.plan())).isEqualTo(kernel.program());
        List<Tensor> inputs = part.randomInputs();
        List<float[]> found = part.run(kernel, inputs);
        List<double[]> expected = Reference.run(part.graph, inputs);
        for (int i = 0; i < expected.size(); i++) {
            compare(found.get(i), expected.get(i));
        }
        List<Shape> shapes =
                part.graph.outputs().stream().map(Reference::shapeOf).toList();
        SimdKernel resolved = part.resolve(kept);
        assertThat(resolved.program()).isEqualTo(kernel.program());
        var split = new SplitRun(resolved, part.partition().fused(), inputs, shapes, true);
        assertThat(bits(split.run())).isEqualTo(bits(found));
        assertThat(bits(split.run())).isEqualTo(bits(found));
        return kernel.program();
    }

    private static List<List<Integer>> bits(List<float[]> values) {
        return values.stream()
                .map(array -> IntStream.range(0, array.length)
                        .mapToObj(i -> Float.floatToIntBits(array[i]))
                        .toList())
                .toList();
    }

    private static void compare(float[] found, double[] expected) {
        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < found.length; i++) {
            if (Double.isNaN(expected[i])) {
                assertThat(found[i]).isNaN();
            } else {
                assertThat((double) found[i]).isCloseTo(expected[i], within(3e-5 + 3e-5 * Math.abs(expected[i])));
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void productsOfAnySizeAgreeWithTheReference(int seed) {
        var random = new Random(seed);
        int m = 1 + random.nextInt(70);
        int k = 1 + random.nextInt(seed % 5 == 0 ? 1200 : 90);
        int n = 1 + random.nextInt(seed % 3 == 0 ? 600 : 70);
        var part = new PartitionUnderTest(seed);
        Value x = seed % 2 == 0 ? part.input(m, k) : part.input(2, (m + 1) / 2, k);
        part.output(part.op("MatMul", x, part.constant(k, n)));
        SimdProgram program = check(part);
        assertThat(program.instructions()).hasSize(1);
    }

    @Test
    void aVectorTimesAMatrixIsAVector() {
        var part = new PartitionUnderTest(1);
        part.output(part.op("MatMul", part.input(33), part.constant(33, 300)));
        check(part);
    }

    @Test
    void nothingTimesWeightsIsNothing() {
        var part = new PartitionUnderTest(1);
        part.output(part.op("MatMul", part.input(0, 5), part.constant(5, 3)));
        check(part);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "Relu", "Gelu", "GeluTanh", "Tanh", "Sigmoid", "HardSwish"})
    void aLinearIsOneInstruction(String activation) {
        var part = new PartitionUnderTest(7);
        Attributes attributes =
                activation.isEmpty() ? Attributes.NONE : Attributes.of("activation", Attribute.of(activation));
        Value x = part.input(3, 5, 40);
        part.output(part.op(LINEAR, attributes, x, part.constant(40, 270), part.constant(270)));
        assertThat(check(part).instructions()).hasSize(1);
    }

    @Test
    void aResidualIsAddedWhereTheProductIsStored() {
        var part = new PartitionUnderTest(8);
        Value x = part.input(9, 40);
        Value residual = part.input(9, 270);
        part.output(part.op(LINEAR, Attributes.NONE, x, part.constant(40, 270), null, residual));
        assertThat(check(part).instructions()).hasSize(1);
    }

    private static List<Attributes> gemms() {
        var all = new ArrayList<Attributes>();
        for (float alpha : new float[] {1, 0.5f}) {
            for (float beta : new float[] {1, -2}) {
                for (long transposed : new long[] {0, 1}) {
                    all.add(Attributes.of(Map.of(
                            "alpha", Attribute.of(alpha),
                            "beta", Attribute.of(beta),
                            "transB", Attribute.of(transposed))));
                }
            }
        }
        return all;
    }

    @ParameterizedTest
    @MethodSource("gemms")
    void aGemmTakesAnyAddendThatBroadcasts(Attributes attributes) {
        boolean transposed = attributes.flag("transB", false);
        long[][] addends = {{}, {77}, {1, 77}, {13, 1}, {13, 77}, {1}};
        for (int i = 0; i <= 2 * addends.length; i++) {
            var part = new PartitionUnderTest(i);
            Value x = part.input(13, 70);
            Value w = transposed ? part.constant(77, 70) : part.constant(70, 77);
            @Nullable
            Value added = i == 2 * addends.length
                    ? null
                    : i % 2 == 0 ? part.constant(addends[i / 2]) : part.input(addends[i / 2]);
            part.output(part.op(OpId.onnx("Gemm"), attributes, x, w, added));
            assertThat(check(part).instructions()).hasSize(1);
        }
    }

    @Test
    void whatFollowsAProductIsPartOfIt() {
        var part = new PartitionUnderTest(9);
        Value x = part.input(6, 50);
        Value product = part.op("MatMul", x, part.constant(50, 300));
        Value biased = part.op("Add", product, part.constant(300));
        Value scaled = part.op("Mul", biased, part.constant(0.125f));
        Value active = part.op("Mul", scaled, part.op("Sigmoid", scaled));
        part.output(part.op("Add", active, part.input(6, 300)));
        assertThat(check(part).instructions()).hasSize(1);
    }

    @Test
    void aLayerOfTwoProductsTakesTwoInstructions() {
        var part = new PartitionUnderTest(10);
        Value x = part.input(2, 5, 48);
        Value wide = part.op("Gelu", part.op("Add", part.op("MatMul", x, part.constant(48, 192)), part.constant(192)));
        Value narrow = part.op("Add", part.op("MatMul", wide, part.constant(192, 48)), part.constant(48));
        part.output(part.op("Add", narrow, x));
        assertThat(check(part).instructions()).hasSize(2);
    }

    @Test
    void aProductThatGrowsByWhatFollowsIsComputedOnce() {
        var part = new PartitionUnderTest(11);
        Value x = part.input(1, 20);
        Value product = part.op("MatMul", x, part.constant(20, 30));
        Value sum = part.op("Add", product, part.input(4, 30));
        // what is known while compiling says the same shape; at run time the other input is larger
        part.editor.setType(product, sum.type());
        part.output(sum);
        SimdProgram program = part.compile().program();
        assertThat(program.instructions()).hasSize(1);
        List<Tensor> inputs = part.randomInputs();
        compare(
                part.run(part.compile(), inputs).getFirst(),
                Reference.run(part.graph, inputs).getFirst());
        var split = new SplitRun(part.compile(), part.partition().fused(), inputs, List.of(Shape.of(4, 30)), true);
        compare(split.run().getFirst(), Reference.run(part.graph, inputs).getFirst());
        assertThat(split.workspaceBytes()).isEqualTo(128);
    }

    private static final long[][][] BROADCASTS = {
        {{4, 5, 6}, {4, 5, 6}},
        {{4, 5, 6}, {6}},
        {{4, 5, 6}, {5, 1}},
        {{4, 1, 6}, {5, 1}},
        {{1, 5, 1}, {4, 1, 6}},
        {{3000}, {1}},
        {{}, {}},
        {{}, {7, 130}},
        {{700, 3}, {3}},
        {{700, 3}, {700, 1}},
        {{2, 300, 3}, {300, 1}},
        {{2, 3, 4, 5, 6}, {3, 1, 5, 1}},
        {{2, 3, 4, 5, 6}, {2, 1, 4, 1, 6}},
        {{1, 1, 1}, {2, 2}},
        {{0, 4}, {1, 4}},
        {{5, 600}, {1, 600}},
        {{5, 600}, {5, 1}},
    };

    @Test
    void operandsBroadcastBothWays() {
        for (String op : List.of("Add", "Sub", "Mul", "Div", "Min", "Max", "PRelu")) {
            for (long[][] shapes : BROADCASTS) {
                var part = new PartitionUnderTest(op.hashCode());
                Value a = part.input(shapes[0]);
                Value b = part.input(shapes[1]);
                part.output(part.op("Neg", part.op(op, a, b)));
                check(part);
                if (!op.equals("PRelu")) {
                    var turned = new PartitionUnderTest(op.hashCode());
                    Value constant = turned.constant(shapes[0]);
                    turned.output(turned.op("Neg", turned.op(op, constant, turned.input(shapes[1]))));
                    check(turned);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Neg",
                "Abs",
                "Sqrt",
                "Reciprocal",
                "Relu",
                "Sigmoid",
                "Tanh",
                "Erf",
                "Exp",
                "Log",
                "Softplus",
                "Gelu",
                "HardSwish",
                "HardSigmoid",
                "LeakyRelu",
                "Softsign",
                "Mish",
                "Elu",
                "Swish"
            })
    void everyUnaryOperatorAgreesWithTheReference(String op) {
        var part = new PartitionUnderTest(3);
        part.output(part.op(op, part.op("Mul", part.input(7, 211), part.constant(3f))));
        assertThat(check(part).instructions()).hasSize(1);
    }

    @Test
    void oneNumberBesideAnOperandBecomesPartOfTheStep() {
        for (String op : List.of("Add", "Sub", "Mul", "Div", "Min", "Max")) {
            for (boolean left : new boolean[] {true, false}) {
                var part = new PartitionUnderTest(4);
                Value x = part.input(5, 7);
                Value number = part.constant(1.75f);
                part.output(left ? part.op(op, number, x) : part.op(op, x, number));
                SimdProgram program = check(part);
                assertThat(program.constants()).isEmpty();
            }
        }
        for (float exponent : new float[] {2, 3, 0.5f, -1}) {
            var part = new PartitionUnderTest(5);
            part.output(part.op("Pow", part.input(5, 7), part.constant(exponent)));
            check(part);
        }
        var part = new PartitionUnderTest(6);
        part.output(part.op("Clip", part.input(5, 7), part.constant(-0.5f), part.constant(0.5f)));
        check(part);
    }

    @Test
    void aChainIsOnePassHoweverItBranches() {
        var part = new PartitionUnderTest(12);
        Value x = part.input(11, 130);
        Value y = part.input(130);
        Value a = part.op("Add", x, y);
        Value b = part.op("Mul", a, a);
        Value c = part.op("Sub", part.op("Tanh", b), part.op("Exp", part.op("Neg", b)));
        part.output(part.op("Div", c, part.op("Softplus", a)));
        assertThat(check(part).instructions()).hasSize(1);
    }

    @Test
    void valuesThatOthersNeedAreOutputsToo() {
        var part = new PartitionUnderTest(13);
        Value x = part.input(11, 130);
        Value a = part.op("Relu", part.op("Add", x, part.constant(130)));
        Value b = part.op("Tanh", a);
        part.output(b);
        part.output(a);
        assertThat(check(part).instructions()).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void randomGraphsAgreeWithTheReference(int seed) {
        var part = new PartitionUnderTest(seed);
        Random random = part.random;
        int n = 1 + random.nextInt(40);
        int m = 1 + random.nextInt(40);
        var values = new ArrayList<Value>(List.of(part.input(m, n), part.input(m, n), part.input(n), part.input(m, 1)));
        for (int i = 0; i < 25; i++) {
            Value a = values.get(random.nextInt(values.size()));
            Value b = values.get(random.nextInt(values.size()));
            boolean square =
                    Reference.shapeOf(a).rank() == 2 && Reference.shapeOf(a).dim(1) == n;
            Value next = switch (random.nextInt(8)) {
                case 0 -> part.op("Tanh", a);
                case 1 -> part.op("Sigmoid", a);
                case 2 -> part.op("Mul", a, part.op("Sigmoid", b));
                case 3 -> part.op("Max", a, b);
                case 4 -> part.op("Sub", a, part.constant(0.5f));
                case 5 -> square ? part.op("Tanh", part.op("MatMul", a, part.constant(n, n))) : part.op("Abs", a);
                default -> part.op("Add", part.op("Tanh", a), b);
            };
            values.add(next);
        }
        part.output(values.getLast());
        for (int i = 4; i < values.size() - 1; i++) {
            if (random.nextInt(6) == 0 && values.get(i).producer() != null) {
                part.output(values.get(i));
            }
        }
        check(part);
    }

    @Test
    void manyValuesAtOnceStillCompile() {
        var part = new PartitionUnderTest(14);
        var terms = new ArrayList<Value>();
        for (int i = 0; i < 11; i++) {
            terms.add(part.op("Tanh", part.input(3, 9)));
        }
        Value sum = part.op("MatMul", part.input(3, 4), part.constant(4, 9));
        Value product = terms.getFirst();
        for (Value term : terms) {
            sum = part.op("Add", sum, term);
            product = part.op("Mul", product, term);
        }
        part.output(part.op("Sub", sum, product));
        check(part);
    }

    @Test
    void anOutputMayTakeThePlaceOfAnInputThatIsReadLastAndWhole() {
        var part = new PartitionUnderTest(15);
        Value x = part.input(6, 50);
        Value residual = part.input(6, 70);
        Value row = part.input(70);
        Value product = part.op("MatMul", x, part.constant(50, 70));
        part.output(part.op("Add", part.op("Add", product, row), residual));
        SimdKernel kernel = part.compile();
        var run = new SplitRun(kernel, part.partition().fused(), part.randomInputs(), List.of(Shape.of(6, 70)), false);
        assertThat(run.reusable()).usingRecursiveComparison().isEqualTo(List.of(new int[] {0, 1}));
    }

    @Test
    void noOutputTakesThePlaceOfAnInputThatMayBeTheMatrixUnderAnotherShape() {
        var part = new PartitionUnderTest(15);
        Value product = part.op("MatMul", part.input(6, 50), part.constant(50, 50));
        part.output(part.op("Add", product, part.input(6, 50)));
        var run = new SplitRun(
                part.compile(), part.partition().fused(), part.randomInputs(), List.of(Shape.of(6, 50)), false);
        assertThat(run.reusable()).isEmpty();
    }

    @Test
    void anInputThatDoesNotFitIsRefusedWithWhatFits() {
        var part = new PartitionUnderTest(16);
        part.output(part.op("MatMul", part.input(6, 50), part.constant(50, 70)));
        SimdKernel kernel = part.compile();
        Tensor wrong = part.randomTensor(Shape.of(6, 51));
        assertThatThrownBy(() -> DirectRun.run(kernel, part.partition().fused(), List.of(wrong)))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining("[6, 51]")
                .hasMessageContaining("50");
        Tensor integers = Tensor.copyOf(new int[300], 6, 50);
        assertThatThrownBy(() -> DirectRun.run(kernel, part.partition().fused(), List.of(integers)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("int32");
    }
}
