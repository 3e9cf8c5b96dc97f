package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.management.ManagementFactory;
import java.util.List;
import org.junit.jupiter.api.Test;

class SteadyStateTest {
    private static final OpId LINEAR = new OpId(OpId.MILLRACE, "Linear");

    @Test
    void aBoundLaunchAllocatesNothing() {
        var part = new PartitionUnderTest(1);
        Value x = part.input(9, 70);
        Value row = part.op("Exp", part.input(270));
        Value wide = part.op(
                LINEAR,
                Attributes.of("activation", Attribute.of("Gelu")),
                x,
                part.constant(70, 270),
                part.constant(270));
        part.output(part.op("Sub", part.op("Softplus", part.op("Mul", wide, row)), part.input(9, 1)));
        SplitRun run = new SplitRun(
                part.compile(), part.partition().fused(), part.randomInputs(), List.of(Shape.of(9, 270)), true);
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long least = Long.MAX_VALUE;
        for (int round = 0; round < 200 && least > 0; round++) {
            long before = threads.getCurrentThreadAllocatedBytes();
            for (int i = 0; i < 20; i++) {
                run.launch().run(run);
            }
            least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
        }
        assertThat(least).isZero();
    }

    /** C2 leaves loops scalar for many small reasons; then the product would run at the speed of the plain loop. */
    @Test
    void theProductIsSeveralTimesFasterThanAPlainLoop() {
        int m = 128;
        int k = 768;
        int n = 768;
        var part = new PartitionUnderTest(1);
        part.output(part.op(LINEAR, Attributes.NONE, part.input(m, k), part.constant(k, n), part.constant(n)));
        List<Tensor> inputs = part.randomInputs();
        SplitRun run = new SplitRun(part.compile(), part.partition().fused(), inputs, List.of(Shape.of(m, n)), false);
        float[] x = inputs.getFirst().floats();
        float[] w = part.randomTensor(Shape.of(k, n)).floats();
        float[] y = new float[n];
        long fast = Long.MAX_VALUE;
        long plain = Long.MAX_VALUE;
        for (int round = 0; round < 60; round++) {
            long start = System.nanoTime();
            run.launch().run(run);
            long middle = System.nanoTime();
            plainRow(x, w, y, k, n);
            fast = Math.min(fast, middle - start);
            plain = Math.min(plain, System.nanoTime() - middle);
        }
        System.out.printf(
                "%d×%d×%d on one thread: %.1f GFLOP/s, a plain loop %.1f%n",
                m, k, n, 2.0 * m * k * n / fast, 2.0 * k * n / plain);
        assertThat((double) plain * m / fast).isGreaterThan(4);
    }

    /** One row of a product as anyone would write it. */
    private static void plainRow(float[] x, float[] w, float[] y, int k, int n) {
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int p = 0; p < k; p++) {
                sum += x[p] * w[p * n + j];
            }
            y[j] = sum;
        }
    }
}
