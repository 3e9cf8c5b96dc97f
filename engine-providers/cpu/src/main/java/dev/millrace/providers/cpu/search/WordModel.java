package dev.millrace.providers.cpu.search;

import dev.millrace.graph.tensor.Tensor;

/** A language model that is asked word after word, and remembers what it was asked. */
interface WordModel {
    /** The words that each of a batch begins with, as many for all. */
    int[][] first();

    /** The scores of what follows the first words, a row for each of the batch. */
    Tensor begin();

    /**
     * The scores of what follows sequences that are longer by a word, a row for each.
     *
     * @param sequences as many for each of the batch
     * @param from which sequence of the step before each one goes on from
     */
    Tensor goOn(int[][] sequences, int[] from);
}
