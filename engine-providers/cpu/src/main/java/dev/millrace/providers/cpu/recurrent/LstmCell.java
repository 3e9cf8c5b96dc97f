package dev.millrace.providers.cpu.recurrent;

import dev.millrace.providers.cpu.elementwise.Unary;
import dev.millrace.scheduler.pool.Scratch;

/** LSTM. Its gates stand in the order input, output, forget, cell; its peepholes input, output, forget. */
record LstmCell(int units, float clip, boolean coupled, Unary.Floats f, Unary.Floats g, Unary.Floats h)
        implements RecurrentStep {

    @Override
    public int gates() {
        return 4;
    }

    @Override
    public int plainGates() {
        return 4;
    }

    @Override
    public void step(
            float[] gates,
            float[] hidden,
            float[] cells,
            int at,
            float[] peepholes,
            float[][] candidate,
            Scratch scratch) {
        float[] input = scratch.floats(1, units);
        float[] output = scratch.floats(2, units);
        float[] forget = scratch.floats(3, units);
        float[] fresh = scratch.floats(4, units);
        for (int i = 0; i < units; i++) {
            float cell = cells[at + i];
            input[i] = clipped(gates[i] + peepholes[i] * cell);
            forget[i] = clipped(gates[2 * units + i] + peepholes[2 * units + i] * cell);
            fresh[i] = clipped(gates[3 * units + i]);
        }
        f.apply(input, input, units);
        f.apply(forget, forget, units);
        g.apply(fresh, fresh, units);
        for (int i = 0; i < units; i++) {
            float kept = coupled ? 1 - input[i] : forget[i];
            float cell = kept * cells[at + i] + input[i] * fresh[i];
            cells[at + i] = cell;
            output[i] = clipped(gates[units + i] + peepholes[units + i] * cell);
            fresh[i] = clipped(cell);
        }
        f.apply(output, output, units);
        h.apply(fresh, fresh, units);
        for (int i = 0; i < units; i++) {
            hidden[at + i] = output[i] * fresh[i];
        }
    }

    private float clipped(float x) {
        return Math.max(-clip, Math.min(clip, x));
    }
}
