package dev.millrace.providers.cpu.elementwise;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.util.Random;
import org.junit.jupiter.api.Test;

class OwnLoopsTest {
    private static final int MANY = 20_000;

    private final Random random = new Random();

    @Test
    void aFunctionHasOneLoopAndAnotherFunctionAnotherOne() {
        var sum = new LongPairLoop(Long::sum);
        var product = new LongPairLoop((x, y) -> x * y);
        Binary.Longs first = OwnLoops.of((Binary.Longs) sum, MANY);
        Binary.Longs other = OwnLoops.of((Binary.Longs) product, MANY);
        assertThat(first.getClass()).isNotIn(LongPairLoop.class, other.getClass());
        assertThat(OwnLoops.of((Binary.Longs) sum, MANY).getClass()).isSameAs(first.getClass());
        assertThat(OwnLoops.of((Binary.Longs) sum, 10)).isSameAs(sum);
    }

    @Test
    void manyNumbersAreComputedLikeFew() {
        long[] x = random.longs(MANY, -100, 100).toArray();
        long[] y = random.longs(MANY, 1, 100).toArray();
        long[] quotients = OneNode.onnx("Div", 14)
                .run(Tensor.copyOf(x, MANY), Tensor.copyOf(y, MANY))
                .longs();
        long[] magnitudes = OneNode.onnx("Abs", 13).run(Tensor.copyOf(x, MANY)).longs();
        double[] halves = random.doubles(MANY, -2, 2).toArray();
        Tensor floors = OneNode.onnx("Floor", 13).run(Tensor.copyOf(halves, MANY));
        double[] rests =
                OneNode.onnx("Sub", 14).run(floors, Tensor.copyOf(halves, MANY)).doubles();
        for (int i = 0; i < MANY; i++) {
            assertThat(quotients[i]).isEqualTo(x[i] / y[i]);
            assertThat(magnitudes[i]).isEqualTo(Math.abs(x[i]));
            assertThat(rests[i]).isEqualTo(Math.floor(halves[i]) - halves[i]);
        }
    }
}
