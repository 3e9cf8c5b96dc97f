package dev.millrace.providers.cpu.recurrent;

import dev.millrace.providers.cpu.elementwise.Unary;
import dev.millrace.providers.cpu.product.RowKernels;
import dev.millrace.scheduler.pool.Scratch;

/** GRU. Its gates stand in the order update, reset, candidate. */
record GruCell(int units, int stride, float clip, boolean resetLast, Unary.Floats f, Unary.Floats g)
        implements RecurrentStep {

    @Override
    public int gates() {
        return 3;
    }

    @Override
    public int plainGates() {
        return 2;
    }

    @Override
    public void step(
            float[] gates,
            float[] hidden,
            float[] cells,
            int at,
            float[] candidateBias,
            float[][] candidate,
            Scratch scratch) {
        float[] update = scratch.floats(1, units);
        float[] reset = scratch.floats(2, units);
        float[] seen = scratch.zeroedFloats(3, stride);
        float[] fresh = scratch.floats(4, units);
        float[][] sums = scratch.rows(3, 1, units);
        for (int i = 0; i < units; i++) {
            update[i] = clipped(gates[i]);
            reset[i] = clipped(gates[units + i]);
        }
        f.apply(update, update, units);
        f.apply(reset, reset, units);
        for (int i = 0; i < units; i++) {
            seen[i] = resetLast ? hidden[at + i] : reset[i] * hidden[at + i];
            sums[0][i] = candidateBias[i];
        }
        RowKernels.accumulate(sums, 1, seen, stride, candidate, stride, units);
        for (int i = 0; i < units; i++) {
            float recurrent = resetLast ? reset[i] * sums[0][i] : sums[0][i];
            fresh[i] = clipped(gates[2 * units + i] + recurrent);
        }
        g.apply(fresh, fresh, units);
        for (int i = 0; i < units; i++) {
            hidden[at + i] = (1 - update[i]) * fresh[i] + update[i] * hidden[at + i];
        }
    }

    private float clipped(float x) {
        return Math.max(-clip, Math.min(clip, x));
    }
}
