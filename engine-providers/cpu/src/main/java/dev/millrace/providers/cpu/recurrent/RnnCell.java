package dev.millrace.providers.cpu.recurrent;

import dev.millrace.providers.cpu.elementwise.Unary;
import dev.millrace.scheduler.pool.Scratch;

/** The plain recurrent network: one gate, which is the new state. */
record RnnCell(int units, float clip, Unary.Floats f) implements RecurrentStep {

    @Override
    public int gates() {
        return 1;
    }

    @Override
    public int plainGates() {
        return 1;
    }

    @Override
    public void step(
            float[] gates, float[] hidden, float[] cells, int at, float[] extra, float[][] candidate, Scratch scratch) {
        for (int i = 0; i < units; i++) {
            gates[i] = Math.max(-clip, Math.min(clip, gates[i]));
        }
        f.apply(gates, gates, units);
        System.arraycopy(gates, 0, hidden, at, units);
    }
}
