package dev.millrace.session.generate;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Guesses the next tokens of a text: those that a draft model says, or without one those that followed the text's last phrase
 * where that occurred before. A run that reads the guesses computes several tokens as long as they are right. After wrong guesses, some tokens pass without any.
 */
final class Speculation {
    static final int[] NONE = {};
    /** The lengths of phrases that are looked for, the longest first. */
    private static final int LONGEST = 4;

    private static final int SHORTEST = 2;
    private static final int MOST_PAUSE = 32;

    private final @Nullable DraftText draft;
    private int most;
    private int pause;
    private int left;

    /**
     * @param most the maximum number of guesses of a run; 0 for none
     * @param draft makes the guesses; null for those of earlier phrases
     */
    Speculation(int most, @Nullable DraftText draft) {
        this.most = most;
        this.draft = draft;
    }

    /**
     * Returns guesses; none if there is no such phrase.
     *
     * @param limit the maximum number of guesses
     * @param vocabulary the number of tokens that the model knows
     */
    int[] guesses(int[] words, int count, int limit, int vocabulary) {
        int wanted = Math.min(most, limit);
        if (wanted <= 0 || left-- > 0) {
            return NONE;
        }
        if (draft != null) {
            return draft.guesses(words, count, wanted, vocabulary);
        }
        for (int length = Math.min(LONGEST, count - 1); length >= SHORTEST; length--) {
            int phrase = count - length;
            for (int at = phrase - 1; at >= 0; at--) {
                if (Arrays.equals(words, at, at + length, words, phrase, count)) {
                    int from = at + length;
                    return Arrays.copyOfRange(words, from, Math.min(from + wanted, count));
                }
            }
        }
        return NONE;
    }

    /** Ends all guessing. */
    void stop() {
        most = 0;
    }

    /** Gives the draft model's caches back. */
    void close() {
        if (draft != null) {
            draft.close();
        }
    }

    /** @param right the number of guesses of a run that were right */
    void ended(int right) {
        pause = right > 0 ? 0 : Math.min(MOST_PAUSE, 2 * pause + 1);
        left = pause;
    }
}
