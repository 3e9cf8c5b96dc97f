package dev.millrace.providers.cpu.signal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.kernel.RunServices;
import dev.millrace.scheduler.pool.Scratch;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FourierTest {
    private static final RunServices RUN = new RunServices() {
        @Override
        public void parallelFor(long items, long grain, RangeTask task) {
            throw new AssertionError("one transform is one item");
        }

        @Override
        public Scratch scratch() {
            throw new AssertionError("it is given");
        }

        @Override
        public void checkCancelled() {}
    };

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 8, 12, 17, 31, 32, 100, 127, 128, 400})
    void agreesWithTheDefinitionAndInverts(int n) {
        var random = new Random(n);
        double[] re = random.doubles(n, -1, 1).toArray();
        double[] im = random.doubles(n, -1, 1).toArray();
        double[] x = re.clone();
        double[] y = im.clone();
        var plan = new Fourier(n, RUN);
        var scratch = new Scratch();
        plan.transform(x, y, false, scratch, RUN);
        for (int k = 0; k < n; k++) {
            double a = 0;
            double b = 0;
            for (int i = 0; i < n; i++) {
                double angle = -2 * Math.PI * ((long) i * k % n) / n;
                a += re[i] * Math.cos(angle) - im[i] * Math.sin(angle);
                b += re[i] * Math.sin(angle) + im[i] * Math.cos(angle);
            }
            assertThat(x[k]).isCloseTo(a, within(1e-10));
            assertThat(y[k]).isCloseTo(b, within(1e-10));
        }
        plan.transform(x, y, true, scratch, RUN);
        for (int i = 0; i < n; i++) {
            assertThat(x[i] / n).isCloseTo(re[i], within(1e-12));
            assertThat(y[i] / n).isCloseTo(im[i], within(1e-12));
        }
    }
}
