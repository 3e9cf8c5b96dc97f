package dev.millrace.providers.cpu.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.providers.cpu.NestedBody;
import dev.millrace.providers.cpu.OneNode;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of If, Loop and Scan with small bodies. A loop that does not end fails. */
@Timeout(value = 20, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ControlKernelsTest {
    private static final ValueType TRUTH = ValueType.tensor(ElementType.BOOL, Shape.SCALAR);
    private static final ValueType WHOLE = ValueType.tensor(ElementType.INT64, Shape.SCALAR);

    private static Tensor truth(boolean value) {
        return Tensor.copyOf(new boolean[] {value});
    }

    private static long[] longs(Datum datum) {
        return ((Tensor) datum).longs();
    }

    private static Shape shape(Datum datum) {
        return ((Tensor) datum).shape();
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> refused(Status status, ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status));
    }

    private static Attribute constants(long first, long second) {
        var body = new NestedBody();
        return body.gives(body.op("Identity", body.constant(Tensor.scalar(first))), WHOLE)
                .gives(body.op("Identity", body.constant(Tensor.scalar(second))), WHOLE)
                .attribute();
    }

    private static OneNode branch() {
        return OneNode.onnx("If", 21)
                .with("then_branch", constants(1, 2))
                .with("else_branch", constants(3, 4))
                .outputs(2);
    }

    @Test
    void theBranchOfTheConditionGivesAllResults() {
        assertThat(branch().runAll(truth(true)).stream().map(ControlKernelsTest::longs))
                .containsExactly(new long[] {1}, new long[] {2});
        assertThat(branch().runAll(truth(false)).stream().map(ControlKernelsTest::longs))
                .containsExactly(new long[] {3}, new long[] {4});
        Tensor oneInARow = Tensor.copyOf(new boolean[] {false}, 1);
        assertThat(branch().run(oneInARow).longs()).containsExactly(3);
    }

    @Test
    void aConditionIsOneTruthValue() {
        for (long count : new long[] {0, 2}) {
            Tensor wrong = Tensor.copyOf(new boolean[(int) count], count);
            refused(Status.INVALID_ARGUMENT, () -> branch().runAll(wrong))
                    .hasMessageContaining("a condition is one boolean, but here is " + wrong);
        }
    }

    /** Adds the trip to a sum, which is collected, too; goes on while the sum is less than ten. */
    private static OneNode sums() {
        var body = new NestedBody();
        Value trip = body.input("trip", WHOLE);
        body.input("goOn", TRUTH);
        Value sum = body.op("Add", body.input("sum", WHOLE), trip);
        return OneNode.onnx("Loop", 21)
                .with(
                        "body",
                        body.gives(body.op("Less", sum, body.constant(Tensor.scalar(10L))), TRUTH)
                                .gives(sum, WHOLE)
                                .gives(body.op("Identity", sum), WHOLE)
                                .attribute())
                .outputs(2);
    }

    /** The sums after 0, 1, 2 … trips are 0, 0, 1, 3, 6, 10; a loop ends by its count, its condition, or either. */
    @ParameterizedTest
    @CsvSource({"3, true, 3", "4, , 6", "0, true, 0", "-5, , 0", "100, , 10", ", true, 10", ", , 10", "3, false, 0"})
    void aLoopEndsByItsCountOrItsCondition(Long trips, Boolean goOn, long sum) {
        List<Datum> results = sums().runAll(
                        trips == null ? null : Tensor.scalar(trips),
                        goOn == null ? null : truth(goOn),
                        Tensor.scalar(0L));
        assertThat(longs(results.get(0))).containsExactly(sum);
        long[] all = LongStream.of(0, 1, 3, 6, 10)
                .limit(trips == null ? 5 : Math.max(0, trips))
                .toArray();
        assertThat(longs(results.get(1))).containsExactly(Boolean.FALSE.equals(goOn) ? new long[0] : all);
        assertThat(shape(results.get(1)).rank()).isOne();
    }

    @Test
    void countsAndConditionsMayBeOptionals() {
        Datum three = new OptionalDatum(Tensor.scalar(3L));
        Tensor zero = Tensor.scalar(0L);
        assertThat(longs(sums().runAll(three, new OptionalDatum(truth(true)), zero)
                        .getFirst()))
                .containsExactly(3);
        refused(Status.INVALID_ARGUMENT, () -> sums().runAll(three, OptionalDatum.EMPTY, zero))
                .hasMessageContaining("a condition is one boolean, but here is");
    }

    @Test
    void countsAndConditionsMayBeRowsOfOne() {
        var body = new NestedBody();
        Value trip = body.input("trip", ValueType.tensor(ElementType.INT64, Shape.of(1)));
        Value goOn = body.input("goOn", ValueType.tensor(ElementType.BOOL, Shape.of(1)));
        Attribute attribute = body.gives(body.op("Identity", goOn), TRUTH)
                .gives(body.op("Identity", trip), ValueType.tensor(ElementType.INT64, Shape.of(1)))
                .attribute();
        Tensor trips = OneNode.onnx("Loop", 21)
                .with("body", attribute)
                .run(Tensor.copyOf(new long[] {3}, 1), Tensor.copyOf(new boolean[] {true}, 1));
        assertThat(trips.shape()).isEqualTo(Shape.of(3, 1));
        assertThat(trips.longs()).containsExactly(0, 1, 2);
    }

    /** Collects what a body makes of each trip. */
    private static Tensor collected(long trips, @Nullable ValueType type, String op, Tensor operand) {
        var body = new NestedBody();
        Value trip = body.input("trip", WHOLE);
        Value goOn = body.input("goOn", TRUTH);
        Attribute attribute = body.gives(body.op("Identity", goOn), TRUTH)
                .gives(body.op(op, body.constant(operand), trip), type)
                .attribute();
        return OneNode.onnx("Loop", 21).with("body", attribute).run(Tensor.scalar(trips), truth(true));
    }

    /** Without a number of trips that is known before, memory grows as steps come. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 5000})
    void allStepsAreCollectedHoweverManyThereAre(long trips) {
        ValueType rows = ValueType.tensor(ElementType.INT64, Shape.of(3));
        Tensor operand = Tensor.copyOf(new long[] {0, 10, 20}, 3);
        Tensor all = collected(trips, rows, "Add", operand);
        assertThat(all.shape()).isEqualTo(Shape.of(trips, 3));
        long[] expected = LongStream.range(0, trips)
                .flatMap(trip -> LongStream.of(trip, trip + 10, trip + 20))
                .toArray();
        assertThat(all.longs()).isEqualTo(expected);
        var body = new NestedBody();
        Value trip = body.input("trip", WHOLE);
        body.input("goOn", TRUTH);
        Value more = body.op("Less", trip, body.constant(Tensor.scalar(trips - 1)));
        Tensor ended = OneNode.onnx("Loop", 21)
                .with(
                        "body",
                        body.gives(more, TRUTH)
                                .gives(body.op("Add", trip, body.constant(operand)), rows)
                                .attribute())
                .run(null, truth(true));
        assertThat(ended.shape()).isEqualTo(Shape.of(trips, 3));
        assertThat(ended.longs()).isEqualTo(expected);
    }

    @Test
    void textsAreCollectedToo() {
        Tensor texts = Tensor.ofStrings(Shape.of(2), "a", "b");
        ValueType text = ValueType.tensor(ElementType.STRING, Shape.SCALAR);
        assertThat(collected(2, text, "Gather", texts).strings()).containsExactly("a", "b");
    }

    @Test
    void withoutAStepTheDeclaredTypeIsCollectedOrTheMissingOneNamed() {
        ValueType rows = ValueType.tensor(ElementType.INT64, Shape.of(2, 3));
        assertThat(collected(0, rows, "Add", Tensor.scalar(0L)).shape()).isEqualTo(Shape.of(0, 2, 3));
        refused(Status.INVALID_GRAPH, () -> collected(0, null, "Add", Tensor.scalar(0L)))
                .hasMessageContaining("no step was run and the type of")
                .hasMessageContaining("is not declared");
    }

    @Test
    void sequencesAreCarriedAlong() {
        var body = new NestedBody();
        Value trip = body.input("trip", WHOLE);
        Value goOn = body.input("goOn", TRUTH);
        Value longer = body.op("SequenceInsert", body.input("all", null), trip);
        Attribute attribute =
                body.gives(body.op("Identity", goOn), TRUTH).gives(longer, null).attribute();
        var all = (TensorSequence) OneNode.onnx("Loop", 21)
                .with("body", attribute)
                .runAll(Tensor.scalar(3L), truth(true), TensorSequence.of())
                .getFirst();
        assertThat(all.elements().stream().mapToLong(each -> longs(each)[0])).containsExactly(0L, 1L, 2L);
    }

    @Test
    void loopsThatDoNotFitAreRefused() {
        Tensor zero = Tensor.scalar(0L);
        refused(Status.INVALID_GRAPH, () -> sums().runAll(Tensor.scalar(1L), truth(true)))
                .hasMessageContaining("a body of 3 inputs and 3 outputs does not fit 0 carried values and 2 outputs");
        refused(Status.INVALID_GRAPH, () -> sums().outputs(3).runAll(Tensor.scalar(1L), truth(true), zero))
                .hasMessageContaining("does not fit 1 carried values and 3 outputs");
        refused(Status.INVALID_ARGUMENT, () -> sums().runAll(Tensor.copyOf(new long[2], 2), null, zero))
                .hasMessageContaining("the trip count is one integer, not");
    }

    /** Adds a scanned row to a state and gives the sum twice. */
    private static OneNode scan(long rows) {
        ValueType row = ValueType.tensor(ElementType.FLOAT, Shape.of(rows));
        var body = new NestedBody();
        Value sum = body.op("Add", body.input("state", row), body.input("step", row));
        return OneNode.onnx("Scan", 16)
                .with(
                        "body",
                        body.gives(sum, row).gives(body.op("Neg", sum), row).attribute())
                .with("num_scan_inputs", 1)
                .outputs(2);
    }

    private static final Tensor STATE = Tensor.copyOf(new float[] {100, 200}, 2);

    @ParameterizedTest
    @ValueSource(longs = {1, -1})
    void anyAxisIsScannedAndCollected(long axis) {
        Tensor steps = Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6}, 2, 3);
        List<Datum> results = scan(2).withAll("scan_input_axes", axis)
                .withAll("scan_output_axes", axis)
                .runAll(STATE, steps);
        assertThat(((Tensor) results.get(0)).floats()).containsExactly(106, 215);
        assertThat(shape(results.get(1))).isEqualTo(Shape.of(2, 3));
        assertThat(((Tensor) results.get(1)).floats()).containsExactly(-101, -103, -106, -204, -209, -215);
        List<Datum> backward = scan(2).withAll("scan_input_axes", axis)
                .withAll("scan_input_directions", 1)
                .withAll("scan_output_directions", 1)
                .runAll(STATE, steps);
        assertThat(((Tensor) backward.get(1)).floats()).containsExactly(-106, -215, -105, -211, -103, -206);
    }

    @Test
    void nothingIsScannedToTheFirstState() {
        Tensor none = Tensor.allocate(ElementType.FLOAT, Shape.of(0, 2));
        List<Datum> results = scan(2).runAll(STATE, none);
        assertThat(((Tensor) results.get(0)).floats()).containsExactly(100, 200);
        assertThat(shape(results.get(1))).isEqualTo(Shape.of(0, 2));
    }

    @Test
    void scansThatDoNotFitAreRefused() {
        Tensor steps = Tensor.copyOf(new float[6], 3, 2);
        refused(Status.INVALID_GRAPH, () -> scan(2).with("num_scan_inputs", 3).runAll(STATE, steps))
                .hasMessageContaining("a body of 2 inputs and 2 outputs does not fit 3 scanned inputs among 2");
        refused(Status.INVALID_GRAPH, () -> scan(2).runAll(STATE, steps, steps))
                .hasMessageContaining("does not fit 1 scanned inputs among 3");
        refused(Status.INVALID_GRAPH, () -> scan(2).outputs(3).runAll(STATE, steps))
                .hasMessageContaining("does not fit");
        OneNode two = scan(2).with("num_scan_inputs", 2);
        refused(Status.INVALID_ARGUMENT, () -> two.runAll(steps, Tensor.copyOf(new float[8], 4, 2)))
                .hasMessageContaining("scanned inputs have 3 and 4 steps");
    }

    /** The steps of a loop that grows what it carries have other shapes each time. */
    @Test
    void stepsOfOtherShapesAreNotStacked() {
        var body = new NestedBody();
        Value trip = body.input("trip", WHOLE);
        Value goOn = body.input("goOn", TRUTH);
        Value ones = body.op("Expand", trip, body.op("Reshape", trip, body.constant(Tensor.copyOf(new long[] {1}, 1))));
        Attribute attribute =
                body.gives(body.op("Identity", goOn), TRUTH).gives(ones, null).attribute();
        refused(
                        Status.INVALID_ARGUMENT,
                        () -> OneNode.onnx("Loop", 21).with("body", attribute).run(Tensor.scalar(3L), truth(true)))
                .hasMessageContaining("cannot put");
    }
}
