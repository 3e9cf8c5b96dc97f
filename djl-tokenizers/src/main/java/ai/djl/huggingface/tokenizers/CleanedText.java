package ai.djl.huggingface.tokenizers;

/** Texts without the spaces that tokenisation leaves before punctuation and in English contractions. */
final class CleanedText {
    private static final String[] ENDS = {".", "?", "!", ",", "'", "n't"};

    private CleanedText() {}

    static String of(String text) {
        String cleaned = text;
        for (String end : ENDS) {
            cleaned = cleaned.replace(" " + end, end);
        }
        return cleaned;
    }
}
