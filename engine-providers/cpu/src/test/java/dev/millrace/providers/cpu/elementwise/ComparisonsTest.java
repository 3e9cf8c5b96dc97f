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

    /** The expected result for two numbers of a list. */
    private interface Truth {
        boolean of(int x, int y);
    }

    /** Compares each number of a list with each. */
    private static void agrees(String operator, Tensor numbers, Truth expected) {
        int count = (int) numbers.elements();
        Tensor column = OneNode.onnx("Unsqueeze", 13).run(numbers, Tensor.copyOf(new long[] {1}, 1));
        boolean[] truths = OneNode.onnx(operator, 16).run(column, numbers).booleans();
        assertThat(truths).hasSize(count * count);
        for (int i = 0; i < truths.length; i++) {
            assertThat(truths[i])
                    .as("%s of numbers %d and %d", operator, i / count, i % count)
                    .isEqualTo(expected.of(i / count, i % count));
        }
    }

    @Test
    void doublesAreOrderedAsJavaOrdersThem() {
        Tensor numbers = Tensor.copyOf(DOUBLES, DOUBLES.length);
        agrees("Equal", numbers, (x, y) -> DOUBLES[x] == DOUBLES[y]);
        agrees("Less", numbers, (x, y) -> DOUBLES[x] < DOUBLES[y]);
        agrees("Greater", numbers, (x, y) -> DOUBLES[x] > DOUBLES[y]);
        agrees("LessOrEqual", numbers, (x, y) -> DOUBLES[x] <= DOUBLES[y]);
        agrees("GreaterOrEqual", numbers, (x, y) -> DOUBLES[x] >= DOUBLES[y]);
    }

    @Test
    void longsAreOrderedAsJavaOrdersThem() {
        Tensor numbers = Tensor.copyOf(LONGS, LONGS.length);
        agrees("Equal", numbers, (x, y) -> LONGS[x] == LONGS[y]);
        agrees("Less", numbers, (x, y) -> LONGS[x] < LONGS[y]);
        agrees("Greater", numbers, (x, y) -> LONGS[x] > LONGS[y]);
        agrees("LessOrEqual", numbers, (x, y) -> LONGS[x] <= LONGS[y]);
        agrees("GreaterOrEqual", numbers, (x, y) -> LONGS[x] >= LONGS[y]);
    }
}
