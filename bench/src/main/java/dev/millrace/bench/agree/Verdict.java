package dev.millrace.bench.agree;

/** The verdict on a model. */
enum Verdict {
    AGREE("agree", true),
    DIFFER("differ", false),
    ONLY_HERE("only here", true),
    ONLY_THERE("only there", false),
    REFUSED("refused by both", true),
    CRASHED_HERE("crashed here", false),
    CRASHED_THERE("crashed there", true);

    private final String words;
    private final boolean good;

    Verdict(String words, boolean good) {
        this.words = words;
        this.good = good;
    }

    /** Whether this engine is without fault. */
    boolean isGood() {
        return good;
    }

    static Verdict of(String words) {
        for (Verdict verdict : values()) {
            if (verdict.words.equals(words)) {
                return verdict;
            }
        }
        throw new IllegalArgumentException(words);
    }

    @Override
    public String toString() {
        return words;
    }
}
