package dev.millrace.cli;

import dev.millrace.text.Completion;
import java.util.Locale;

/** The pace of a generation: loading, reading the prompt, which ends with the first token, and the tokens after it. */
final class GenerationPace {
    private static final double NANOS = 1e9;

    private final long opening;
    private final long start = System.nanoTime();
    private long first;

    /** @param opening the time when the model began to be opened, as {@link System#nanoTime()}; 0 if it was open */
    GenerationPace(long opening) {
        this.opening = opening;
    }

    /** Notes a piece of text. */
    void heard() {
        if (first == 0) {
            first = System.nanoTime();
        }
    }

    String text(Completion completion) {
        long end = System.nanoTime();
        double reading = ((first == 0 ? end : first) - start) / NANOS;
        double writing = (first == 0 ? 0 : end - first) / NANOS;
        int later = completion.tokens() - 1;
        String rate = later > 0 && writing > 0 ? ", %.1f a second".formatted(later / writing) : "";
        int prompt = completion.usage().prompt();
        int cached = completion.usage().cached();
        return (opening == 0 ? "" : "opened in %.2f s; ".formatted((start - opening) / NANOS))
                + (cached == 0 ? "" : "%d of %d tokens were known; ".formatted(cached, prompt))
                + "%d tokens read in %.2f s, %.1f a second; %d tokens generated in %.2f s%s; ended by %s"
                        .formatted(
                                prompt - cached,
                                reading,
                                (prompt - cached) / Math.max(reading, 1e-9),
                                completion.tokens(),
                                reading + writing,
                                rate,
                                completion
                                        .ending()
                                        .toString()
                                        .toLowerCase(Locale.ROOT)
                                        .replace('_', ' '));
    }
}
