package dev.millrace.cli.quantize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import org.junit.jupiter.api.Test;

class OutputErrorTest {
    private static OutputError of(String name, Tensor expected, Tensor actual) {
        var error = new OutputError(name);
        error.add(expected, actual);
        return error;
    }

    @Test
    void theDifferencesOfAllSamplesCount() {
        OutputError error = of("y", Tensor.copyOf(new float[] {3, 0}, 2), Tensor.copyOf(new float[] {3, 1}, 2));
        error.add(Tensor.copyOf(new float[] {0, 4}, 2), Tensor.copyOf(new float[] {0, 2}, 2));
        assertThat(error.largest()).isEqualTo(2);
        assertThat(error.relative()).isEqualTo(Math.sqrt(5 / 25.0), within(1e-12));
        assertThat(error.cosine()).isEqualTo(17 / Math.sqrt(25.0 * 14), within(1e-12));
        assertThat(error.rows()).isZero();
    }

    @Test
    void theLargestScoresOfEachRowAreCompared() {
        Tensor expected = Tensor.copyOf(new float[] {1, 2, 3, 9, 8, 7}, 1, 2, 3);
        Tensor actual = Tensor.copyOf(new float[] {1, 2, 2.5f, 7, 8, 7}, 1, 2, 3);
        OutputError error = of("Logits", expected, actual);
        assertThat(error.rows()).isEqualTo(2);
        assertThat(error.equalRows()).isEqualTo(1);
        assertThat(of("hidden", expected, actual).rows()).isZero();
        Tensor many = Tensor.copyOf(new float[3000], 3, 1000);
        assertThat(of("hidden", many, many).rows()).isEqualTo(3);
    }

    @Test
    void equalResultsHaveNoDifference() {
        Tensor odd = Tensor.copyOf(new float[] {Float.NaN, Float.POSITIVE_INFINITY, 0}, 3);
        OutputError error = of("y", odd, odd);
        assertThat(error.largest()).isZero();
        assertThat(error.relative()).isZero();
        assertThat(error.cosine()).isEqualTo(1);
    }

    @Test
    void numbersThatAreNoneAndOtherShapesAreInfinitelyFar() {
        Tensor one = Tensor.copyOf(new float[] {1}, 1);
        assertThat(of("y", one, Tensor.copyOf(new float[] {Float.NaN}, 1)).largest())
                .isInfinite();
        OutputError shapes = of("y", one, Tensor.copyOf(new float[] {1, 1}, 2));
        assertThat(shapes.largest()).isInfinite();
        assertThat(shapes.relative()).isInfinite();
    }
}
