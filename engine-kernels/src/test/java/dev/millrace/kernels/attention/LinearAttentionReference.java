package dev.millrace.kernels.attention;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** Linear attention in double, as it is defined. */
final class LinearAttentionReference {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    final double[] state;
    final double[] out;
    private final LinearAttention.Shape shape;
    private final LinearAttention.Operands operands;
    private final int decays;

    LinearAttentionReference(LinearAttention.Shape shape, LinearAttention.Operands operands, int decays) {
        this.shape = shape;
        this.operands = operands;
        this.decays = decays;
        state = new double[(int) shape.stateElements()];
        for (int i = 0; i < state.length; i++) {
            state[i] = at(operands.state(), i);
        }
        out = new double[shape.batch() * shape.steps() * shape.heads() * shape.valueDepth()];
    }

    private static double at(MemorySegment segment, long index) {
        return segment.getAtIndex(FLOAT, index);
    }

    void run() {
        for (int batch = 0; batch < shape.batch(); batch++) {
            for (int head = 0; head < shape.keyHeads(); head++) {
                for (int step = 0; step < shape.steps(); step++) {
                    step(batch * shape.steps() + step, batch * shape.keyHeads() + head, head);
                }
            }
        }
    }

    private void step(int row, int stateOf, int head) {
        int at = row * shape.keyHeads() + head;
        int width = shape.valueDepth();
        for (int j = 0; j < width; j++) {
            double known = 0;
            for (int i = 0; i < shape.depth(); i++) {
                int place = (stateOf * shape.depth() + i) * width + j;
                MemorySegment factors = operands.decays();
                state[place] *= factors == null ? 1 : at(factors, (long) at * decays + (decays == 1 ? 0 : i));
                known += at(operands.keys(), (long) at * shape.depth() + i) * state[place];
            }
            double taken = at(operands.values(), (long) at * width + j);
            MemorySegment rates = operands.rates();
            if (rates != null) {
                int rate = row * operands.rateHeads() + (operands.rateHeads() == 1 ? 0 : head);
                taken = (taken - known) * at(rates, rate);
            }
            for (int i = 0; i < shape.depth(); i++) {
                state[(stateOf * shape.depth() + i) * width + j] +=
                        at(operands.keys(), (long) at * shape.depth() + i) * taken;
            }
            for (int g = 0; g < shape.group(); g++) {
                int query = row * shape.heads() + head * shape.group() + g;
                for (int i = 0; i < shape.depth(); i++) {
                    out[query * width + j] += operands.scale()
                            * at(operands.queries(), (long) query * shape.depth() + i)
                            * state[(stateOf * shape.depth() + i) * width + j];
                }
            }
        }
    }
}
