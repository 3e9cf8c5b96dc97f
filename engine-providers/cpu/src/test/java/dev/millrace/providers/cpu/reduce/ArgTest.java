package dev.millrace.providers.cpu.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import org.junit.jupiter.api.Test;

class ArgTest {
    private static final float NAN = Float.NaN;
    private static final float INFINITY = Float.POSITIVE_INFINITY;

    private static long place(String operator, float... lane) {
        return OneNode.onnx(operator, 13)
                .with("keepdims", 0)
                .run(Tensor.copyOf(lane, lane.length))
                .longs()[0];
    }

    @Test
    void whatIsNoNumberIsTheExtremeOnlyWhereThereIsNothingElse() {
        assertThat(place("ArgMax", NAN, 1, 2)).isEqualTo(2);
        assertThat(place("ArgMin", NAN, 2, 1)).isEqualTo(2);
        assertThat(place("ArgMax", 1, NAN, 0)).isZero();
        assertThat(place("ArgMax", NAN, -INFINITY)).isOne();
        assertThat(place("ArgMax", NAN, NAN)).isZero();
    }

    @Test
    void infinitiesAreNumbers() {
        assertThat(place("ArgMax", -INFINITY, INFINITY, INFINITY)).isOne();
        assertThat(place("ArgMin", INFINITY, -INFINITY, 0)).isOne();
    }
}
