package dev.millrace.bench.agree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.OptionalDatum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class JudgeTest {
    private static final ModelFileFacts PLAIN = new ModelFileFacts(null, false, Set.of(), false);

    private Judge judge = new Judge(Tolerances.of(List.of()), PLAIN);

    private static Tensor floats(float... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor strings(String... values) {
        return Tensor.ofStrings(Shape.of(values.length), values);
    }

    private @Nullable String difference(Datum expected, Datum actual) {
        return judge.difference(Map.of("y", expected), Map.of("y", actual));
    }

    @Test
    void distancesAreRelativeToTheLargestOfTheOutput() {
        assertThat(difference(floats(1000, 0), floats(1000, 0.05f))).isNull();
        assertThat(judge.worst()).isBetween(4e-5, 6e-5);
        assertThat(difference(floats(1000, 0), floats(1000, 0.5f)))
                .isEqualTo("output 'y' differs in 1 of 2 numbers, worst at 1: 0.5, expected 0.0");
        assertThat(judge.worst()).isEqualTo(5e-4);
    }

    @Test
    void numbersNextToNothingAreNothing() {
        assertThat(difference(floats(0), floats(9e-8f))).isNull();
        assertThat(difference(floats(0), floats(2e-7f))).isNotNull();
    }

    @Test
    void notANumberIsWhereTheOtherHasItAndNowhereElse() {
        assertThat(difference(floats(Float.NaN, 1), floats(Float.NaN, 1))).isNull();
        assertThat(difference(floats(Float.NaN, 1), floats(0, 1))).contains("1 of 2", "0.0, expected NaN");
        assertThat(difference(floats(0, 1), floats(Float.NaN, 1))).contains("NaN, expected 0.0");
    }

    @Test
    void infinitiesAreTheSame() {
        float infinity = Float.POSITIVE_INFINITY;
        assertThat(difference(floats(infinity, -infinity), floats(infinity, -infinity)))
                .isNull();
        assertThat(difference(floats(infinity), floats(-infinity))).isNotNull();
        assertThat(difference(floats(infinity), floats(Float.MAX_VALUE))).isNotNull();
        assertThat(difference(floats(Float.MAX_VALUE), floats(infinity))).isNotNull();
        assertThat(judge.worst()).isInfinite();
    }

    @Test
    void minusZeroIsZero() {
        assertThat(difference(floats(0f), floats(-0f))).isNull();
        assertThat(judge.worst()).isZero();
    }

    @Test
    void wholeNumbersAreEqualHoweverLargeButForStepsOfBytes() {
        assertThat(difference(Tensor.scalar(1L << 60), Tensor.scalar((1L << 60) + 1)))
                .contains("1152921504606846977, expected 1152921504606846976");
        assertThat(difference(Tensor.copyOf(new byte[] {7, 7}, 2), Tensor.copyOf(new byte[] {8, 6}, 2)))
                .isNull();
        assertThat(difference(Tensor.copyOf(new byte[] {7, 7}, 2), Tensor.copyOf(new byte[] {9, 7}, 2)))
                .isNotNull();
        assertThat(difference(Tensor.scalar(true), Tensor.scalar(false))).isNotNull();
    }

    @Test
    void typesShapesAndNamesAreEqual() {
        assertThat(difference(floats(1, 2), Tensor.copyOf(new double[] {1, 2}, 2)))
                .isEqualTo("output 'y' has type double, expected float");
        assertThat(difference(floats(1, 2), Tensor.copyOf(new float[] {1, 2}, 1, 2)))
                .isEqualTo("output 'y' has shape [1, 2], expected [2]");
        assertThat(judge.difference(Map.of("y", floats(1)), Map.of("z", floats(1))))
                .isEqualTo("has outputs [z], expected [y]");
    }

    @Test
    void theOrderOfOutputsCounts() {
        var one = new LinkedHashMap<String, Datum>();
        one.put("a", floats(1));
        one.put("b", floats(1));
        assertThat(judge.difference(one, one)).isNull();
        assertThat(judge.difference(one, one.reversed())).isNotNull();
    }

    @Test
    void stringsAreEqual() {
        assertThat(difference(strings("a", "Straße"), strings("a", "Straße"))).isNull();
        assertThat(difference(strings("a"), strings("b"))).contains("string 0 is \"b\", expected \"a\"");
    }

    @Test
    void sequencesAndMapsAgreeInAllThatTheyHold() {
        var sequence = TensorSequence.of(floats(1), floats(2, 3));
        assertThat(difference(sequence, TensorSequence.of(floats(1), floats(2, 3))))
                .isNull();
        assertThat(difference(sequence, TensorSequence.of(floats(1), floats(2, 4))))
                .contains("element 1");
        assertThat(difference(sequence, TensorSequence.of(floats(1)))).contains("1 elements, expected 2");
        assertThat(difference(sequence, floats(1))).contains("is a Tensor, expected a TensorSequence");
        var map = new MapDatum(ElementType.INT64, Map.of(1L, Tensor.scalar(1f)));
        assertThat(difference(map, new MapDatum(ElementType.INT64, Map.of(1L, Tensor.scalar(1f)))))
                .isNull();
        assertThat(difference(map, new MapDatum(ElementType.INT64, Map.of(1L, Tensor.scalar(2f)))))
                .contains("key 1");
        assertThat(difference(map, new MapDatum(ElementType.INT64, Map.of(2L, Tensor.scalar(1f)))))
                .contains("has keys [2]");
    }

    @Test
    void anOptionalIsWhatIsInItWhereTheOtherSideDoesNotWrapIt() {
        assertThat(difference(floats(1), new OptionalDatum(floats(1)))).isNull();
        assertThat(difference(floats(1), new OptionalDatum(floats(2)))).isNotNull();
        assertThat(difference(floats(1), OptionalDatum.EMPTY)).isNotNull();
        assertThat(difference(OptionalDatum.EMPTY, OptionalDatum.EMPTY)).isNull();
        assertThat(difference(OptionalDatum.EMPTY, floats(1))).isNotNull();
    }

    @Test
    void coarseTypesInsideAModelLoosenItsFloats() {
        Set<ElementType> half = Set.of(ElementType.FLOAT, ElementType.FLOAT16);
        assertThat(difference(floats(1), floats(1.001f))).isNotNull();
        judge = new Judge(Tolerances.of(List.of()), new ModelFileFacts(null, false, half, false));
        assertThat(difference(floats(1), floats(1.001f))).isNull();
        judge = new Judge(Tolerances.of(List.of("float16=1e-4")), new ModelFileFacts(null, false, half, false));
        assertThat(difference(floats(1), floats(1.001f))).isNotNull();
        judge = new Judge(Tolerances.of(List.of()), new ModelFileFacts(null, false, Set.of(), true));
        assertThat(difference(floats(1), floats(1.01f))).isNull();
    }

    @Test
    void ofRandomNumbersTypesAndShapesCount() {
        judge = new Judge(Tolerances.of(List.of()), new ModelFileFacts(null, true, Set.of(), false));
        assertThat(difference(floats(1), floats(7))).isNull();
        assertThat(difference(floats(1), floats(1, 2))).isNotNull();
    }
}
