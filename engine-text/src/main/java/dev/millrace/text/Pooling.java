package dev.millrace.text;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import org.jspecify.annotations.Nullable;

/** How the vectors of tokens become one for their text. */
public enum Pooling {
    /** The mean of all tokens that are no padding. */
    MEAN,
    /** The vector of the first token. */
    FIRST,
    /** The vector of the last token that is no padding. */
    LAST,
    /** The largest of each number over all tokens that are no padding. */
    MAX;

    /**
     * A vector for each text.
     *
     * @param hidden {@code [texts, tokens, width]}
     * @param mask {@code [texts, tokens]}, 0 for padding; null where there is none
     */
    public float[][] pool(Tensor hidden, @Nullable Tensor mask) {
        if (ApiBoundary.requireArgument(hidden, "hidden").shape().rank() != 3) {
            throw EngineException.invalidArgument("vectors of tokens have three axes, and " + hidden.shape() + " has "
                    + hidden.shape().rank());
        }
        int texts = (int) hidden.shape().dim(0);
        int tokens = (int) hidden.shape().dim(1);
        int width = (int) hidden.shape().dim(2);
        if (mask != null && mask.elements() != (long) texts * tokens) {
            throw EngineException.invalidArgument(
                    "a mask of " + mask.shape() + " does not fit vectors of " + hidden.shape());
        }
        float[] values = hidden.floats();
        long[] kept = mask == null ? null : mask.longs();
        float[][] pooled = new float[texts][];
        for (int i = 0; i < texts; i++) {
            pooled[i] = pool(values, kept, i * tokens, tokens, width);
        }
        return pooled;
    }

    private float[] pool(float[] values, long @Nullable [] mask, int from, int tokens, int width) {
        float[] made = new float[width];
        int count = 0;
        for (int i = 0; i < tokens; i++) {
            if (mask != null && mask[from + i] == 0) {
                continue;
            }
            int at = (from + i) * width;
            for (int j = 0; j < width; j++) {
                made[j] = count == 0 ? values[at + j] : join(made[j], values[at + j]);
            }
            count++;
        }
        for (int j = 0; this == MEAN && count > 1 && j < width; j++) {
            made[j] /= count;
        }
        return made;
    }

    private float join(float old, float next) {
        return switch (this) {
            case MEAN -> old + next;
            case FIRST -> old;
            case LAST -> next;
            case MAX -> Math.max(old, next);
        };
    }
}
