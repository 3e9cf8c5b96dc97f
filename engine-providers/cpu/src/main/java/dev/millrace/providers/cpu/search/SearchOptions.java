package dev.millrace.providers.cpu.search;

/**
 * How a search goes on and ends.
 *
 * @param most how many words a sequence may have
 * @param beams how many sequences are followed for each of a batch
 * @param kept how many of them are given
 * @param lengthPenalty the power of a sequence's length that its score is divided by
 * @param end the word that ends a sequence; none does where it is negative
 * @param pad what stands behind the end
 * @param early whether a search ends with the first sequences that do
 */
record SearchOptions(int most, int beams, int kept, float lengthPenalty, int end, int pad, boolean early) {
    private static final int MOST_WORDS = 4096;
    private static final int MOST_BEAMS = 128;
    private static final int BEAMS = 3;
    private static final int KEPT = 4;
    private static final int LENGTH_PENALTY = 5;

    static SearchOptions of(SearchInputs inputs) {
        int beams = inputs.within("num_beams", inputs.number(BEAMS, 1), 1, MOST_BEAMS);
        return new SearchOptions(
                inputs.within("max_length", inputs.number(SearchInputs.LONGEST, MOST_WORDS), 1, MOST_WORDS),
                beams,
                inputs.within("num_return_sequences", inputs.number(KEPT, 1), 1, beams),
                (float) inputs.number(LENGTH_PENALTY, 1),
                inputs.attribute("eos_token_id", -1),
                inputs.attribute("pad_token_id", -1),
                inputs.node().attributes().flag("early_stopping", false));
    }
}
