package dev.millrace.text.speech;

import java.util.Map;

/**
 * The special tokens of a speech model.
 *
 * @param start begins a text
 * @param end ends a text; smaller ones are words
 * @param languages the tokens of languages by their codes; empty for a model of one language
 * @param transcribe asks for the text as it was said
 * @param translate asks for a translation to English
 * @param noTimestamps asks for a text without timestamps; the timestamps follow behind it, 0.02 seconds apart
 * @param suppressed tokens that are never said
 * @param suppressedFirst tokens that do not begin a text
 * @param mostInitial the largest timestamp that begins a text; negative for any
 */
public record SpeechTokens(
        int start,
        int end,
        Map<String, Integer> languages,
        int transcribe,
        int translate,
        int noTimestamps,
        int[] suppressed,
        int[] suppressedFirst,
        int mostInitial) {
    /** The seconds between timestamps. */
    public static final double PRECISION = 0.02;

    /** The token of 0 seconds. */
    public int firstTimestamp() {
        return noTimestamps + 1;
    }
}
