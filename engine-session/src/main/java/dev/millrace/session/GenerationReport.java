package dev.millrace.session;

import java.time.Duration;

/**
 * A generation of a {@link dev.millrace.session.generate.Generator} that has ended. Beam searches and encoder-decoder models
 * make no reports.
 *
 * @param of whose it was
 * @param promptTokens the tokens of the prompt
 * @param cachedTokens those of them whose keys and values an earlier generation had left
 * @param generatedTokens the tokens of the answer
 * @param firstNanos how long the first token took; 0 if there was none
 * @param ranNanos how long the generation took until its last token, or until it ended without one
 * @param outcome the {@link dev.millrace.session.generate.Ending}, which is {@code STOPPED} if nobody wanted more, or
 *     {@code FAILED}
 */
public record GenerationReport(
        SessionLabel of,
        int promptTokens,
        int cachedTokens,
        int generatedTokens,
        long firstNanos,
        long ranNanos,
        String outcome) {
    /** The time from the beginning to the first token; zero if there was none. */
    public Duration toFirstToken() {
        return Duration.ofNanos(firstNanos);
    }

    /** The mean time of a token behind the first one; zero if there was none. */
    public Duration perToken() {
        return generatedTokens < 2 ? Duration.ZERO : Duration.ofNanos((ranNanos - firstNanos) / (generatedTokens - 1));
    }
}
