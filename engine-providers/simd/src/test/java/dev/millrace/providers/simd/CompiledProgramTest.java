package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.scheduler.kernel.DirectRun;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Programs that were kept: read again, damaged, from other versions. */
class CompiledProgramTest {
    private final PartitionUnderTest part = new PartitionUnderTest(1);
    private final PartitionUnderTest.Kept kept = new PartitionUnderTest.Kept();

    CompiledProgramTest() {
        Value x = part.input(5, 12);
        Value wide = part.op("Gelu", part.op("Add", part.op("MatMul", x, part.constant(12, 20)), part.constant(20)));
        Value narrow = part.op("Add", part.op("MatMul", wide, part.constant(20, 12)), part.constant(1, 12));
        part.output(part.op("Add", part.op("Mul", narrow, part.constant(5, 1)), x));
        part.output(wide);
        part.compile(kept);
    }

    @Test
    void whatIsReadIsWhatWasWritten() {
        SimdProgram program = ProgramFormat.read(kept.plan());
        assertThat(ProgramFormat.write(program)).isEqualTo(kept.plan);
        assertThat(program.outputs()).hasSize(2);
        assertThat(program.constants()).isNotEmpty();
    }

    @Test
    void compiledAndResolvedGiveTheSameBits() {
        List<Tensor> inputs = part.randomInputs();
        List<float[]> compiled = part.run(part.compile(), inputs);
        List<float[]> resolved = part.run(part.resolve(kept), inputs);
        for (int i = 0; i < compiled.size(); i++) {
            assertThat(Arrays.equals(compiled.get(i), resolved.get(i))).isTrue();
        }
    }

    @Test
    void sharedWeightsAreKeptOnce() {
        var twice = new PartitionUnderTest(2);
        Value weights = twice.constant(64, 64);
        Value x = twice.op("Tanh", twice.op("MatMul", twice.input(3, 64), weights));
        twice.output(twice.op("MatMul", x, weights));
        var both = new PartitionUnderTest.Kept();
        twice.compile(both);
        assertThat(both.segments).hasSize(1);
    }

    @Test
    void damageIsRefusedOrHarmless() {
        var random = new Random(3);
        List<Tensor> inputs = part.randomInputs();
        byte[] whole = kept.plan;
        int refused = 0;
        for (int round = 0; round < 5_000; round++) {
            byte[] damaged =
                    random.nextInt(20) == 0 ? Arrays.copyOf(whole, random.nextInt(whole.length)) : whole.clone();
            for (int change = 1 + random.nextInt(2); change > 0 && damaged.length > 0; change--) {
                int at = random.nextInt(damaged.length);
                damaged[at] = random.nextBoolean()
                        ? (byte) random.nextInt(256)
                        : (byte) (damaged[at] + random.nextInt(5) - 2);
            }
            kept.plan = damaged;
            try {
                SimdKernel kernel = part.resolve(kept);
                DirectRun.run(kernel, part.partition().fused(), inputs);
            } catch (EngineException e) {
                assertThat(e.status()).isIn(Status.INVALID_GRAPH, Status.INVALID_ARGUMENT);
                refused++;
            }
        }
        assertThat(refused).isBetween(1_000, 4_999);
    }

    @Test
    void segmentsOfOtherSizesAreRefused() {
        for (int i = 0; i < kept.segments.size(); i++) {
            var segment = kept.segments.get(i);
            kept.segments.set(i, segment.asSlice(0, 4));
            assertInvalid("size", "segment");
            kept.segments.set(i, segment);
        }
        kept.numbers = Arrays.copyOf(kept.numbers, kept.numbers.length - 1);
        assertInvalid("segment");
    }

    @Test
    void anotherVersionIsRefusedByItsNumber() {
        kept.plan[7] = 9;
        assertInvalid("version 9");
    }

    @Test
    void anotherLayoutIsRefusedByItsName() {
        SimdProgram program = ProgramFormat.read(kept.plan());
        kept.plan = ProgramFormat.write(new SimdProgram(
                "f32-other", program.inputs(), program.constants(), program.instructions(), program.outputs()));
        assertInvalid("f32-other");
    }

    @Test
    void anEpContextNodeWithOtherInputsThanItsProgramIsRefused() {
        var other = new PartitionUnderTest(4);
        other.output(other.op("Add", other.input(5, 12), other.input(5, 12)));
        assertThatThrownBy(() -> other.resolve(kept))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContaining("2 inputs and 1 outputs");
    }

    @Test
    void aNodeWithOtherInputsThanItsProgramIsRefused() {
        SimdKernel kernel = part.resolve(kept);
        var other = new PartitionUnderTest(4);
        other.output(other.op("Add", other.input(5, 12), other.input(5, 12)));
        assertThatThrownBy(() -> DirectRun.run(kernel, other.partition().fused(), other.randomInputs()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH));
    }

    @Test
    void aNodeThatLostAnInputAndAnOutputToTheGraphAroundItStillRuns() {
        var sum = new PartitionUnderTest(6);
        Value a = sum.input(3, 4);
        Value b = sum.input(3, 4);
        Value c = sum.input(3, 4);
        Value difference = sum.op("Sub", a, b);
        sum.output(difference);
        sum.output(sum.op("Mul", difference, c));
        var binary = new PartitionUnderTest.Kept();
        sum.compile(binary);
        List<Tensor> inputs = sum.randomInputs();

        // the first and the last input have become one value, the second a constant; the first output is not read
        Graph graph = Graph.named("part");
        var editor = new GraphEditor(graph);
        Value x = editor.addInput("x", a.type());
        Value constant = editor.addConstant("b", inputs.get(1));
        Attributes attributes = Attributes.of(EpContext.SOURCE, Attribute.of("simd"));
        var spec = new NodeSpec(EpContext.OP, 1, "", "", List.of(x, constant, x), attributes);
        Node node = editor.append(spec, List.of("first", "second"));
        editor.addOutput("second", node.requireOutput(1));
        SimdKernel kernel = PartitionUnderTest.resolve(binary, node);

        var outer = new GraphEditor(Graph.named("model"));
        Node fused = outer.append(
                NodeSpec.of(new OpId(OpId.MILLRACE, "Fused"), 1, outer.addInput("x", a.type())), List.of("second"));
        Tensor given = inputs.getFirst();
        Tensor result = (Tensor) DirectRun.run(kernel, fused, List.of(given)).getFirst();
        List<double[]> expected = Reference.run(sum.graph, List.of(given, inputs.get(1), given));
        for (int i = 0; i < 12; i++) {
            assertThat((double) result.floats()[i]).isCloseTo(expected.get(1)[i], within(1e-5));
        }
    }

    private void assertInvalid(String... says) {
        assertThatThrownBy(() -> part.resolve(kept))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .message()
                .containsAnyOf(says);
    }

    @Test
    void resolvingTakesNoTimePerWeight() {
        var large = new PartitionUnderTest(5);
        Value x = large.op("MatMul", large.input(1, 1000), large.constant(1000, 1500));
        large.output(large.op("MatMul", x, large.constant(1500, 1000)));
        var binary = new PartitionUnderTest.Kept();
        large.compile(binary);
        long best = Long.MAX_VALUE;
        for (int round = 0; round < 2000; round++) {
            long start = System.nanoTime();
            large.resolve(binary);
            best = Math.min(best, System.nanoTime() - start);
        }
        System.out.printf("resolving a partition with 12 MB of weights: %.1f µs%n", best / 1e3);
        // reading the weights even once would take a thousand µs
        assertThat(best).isLessThan(500_000);
        assertThat(large.run(large.resolve(binary), List.of(large.randomTensor(Shape.of(1, 1000)))))
                .hasSize(1);
    }
}
