package dev.millrace.providers.cpu.move;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.kernel.LaunchContext;
import dev.millrace.scheduler.kernel.RangeTask;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StridedViewCopyTest {
    /** Runs each item in a range of its own, the last first, as idle workers might. */
    private record Scattered(MemorySegment from, MemorySegment to) implements LaunchContext {
        @Override
        public MemorySegment input(int index) {
            return from;
        }

        @Override
        public MemorySegment output(int index) {
            return to;
        }

        @Override
        public String[] inputStrings(int index) {
            throw new UnsupportedOperationException();
        }

        @Override
        public String[] outputStrings(int index) {
            throw new UnsupportedOperationException();
        }

        @Override
        public MemorySegment workspace() {
            return MemorySegment.NULL;
        }

        @Override
        public void parallelFor(long items, long grain, RangeTask task) {
            for (long item = items - 1; item >= 0; item--) {
                task.run(this, item, item + 1, new Scratch());
            }
        }

        @Override
        public Scratch scratch() {
            return new Scratch();
        }

        @Override
        public void checkCancelled() {}
    }

    @ParameterizedTest
    @CsvSource({
        "1,1,200000,0,1,2",
        "3,70,90,0,2,1",
        "3,70,90,2,1,0",
        "3,70,90,1,2,0",
        "5,2,40,1,0,2",
        "40,3,50,2,0,1",
        "1,100,1,2,1,0",
        "70,90,2,1,0,2",
        "7,91,2,0,2,1"
    })
    void givesTheSameWhateverTheStripes(long a, long b, long c, int p, int q, int r) {
        Shape in = Shape.of(a, b, c);
        float[] values = new float[(int) in.elements()];
        for (int i = 0; i < values.length; i++) {
            values[i] = i;
        }
        Tensor source = Tensor.copyOf(values, a, b, c);
        long[] strides = in.strides();
        Shape out = Shape.of(in.dim(p), in.dim(q), in.dim(r));
        long[] steps = {strides[p], strides[q], strides[r]};
        var copy = StridedViewCopy.toWhole(4, out, 0, steps);

        Tensor whole = Tensor.allocate(source.type(), out);
        copy.run(source.segment(), whole.segment());
        Tensor striped = Tensor.allocate(source.type(), out);
        copy.launch(0, 0).run(new Scattered(source.segment(), striped.segment()));

        float[] expected = new float[values.length];
        int at = 0;
        for (long x = 0; x < out.dim(0); x++) {
            for (long y = 0; y < out.dim(1); y++) {
                for (long z = 0; z < out.dim(2); z++) {
                    expected[at++] = x * steps[0] + y * steps[1] + z * steps[2];
                }
            }
        }
        assertThat(whole.floats()).isEqualTo(expected);
        assertThat(striped.floats()).isEqualTo(expected);
    }
}
