package dev.millrace.text;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The text of speech.
 *
 * @param text the whole text
 * @param language the code of the spoken language; null if the model knows one only
 * @param segments the parts of the text in their order
 */
public record Transcript(String text, @Nullable String language, List<Segment> segments) {
    public Transcript {
        segments = List.copyOf(segments);
    }

    /**
     * A part of the text.
     *
     * @param start the seconds from the beginning of the speech
     */
    public record Segment(double start, double end, String text) {}
}
