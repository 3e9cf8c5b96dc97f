package dev.millrace.text;

import java.util.List;

/** Looks for texts that end a generation, in pieces as they come; what may be the beginning of one is held back. */
final class StopTexts {
    private final List<String> stops;
    private final StringBuilder held = new StringBuilder();
    private boolean found;

    StopTexts(List<String> stops) {
        this.stops = stops;
    }

    /** What of the text so far is before any of the texts, and was not given yet. */
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

    /** How many chars at the end may be the beginning of one of the texts. */
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

    /** What was held back and is no beginning of anything any more. */
    String end() {
        return found ? "" : taken(held.length());
    }
}
