package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.millrace.cli.fire.Conditioning.Share;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.DoubleUnaryOperator;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

class ConditioningTest {
    private static final byte[] NO_WEIGHTS = ModelProto.getDefaultInstance().toByteArray();

    private static Conditioning of(DoubleUnaryOperator function) {
        return new Conditioning((_, inputs) -> answer(function, inputs));
    }

    private static Datum answer(DoubleUnaryOperator function, Inputs inputs) {
        double x = x(inputs).floats()[0];
        return Tensor.scalar((float) function.applyAsDouble(x));
    }

    private static Tensor x(Inputs inputs) {
        return (Tensor) Objects.requireNonNull(inputs.asMap().get("x"));
    }

    private static Share share(DoubleUnaryOperator function, float x, float actual) {
        Inputs inputs = Inputs.of("x", x);
        return of(function).share(NO_WEIGHTS, inputs, answer(function, inputs), Tensor.scalar(actual));
    }

    @Test
    void aStepThatTheLastPlaceDecidesExplainsADifferenceOfOneStep() {
        float edge = 2.5f;
        assertThat(share(x -> 100 * (x < edge ? 2 : 3), edge, 200)).isEqualTo(Share.ALL);
        assertThat(share(x -> 100 * (x < edge ? 2 : 3), 2.6f, 200)).isEqualTo(Share.NONE);
    }

    @Test
    void aDifferenceOfManyTimesWhatTheLastPlaceDoesIsAWrongAnswer() {
        float edge = 2.5f;
        assertThat(share(x -> x < edge ? 2 : 3, edge, 7)).isEqualTo(Share.A_PART);
        assertThat(share(x -> x < edge ? 2 : 3, edge, 8)).isEqualTo(Share.NONE);
        assertThat(share(x -> x, 1, 1.01f)).isEqualTo(Share.NONE);
    }

    @Test
    void aStepInOneNumberExplainsStepsInAFewButNotInMany() {
        float edge = 2.5f;
        Inputs inputs = Inputs.of("x", edge);
        var steps = new Conditioning((_, request) -> steps(x(request).floats()[0] < edge ? 1 : 0));
        assertThat(steps.share(NO_WEIGHTS, inputs, steps(0), steps(4))).isEqualTo(Share.ALL);
        assertThat(steps.share(NO_WEIGHTS, inputs, steps(0), steps(5))).isEqualTo(Share.A_PART);
    }

    @Test
    void whereTheLastPlaceDecidesHowManyNumbersThereAreAFewMoreAreExplained() {
        float edge = 2.5f;
        Inputs inputs = Inputs.of("x", edge);
        var counted = new Conditioning((_, request) -> zeros(x(request).floats()[0] < edge ? 101 : 100));
        assertThat(counted.share(NO_WEIGHTS, inputs, zeros(100), zeros(101))).isEqualTo(Share.ALL);
        assertThat(counted.share(NO_WEIGHTS, inputs, zeros(100), zeros(103))).isEqualTo(Share.A_PART);
        assertThat(counted.share(NO_WEIGHTS, inputs, zeros(100), zeros(105))).isEqualTo(Share.NONE);
        var sure = new Conditioning((_, _) -> zeros(100));
        assertThat(sure.share(NO_WEIGHTS, inputs, zeros(100), zeros(101))).isEqualTo(Share.NONE);
    }

    private static Tensor zeros(int count) {
        return Tensor.copyOf(new float[count], count);
    }

    /** Eight numbers, of which the first few are a step higher than the others. */
    private static Tensor steps(int count) {
        float[] numbers = new float[8];
        Arrays.fill(numbers, 0, count, 1);
        return Tensor.copyOf(numbers, 8);
    }

    @Test
    void whatIsNoNumberIsNeverExplained() {
        assertThat(share(x -> 1e9 * x, 1, Float.NaN)).isEqualTo(Share.NONE);
        assertThat(share(x -> x > 1 ? Double.NaN : 1, 1, 2)).isEqualTo(Share.NONE);
        Inputs inputs = Inputs.of("x", 1f);
        Tensor other = Tensor.copyOf(new float[] {1, 2}, 2);
        assertThat(of(x -> x).share(NO_WEIGHTS, inputs, Tensor.scalar(1f), other))
                .isEqualTo(Share.NONE);
    }

    @Test
    void aModelThatDoesNotAnswerAnyMoreExplainsNothing() {
        Inputs inputs = Inputs.of("x", 1f);
        var silent = new Conditioning((_, _) -> null);
        assertThat(silent.share(NO_WEIGHTS, inputs, Tensor.scalar(1f), Tensor.scalar(2f)))
                .isEqualTo(Share.NONE);
    }

    @Test
    void weightsMoveByOnePlaceAtMostAndIntegersStay() {
        Net net = Net.named("weights");
        Value x = net.input("x", ElementType.FLOAT, 4);
        byte[] model = net.output(net.op("Add", x, net.weights(4))).bytes();
        assertThat(placesMoved(model, ConditioningTest::weights)).isPositive();
    }

    @Test
    void weightsOfGraphsInsideOfOthersMove() {
        Net net = Net.named("outer");
        Value x = net.input("x", ElementType.INT64, 4);
        Net body = net.body("body");
        body.output(body.op("Identity", body.weights(4)));
        Value chosen = net.op("If", Map.of("then_branch", body, "else_branch", body), net.op("ReduceMax", x));
        byte[] model = net.output(chosen).bytes();
        assertThat(placesMoved(model, ConditioningTest::weightsInside)).isPositive();
    }

    /** How many places the weights of a model move in all draws, each by one place at most. */
    private static int placesMoved(byte[] model, Function<byte[], TensorProto> weights) {
        var changed = new AtomicInteger();
        Inputs inputs = Inputs.of("x", Tensor.copyOf(new long[] {1, 2, 3, 4}, 4));
        new Conditioning((moved, request) -> {
                    assertThat(x(request).longs()).containsExactly(1, 2, 3, 4);
                    changed.addAndGet(places(weights.apply(model), weights.apply(moved)));
                    return null;
                })
                .share(model, inputs, Tensor.scalar(1f), Tensor.scalar(2f));
        return changed.get();
    }

    private static TensorProto weights(byte[] model) {
        return graph(model).getInitializer(0);
    }

    private static TensorProto weightsInside(byte[] model) {
        return graph(model).getNode(1).getAttribute(0).getG().getInitializer(0);
    }

    private static GraphProto graph(byte[] model) {
        try {
            return ModelProto.parseFrom(model).getGraph();
        } catch (InvalidProtocolBufferException e) {
            throw new AssertionError(e);
        }
    }

    /** How many numbers have moved. */
    private static int places(TensorProto one, TensorProto other) {
        var a = one.getRawData().asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        var b = other.getRawData().asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN);
        assertThat(a.remaining()).isEqualTo(b.remaining()).isPositive();
        int moved = 0;
        while (a.hasRemaining()) {
            int distance = Math.abs(a.getInt() - b.getInt());
            assertThat(distance).isLessThanOrEqualTo(1);
            moved += distance;
        }
        return moved;
    }
}
