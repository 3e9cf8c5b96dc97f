package dev.millrace.kernels.recurrent;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/** One direction of a layer in double, as ONNX defines them. */
final class RecurrentReference {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;

    /**
     * Functions of a cell.
     *
     * @param clip the bound, infinite for none
     */
    record Functions(DoubleUnaryOperator f, DoubleUnaryOperator g, DoubleUnaryOperator h, double clip) {
        double f(double x) {
            return f.applyAsDouble(Math.clamp(x, -clip, clip));
        }

        double g(double x) {
            return g.applyAsDouble(Math.clamp(x, -clip, clip));
        }
    }

    private final RecurrentCall call;
    private final MemorySegment w;
    private final MemorySegment r;
    private final @Nullable MemorySegment b;
    private final int direction;
    private final int gates;
    private final int hidden;
    final double[] state;
    final double[] cell;

    RecurrentReference(
            RecurrentCall call,
            MemorySegment w,
            MemorySegment r,
            @Nullable MemorySegment b,
            int direction,
            int gates,
            int entry) {
        this.call = call;
        this.w = w;
        this.r = r;
        this.b = b;
        this.direction = direction;
        this.gates = gates;
        hidden = call.shape().hidden();
        state = first(call.state(), entry);
        cell = first(call.cell(), entry);
    }

    private double[] first(@Nullable MemorySegment segment, int entry) {
        double[] values = new double[hidden];
        for (int i = 0; segment != null && i < hidden; i++) {
            values[i] =
                    segment.getAtIndex(FLOAT, ((long) direction * call.shape().batch() + entry) * hidden + i);
        }
        return values;
    }

    /** The product of the inputs with a row of W, with its bias. */
    private double ofInputs(int gate, int unit, int step, int entry) {
        int inputs = call.shape().inputs();
        long row = ((long) direction * gates + gate) * hidden + unit;
        double sum = bias(gate * hidden + unit);
        for (int i = 0; i < inputs; i++) {
            long at = ((long) step * call.shape().batch() + entry) * inputs + i;
            sum += (double) call.x().getAtIndex(FLOAT, at) * w.getAtIndex(FLOAT, row * inputs + i);
        }
        return sum;
    }

    private double bias(int index) {
        return b == null ? 0 : b.getAtIndex(FLOAT, 2L * direction * gates * hidden + index);
    }

    /** The product of a state with a row of R, with its bias. */
    private double ofStates(int gate, int unit, double[] of) {
        long row = ((long) direction * gates + gate) * hidden + unit;
        double sum = bias((gates + gate) * hidden + unit);
        for (int i = 0; i < hidden; i++) {
            sum += of[i] * r.getAtIndex(FLOAT, row * hidden + i);
        }
        return sum;
    }

    private double peephole(int gate, int unit) {
        MemorySegment peepholes = call.peepholes();
        return peepholes == null ? 0 : peepholes.getAtIndex(FLOAT, (3L * direction + gate) * hidden + unit);
    }

    void lstm(Functions functions, boolean coupled, int step, int entry) {
        double[] before = state.clone();
        for (int unit = 0; unit < hidden; unit++) {
            double[] sums = new double[4];
            for (int gate = 0; gate < 4; gate++) {
                sums[gate] = ofInputs(gate, unit, step, entry) + ofStates(gate, unit, before);
            }
            double input = functions.f(sums[0] + peephole(0, unit) * cell[unit]);
            double forget = coupled ? 1 - input : functions.f(sums[2] + peephole(2, unit) * cell[unit]);
            cell[unit] = forget * cell[unit] + input * functions.g(sums[3]);
            double output = functions.f(sums[1] + peephole(1, unit) * cell[unit]);
            state[unit] = output * functions.h().applyAsDouble(cell[unit]);
        }
    }

    void rnn(Functions functions, int step, int entry) {
        double[] before = state.clone();
        for (int unit = 0; unit < hidden; unit++) {
            state[unit] = functions.f(ofInputs(0, unit, step, entry) + ofStates(0, unit, before));
        }
    }

    void gru(Functions functions, boolean resetAfter, int step, int entry) {
        double[] before = state.clone();
        double[] update = new double[hidden];
        double[] reset = new double[hidden];
        double[] resetState = new double[hidden];
        for (int unit = 0; unit < hidden; unit++) {
            update[unit] = functions.f(ofInputs(0, unit, step, entry) + ofStates(0, unit, before));
            reset[unit] = functions.f(ofInputs(1, unit, step, entry) + ofStates(1, unit, before));
            resetState[unit] = reset[unit] * before[unit];
        }
        for (int unit = 0; unit < hidden; unit++) {
            double product = resetAfter ? reset[unit] * ofStates(2, unit, before) : ofStates(2, unit, resetState);
            double proposed = functions.g(ofInputs(2, unit, step, entry) + product);
            state[unit] = (1 - update[unit]) * proposed + update[unit] * before[unit];
        }
    }
}
