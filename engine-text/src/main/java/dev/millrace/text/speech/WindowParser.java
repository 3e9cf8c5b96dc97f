package dev.millrace.text.speech;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The parts of a window that its timestamps mark, and where the next window begins. */
public final class WindowParser {
    /** The frames between timestamps. */
    private static final int FRAMES = 2;

    private WindowParser() {}

    /**
     * A part of a window.
     *
     * @param start the timestamp at its start, in units of 0.02 seconds
     * @param tokens its words
     */
    public record Part(int start, int end, long[] tokens) {}

    /**
     * The parts of a window.
     *
     * @param frames the number of frames until the next window begins
     */
    public record Window(List<Part> parts, int frames) {}

    /**
     * Returns the parts of a window. If it ends in the middle of a part, the next window begins where the last whole part
     * ends.
     *
     * @param said the tokens, without those that begin the text
     * @param frames the number of frames of the window
     */
    public static Window parse(SpeechTokens tokens, int[] said, int frames) {
        int[] all = Arrays.stream(said).filter(token -> token != tokens.end()).toArray();
        int first = tokens.firstTimestamp();
        var ends = new ArrayList<Integer>();
        for (int i = 1; i < all.length; i++) {
            if (all[i - 1] >= first && all[i] >= first) {
                ends.add(i);
            }
        }
        int length = all.length;
        boolean endsInOne = length >= 2 && all[length - 2] < first && all[length - 1] >= first;
        if (ends.isEmpty()) {
            int last = Arrays.stream(all).filter(token -> token >= first).max().orElse(first) - first;
            return new Window(List.of(part(tokens, all, 0, last > 0 ? last : frames / FRAMES)), frames);
        }
        if (endsInOne) {
            ends.add(length);
        }
        var parts = new ArrayList<Part>();
        int from = 0;
        for (int end : ends) {
            int[] slice = Arrays.copyOfRange(all, from, end);
            parts.add(part(tokens, slice, slice[0] - first, slice[slice.length - 1] - first));
            from = end;
        }
        int seen = (all[from - 1] - first) * FRAMES;
        return new Window(parts, endsInOne || seen == 0 ? frames : seen);
    }

    private static Part part(SpeechTokens tokens, int[] said, int start, int end) {
        long[] words = Arrays.stream(said)
                .filter(token -> token < tokens.end())
                .asLongStream()
                .toArray();
        return new Part(start, end, words);
    }
}
