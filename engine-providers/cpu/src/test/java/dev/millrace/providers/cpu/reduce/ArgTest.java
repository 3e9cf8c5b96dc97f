package dev.millrace.providers.cpu.reduce;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.util.Arrays;
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
    void theLastOfNothingButNaNsIsFoundInRowsAndInColumns() {
        OneNode last = OneNode.onnx("ArgMax", 13).with("keepdims", 0).with("select_last_index", 1);
        float[] row = {NAN, -INFINITY, NAN};
        assertThat(last.run(Tensor.copyOf(row, 3)).longs()).containsExactly(1);
        assertThat(last.run(Tensor.copyOf(new float[] {NAN, NAN, NAN}, 3)).longs())
                .containsExactly(2);
        float[] columns = new float[3 * 9];
        Arrays.fill(columns, NAN);
        columns[9] = -INFINITY;
        assertThat(last.run(Tensor.copyOf(columns, 3, 9)).longs()).containsExactly(1, 2, 2, 2, 2, 2, 2, 2, 2);
    }

    @Test
    void infinitiesAreNumbers() {
        assertThat(place("ArgMax", -INFINITY, INFINITY, INFINITY)).isOne();
        assertThat(place("ArgMin", INFINITY, -INFINITY, 0)).isOne();
    }
}
