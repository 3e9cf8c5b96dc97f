package dev.millrace.providers.cpu.recurrent;

import dev.millrace.scheduler.pool.Scratch;

/** One step of a recurrent network for one sequence. */
interface RecurrentStep {
    /** Rows of weights per hidden unit. */
    int gates();

    /** How many of the gates see the hidden state through a plain product, before {@link #step}. */
    int plainGates();

    /**
     * Moves the state of one sequence one step on.
     *
     * @param gates inputs, biases and recurrent parts of the gates, one after the other; garbage afterwards
     * @param hidden the hidden states, this sequence's from {@code at} on
     * @param cells the cell states, likewise; unused by all but LSTM
     * @param extra peephole weights of an LSTM; the recurrent bias of a GRU's candidate
     * @param candidate the recurrent weights of the gates that are not plain, transposed
     */
    void step(
            float[] gates, float[] hidden, float[] cells, int at, float[] extra, float[][] candidate, Scratch scratch);
}
