package dev.millrace.text;

import java.util.List;

/**
 * Searches arriving pieces of text for stop texts, which end a generation. Text that may begin a stop text is held
 * back.
 */
final class StopTexts {
    private final List<String> stops;
    private final StringBuilder held = new StringBuilder();
    private boolean found;

    StopTexts(List<String> stops) {
        this.stops = stops;
    }

    /** Adds a piece and returns the new text that is before any stop text and not part of a possible one. */
    String add(String piece) {
        held.append(piece);
        int first = -1;
        for (String stop : stops) {
            int at = held.indexOf(stop);
            first = at >= 0 && (first < 0 || at < first) ? at : first;
        }
        if (first >= 0) {
            found = true;
            return taken(first);
        }
        return taken(held.length() - begun());
    }

    private String taken(int length) {
        String text = held.substring(0, length);
        held.delete(0, length);
        return text;
    }

    /** Returns the number of chars at the end that may begin a stop text. */
    private int begun() {
        int most = 0;
        for (String stop : stops) {
            for (int length = Math.min(stop.length() - 1, held.length()); length > most; length--) {
                if (stop.startsWith(held.substring(held.length() - length))) {
                    most = length;
                }
            }
        }
        return most;
    }

    boolean isFound() {
        return found;
    }

    /** Returns the stop text that was found, with the text behind it. */
    String rest() {
        return held.toString();
    }

    /** Returns the text that was held back, at the end of the generation; empty after a stop text. */
    String end() {
        return found ? "" : taken(held.length());
    }
}
