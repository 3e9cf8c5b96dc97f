package dev.millrace.session.generate;

import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A model that continues the beams of one search, or one text: gives the inputs of each run, and keeps the caches. */
interface BeamModel extends AutoCloseable {
    /** Computes the next run. */
    Inference inference();

    /** Returns the inputs of the next run. */
    Inputs inputs();

    /** Returns the names of the outputs of the next run. */
    List<String> outputs();

    /**
     * Takes the outputs of a run, and closes them.
     *
     * @return the logits behind each beam, one row behind the prompt; null if that takes another run
     */
    float @Nullable [][] taken(Outputs outputs);

    /**
     * Continues beams by a token.
     *
     * @param parents the rows of the last logits that each beam continues
     * @param words all tokens of each beam
     */
    void advance(int[] parents, int[][] words);

    /** Ends the generation after its last run. */
    void end();

    /** Frees the caches. */
    @Override
    void close();
}
