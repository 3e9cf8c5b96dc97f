package dev.millrace.providers.cpu.recurrent;

import java.util.function.DoubleUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The equations of RNN, GRU and LSTM in doubles, for one element after the other.
 *
 * @param direction forward, reverse or bidirectional
 * @param clip the limit of what activations are applied to
 * @param variant whether gates of LSTM are coupled, and GRU resets after the product
 */
record RecurrentReference(
        String op,
        String direction,
        int steps,
        int batch,
        int inputs,
        int units,
        double clip,
        boolean variant,
        DoubleUnaryOperator f,
        DoubleUnaryOperator g) {

    /** The operands as ONNX lays them out; all but the first three may be missing. */
    record Operands(
            double[] x,
            double[] w,
            double[] r,
            double @Nullable [] b,
            int @Nullable [] lengths,
            double @Nullable [] hidden,
            double @Nullable [] cell,
            double @Nullable [] peepholes) {}

    /** All hidden states by step, direction and sequence; the last hidden states, and the last cells. */
    record Results(double[] all, double[] hidden, double[] cells) {}

    RecurrentReference(String op, String direction, int steps, int batch, int inputs, int units) {
        this(
                op,
                direction,
                steps,
                batch,
                inputs,
                units,
                Double.POSITIVE_INFINITY,
                false,
                op.equals("RNN") ? Math::tanh : x -> 1 / (1 + Math.exp(-x)),
                Math::tanh);
    }

    int gates() {
        return switch (op) {
            case "LSTM" -> 4;
            case "GRU" -> 3;
            default -> 1;
        };
    }

    int directions() {
        return direction.equals("bidirectional") ? 2 : 1;
    }

    Results compute(Operands operands) {
        int states = directions() * batch * units;
        var results = new Results(new double[steps * states], new double[states], new double[states]);
        for (int d = 0; d < directions(); d++) {
            for (int n = 0; n < batch; n++) {
                sequence(operands, results, d, n);
            }
        }
        return results;
    }

    private void sequence(Operands operands, Results results, int d, int n) {
        int state = (d * batch + n) * units;
        double[] h = new double[units];
        double[] c = new double[units];
        for (int i = 0; i < units; i++) {
            h[i] = operands.hidden() == null ? 0 : operands.hidden()[state + i];
            c[i] = operands.cell() == null ? 0 : operands.cell()[state + i];
        }
        int length = operands.lengths() == null ? steps : operands.lengths()[n];
        boolean backward = direction.equals("reverse") || d == 1;
        for (int k = 0; k < length; k++) {
            int t = backward ? length - 1 - k : k;
            h = step(operands, d, (t * batch + n) * inputs, h, c);
            System.arraycopy(h, 0, results.all(), ((t * directions() + d) * batch + n) * units, units);
        }
        System.arraycopy(h, 0, results.hidden(), state, units);
        System.arraycopy(c, 0, results.cells(), state, units);
    }

    /** Returns the hidden state after a step, and changes the cells. */
    private double[] step(Operands o, int d, int x, double[] h, double[] c) {
        double[] next = new double[units];
        double[] reset = new double[units];
        for (int i = 0; i < units && op.equals("GRU"); i++) {
            reset[i] = f.applyAsDouble(clipped(input(o, d, 1, i, x) + state(o, d, 1, i, h)));
        }
        double[] kept = new double[units];
        for (int i = 0; i < units; i++) {
            kept[i] = reset[i] * h[i];
        }
        double[] before = c.clone();
        for (int i = 0; i < units; i++) {
            double first = input(o, d, 0, i, x) + state(o, d, 0, i, h);
            next[i] = switch (op) {
                case "GRU" -> {
                    double update = f.applyAsDouble(clipped(first));
                    double recurrent = variant ? reset[i] * state(o, d, 2, i, h) : state(o, d, 2, i, kept);
                    double candidate = g.applyAsDouble(clipped(input(o, d, 2, i, x) + recurrent));
                    yield (1 - update) * candidate + update * h[i];
                }
                case "LSTM" -> {
                    double in = f.applyAsDouble(clipped(first + peephole(o, d, 0, i) * before[i]));
                    double forget = input(o, d, 2, i, x) + state(o, d, 2, i, h) + peephole(o, d, 2, i) * before[i];
                    double old = variant ? 1 - in : f.applyAsDouble(clipped(forget));
                    double fresh = g.applyAsDouble(clipped(input(o, d, 3, i, x) + state(o, d, 3, i, h)));
                    c[i] = old * before[i] + in * fresh;
                    double out = input(o, d, 1, i, x) + state(o, d, 1, i, h) + peephole(o, d, 1, i) * c[i];
                    yield f.applyAsDouble(clipped(out)) * g.applyAsDouble(clipped(c[i]));
                }
                default -> f.applyAsDouble(clipped(first));
            };
        }
        return next;
    }

    private double clipped(double x) {
        return Math.clamp(x, -clip, clip);
    }

    /** Returns the part of a gate that comes from the inputs, with its bias. */
    private double input(Operands o, int d, int gate, int unit, int x) {
        int row = (d * gates() + gate) * units + unit;
        double sum = o.b() == null ? 0 : o.b()[d * 2 * gates() * units + gate * units + unit];
        for (int j = 0; j < inputs; j++) {
            sum += o.w()[row * inputs + j] * o.x()[x + j];
        }
        return sum;
    }

    /** Returns the part of a gate that comes from the hidden state, with its bias. */
    private double state(Operands o, int d, int gate, int unit, double[] h) {
        int row = (d * gates() + gate) * units + unit;
        double sum = o.b() == null ? 0 : o.b()[(d * 2 + 1) * gates() * units + gate * units + unit];
        for (int j = 0; j < units; j++) {
            sum += o.r()[row * units + j] * h[j];
        }
        return sum;
    }

    private double peephole(Operands o, int d, int gate, int unit) {
        return o.peepholes() == null ? 0 : o.peepholes()[(d * 3 + gate) * units + unit];
    }
}
