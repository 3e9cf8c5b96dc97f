package dev.millrace.kernels.fft;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.kernels.fft.Sinusoids.Order;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SinusoidsTest {
    private static final int POINTS = 128;

    private final float[][] rows = SinusoidRows.of(window(), -1);

    private static float[] window() {
        float[] window = new float[POINTS];
        for (int i = 0; i < POINTS; i++) {
            window[i] = (float) (0.5 - 0.5 * Math.cos(2 * Math.PI * i / POINTS));
        }
        return window;
    }

    private static Order order(float[] first, float[] second) {
        var sinusoids = new Sinusoids(POINTS);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment packed = arena.allocate(sinusoids.packedBytes());
            sinusoids.pack(MemorySegment.ofArray(first), MemorySegment.ofArray(second), packed);
            return Sinusoids.order(packed);
        }
    }

    @Test
    void transformsAreFoundInEitherOrder() {
        assertThat(order(rows[0], rows[1])).isEqualTo(Order.COSINES_FIRST);
        assertThat(order(rows[1], rows[0])).isEqualTo(Order.SINES_FIRST);
    }

    @Test
    void sinesMayHaveEitherSign() {
        float[][] others = SinusoidRows.of(window(), 1);
        assertThat(order(others[0], others[1])).isEqualTo(Order.COSINES_FIRST);
    }

    @Test
    void oneWeightThatIsOffMakesItNoTransform() {
        for (int row = 0; row < 2; row++) {
            float[][] off = {rows[0].clone(), rows[1].clone()};
            off[row][17 * POINTS + 70] += 1e-5f;
            assertThat(order(off[0], off[1])).isEqualTo(Order.NONE);
            off[row][17 * POINTS + 70] = Float.NaN;
            assertThat(order(off[0], off[1])).isEqualTo(Order.NONE);
        }
    }

    @Test
    void otherWeightsAreNoTransform() {
        float[] ones = new float[rows[0].length];
        Arrays.fill(ones, 1);
        assertThat(order(ones, ones)).isEqualTo(Order.NONE);
        assertThat(order(new float[ones.length], new float[ones.length])).isEqualTo(Order.NONE);
        assertThat(order(rows[0], rows[0])).isEqualTo(Order.NONE);
    }

    @Test
    void lengthsArePowersOfTwo() {
        assertThat(Sinusoids.isLength(512)).isTrue();
        assertThat(Sinusoids.isLength(400)).isFalse();
        assertThat(Sinusoids.isLength(32)).isFalse();
        assertThat(Sinusoids.isLength(1 << 13)).isFalse();
    }
}
