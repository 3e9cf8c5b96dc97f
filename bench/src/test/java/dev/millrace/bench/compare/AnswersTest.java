package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswersTest {
    private static Map<String, Tensor> floats(float... values) {
        return Map.of("y", Tensor.copyOf(values, values.length));
    }

    @Test
    void distancesAreRelativeToTheLargestOutput() {
        assertThat(Answers.relativeDiff(floats(1, -99), floats(0, -100))).isEqualTo(0.01);
        assertThat(Answers.relativeDiff(floats(0), floats(0))).isZero();
    }

    @Test
    void otherShapesAndNamesAreInfinitelyFar() {
        assertThat(Answers.relativeDiff(floats(1), floats(1, 1))).isInfinite();
        assertThat(Answers.relativeDiff(floats(1), Map.of())).isInfinite();
        assertThat(Answers.relativeDiff(Map.of(), floats(1))).isInfinite();
    }

    @Test
    void whatOnlyOneSideHasAsNaNIsInfinitelyFar() {
        assertThat(Answers.relativeDiff(floats(Float.NaN), floats(1))).isInfinite();
        assertThat(Answers.relativeDiff(floats(Float.NaN), floats(Float.NaN))).isZero();
    }
}
