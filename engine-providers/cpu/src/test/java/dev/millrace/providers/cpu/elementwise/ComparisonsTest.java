package dev.millrace.providers.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import org.junit.jupiter.api.Test;

class ComparisonsTest {
    private static final double[] DOUBLES = {
        0,
        -0.0,
        1,
        -1,
        1.5,
        Double.MIN_VALUE,
        -Double.MIN_VALUE,
        Math.nextUp(1.0),
        Double.MAX_VALUE,
        -Double.MAX_VALUE,
        Double.POSITIVE_INFINITY,
        Double.NEGATIVE_INFINITY,
        Double.NaN
    };
    private static final long[] LONGS = {0, 1, -1, 7, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE, Long.MIN_VALUE + 1};

    @Test
    void doublesAreOrderedAsJavaOrdersThem() {
        Tensor columns = Tensor.copyOf(DOUBLES, DOUBLES.length, 1);
        Tensor rows = Tensor.copyOf(DOUBLES, DOUBLES.length);
        boolean[] less = OneNode.onnx("Less", 13).run(columns, rows).booleans();
        boolean[] greater = OneNode.onnx("Greater", 13).run(columns, rows).booleans();
        boolean[] equal = OneNode.onnx("Equal", 13).run(columns, rows).booleans();
        boolean[] notMore = OneNode.onnx("LessOrEqual", 16).run(columns, rows).booleans();
        boolean[] notLess =
                OneNode.onnx("GreaterOrEqual", 16).run(columns, rows).booleans();
        for (int i = 0; i < less.length; i++) {
            double x = DOUBLES[i / DOUBLES.length];
            double y = DOUBLES[i % DOUBLES.length];
            assertThat(less[i]).as("%s < %s", x, y).isEqualTo(x < y);
            assertThat(greater[i]).as("%s > %s", x, y).isEqualTo(x > y);
            assertThat(equal[i]).as("%s = %s", x, y).isEqualTo(x == y);
            assertThat(notMore[i]).as("%s <= %s", x, y).isEqualTo(x <= y);
            assertThat(notLess[i]).as("%s >= %s", x, y).isEqualTo(x >= y);
        }
    }

    @Test
    void longsAreOrderedAsJavaOrdersThem() {
        Tensor columns = Tensor.copyOf(LONGS, LONGS.length, 1);
        Tensor rows = Tensor.copyOf(LONGS, LONGS.length);
        boolean[] equal = OneNode.onnx("Equal", 13).run(columns, rows).booleans();
        boolean[] less = OneNode.onnx("Less", 13).run(columns, rows).booleans();
        boolean[] greater = OneNode.onnx("Greater", 13).run(columns, rows).booleans();
        boolean[] notMore = OneNode.onnx("LessOrEqual", 16).run(columns, rows).booleans();
        boolean[] notLess =
                OneNode.onnx("GreaterOrEqual", 16).run(columns, rows).booleans();
        for (int i = 0; i < less.length; i++) {
            long x = LONGS[i / LONGS.length];
            long y = LONGS[i % LONGS.length];
            assertThat(equal[i]).as("%s = %s", x, y).isEqualTo(x == y);
            assertThat(less[i]).as("%s < %s", x, y).isEqualTo(x < y);
            assertThat(greater[i]).as("%s > %s", x, y).isEqualTo(x > y);
            assertThat(notMore[i]).as("%s <= %s", x, y).isEqualTo(x <= y);
            assertThat(notLess[i]).as("%s >= %s", x, y).isEqualTo(x >= y);
        }
    }
}
