package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Layouts;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class PanelProductTest {
    private static final OpId LINEAR = new OpId(OpId.MILLRACE, "Linear");

    private final PanelProduct product = new PanelProduct();

    @Test
    void uprightAndTransposedWeightsPackAlike() {
        int k = 133;
        int n = 517;
        float[] upright = new float[k * n];
        float[] transposed = new float[k * n];
        for (int i = 0; i < k; i++) {
            for (int j = 0; j < n; j++) {
                upright[i * n + j] = i * n + j;
                transposed[j * k + i] = i * n + j;
            }
        }
        byte[] packed = packed(upright, false, k, n);
        assertThat(packed(transposed, true, k, n)).isEqualTo(packed);
        assertThat(packed).hasSize(k * n * 4);
        float[] sorted = floats(packed);
        Arrays.sort(sorted);
        assertThat(sorted).isEqualTo(upright);
    }

    private byte[] packed(float[] weights, boolean transposed, int k, int n) {
        MemorySegment target = Arena.ofAuto().allocate(product.packedBytes(k, n), 64);
        product.pack(Tensor.copyOf(weights, weights.length).segment(), transposed, k, n, target);
        return target.toArray(ValueLayout.JAVA_BYTE);
    }

    private static float[] floats(byte[] bytes) {
        return MemorySegment.ofArray(bytes).toArray(Layouts.FLOAT);
    }

    @Test
    void sizesBeyondLongAreRefused() {
        assertThatThrownBy(() -> product.packedBytes(1L << 40, 1L << 40)).isInstanceOf(ArithmeticException.class);
    }

    @Test
    void aRowIsTheSameToTheBitInWhateverTileItLies() {
        int k = 531;
        int n = 300;
        var part = new PartitionUnderTest(1);
        Value x = part.input(70, k);
        part.output(part.op(LINEAR, Attributes.NONE, x, part.constant(k, n), part.constant(n)));
        SimdKernel kernel = part.compile();
        Tensor all = part.randomInputs().getFirst();
        float[] expected = part.run(kernel, List.of(all)).getFirst();
        for (int rows = 1; rows <= 19; rows++) {
            int from = 70 - rows;
            MemorySegment slice = all.segment().asSlice(4L * from * k);
            Tensor some = Tensor.wrap(all.type(), Shape.of(rows, k), slice);
            assertThat(part.run(kernel, List.of(some)).getFirst())
                    .isEqualTo(Arrays.copyOfRange(expected, from * n, 70 * n));
        }
    }

    @Test
    void garbageInTheScratchArraysDoesNotShow() {
        var part = new PartitionUnderTest(2);
        part.output(part.op("MatMul", part.input(3, 5), part.constant(5, 7)));
        List<Tensor> inputs = part.randomInputs();
        var run = new SplitRun(part.compile(), part.partition().fused(), inputs, List.of(Shape.of(3, 7)), true);
        for (int slot = 0; slot < 8; slot++) {
            for (long item = 0; item < 2; item++) {
                int at = slot;
                run.parallelFor(2, 1, (context, from, to, scratch) -> Arrays.fill(scratch.floats(at, 9000), Float.NaN));
            }
        }
        assertThat(run.run().getFirst())
                .isEqualTo(part.run(part.compile(), inputs).getFirst());
    }
}
