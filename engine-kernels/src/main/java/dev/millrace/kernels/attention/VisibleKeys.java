package dev.millrace.kernels.attention;

import org.jspecify.annotations.Nullable;

/**
 * Which keys a query may see, apart from masks.
 *
 * @param causal whether query i sees no key behind {@code i + offset}
 * @param past the offset; where lengths are given, it is the length less the number of queries instead
 * @param lengths how many keys each entry of the batch has, the others being room for later ones; null for all
 */
public record VisibleKeys(boolean causal, int past, int @Nullable [] lengths) {
    public static final VisibleKeys ALL = new VisibleKeys(false, 0, null);

    public static VisibleKeys causal(int past) {
        return new VisibleKeys(true, past, null);
    }

    void check(AttentionShape shape) {
        if (lengths == null) {
            return;
        }
        if (lengths.length != shape.batch()) {
            throw new IllegalArgumentException(
                    "there are " + lengths.length + " lengths for a batch of " + shape.batch());
        }
        for (int length : lengths) {
            if (length < 0 || length > shape.keys()) {
                throw new IndexOutOfBoundsException(
                        "a length is " + length + ", but there are " + shape.keys() + " keys");
            }
        }
    }

    /** How many keys an entry of the batch has. */
    int count(AttentionShape shape, int batch) {
        return lengths == null ? shape.keys() : lengths[batch];
    }

    /** The place of the first query among the keys. */
    int offset(AttentionShape shape, int batch) {
        return lengths == null ? past : lengths[batch] - shape.queries();
    }

    /** How many keys the first queries up to one see together. */
    int seenUpTo(AttentionShape shape, int batch, int query) {
        int count = count(shape, batch);
        return causal ? (int) Math.clamp(offset(shape, batch) + query + 1L, 0, count) : count;
    }
}
