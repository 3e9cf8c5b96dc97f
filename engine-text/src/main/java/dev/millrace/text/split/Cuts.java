package dev.millrace.text.split;

import dev.millrace.text.json.Json;
import dev.millrace.text.normal.Aligned;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Cuts at the matches of a pattern. */
final class Cuts implements Splitter {
    /** What becomes of the matches. */
    enum Behaviour {
        REMOVED,
        ISOLATED,
        MERGED_WITH_PREVIOUS,
        MERGED_WITH_NEXT,
        CONTIGUOUS;

        static Behaviour of(Json name) {
            return switch (name.text("Isolated")) {
                case "Removed" -> REMOVED;
                case "Isolated" -> ISOLATED;
                case "MergedWithPrevious" -> MERGED_WITH_PREVIOUS;
                case "MergedWithNext" -> MERGED_WITH_NEXT;
                case "Contiguous" -> CONTIGUOUS;
                default -> throw name.refused("there is no such behaviour");
            };
        }
    }

    private final Pattern pattern;
    private final Behaviour behaviour;
    private final boolean inverted;

    /** @param inverted whether what lies between the matches counts as the match */
    Cuts(Pattern pattern, Behaviour behaviour, boolean inverted) {
        this.pattern = pattern;
        this.behaviour = behaviour;
        this.inverted = inverted;
    }

    private record Part(int from, int to, boolean isMatch) {}

    @Override
    public List<Aligned> split(Aligned text) {
        List<Part> parts = parts(text.text());
        List<Part> kept = switch (behaviour) {
            case REMOVED -> parts.stream().filter(part -> !part.isMatch()).toList();
            case ISOLATED -> parts;
            case MERGED_WITH_PREVIOUS -> mergedWithPrevious(parts);
            case MERGED_WITH_NEXT -> mergedWithNext(parts);
            case CONTIGUOUS -> contiguous(parts);
        };
        return kept.stream()
                .filter(part -> part.to() > part.from())
                .map(part -> text.slice(part.from(), part.to()))
                .toList();
    }

    private List<Part> parts(String text) {
        var parts = new ArrayList<Part>();
        Matcher matcher = pattern.matcher(text);
        int end = 0;
        while (matcher.find()) {
            if (matcher.end() == matcher.start()) {
                continue;
            }
            if (matcher.start() > end) {
                parts.add(new Part(end, matcher.start(), inverted));
            }
            parts.add(new Part(matcher.start(), matcher.end(), !inverted));
            end = matcher.end();
        }
        if (end < text.length()) {
            parts.add(new Part(end, text.length(), inverted));
        }
        return parts;
    }

    private static List<Part> mergedWithPrevious(List<Part> parts) {
        var merged = new ArrayList<Part>();
        boolean afterMatch = false;
        for (Part part : parts) {
            if (part.isMatch() && !afterMatch && !merged.isEmpty()) {
                merged.set(merged.size() - 1, new Part(merged.getLast().from(), part.to(), true));
            } else {
                merged.add(part);
            }
            afterMatch = part.isMatch();
        }
        return merged;
    }

    private static List<Part> mergedWithNext(List<Part> parts) {
        var merged = new ArrayList<Part>();
        boolean beforeMatch = false;
        for (Part part : parts.reversed()) {
            if (part.isMatch() && !beforeMatch && !merged.isEmpty()) {
                merged.set(
                        merged.size() - 1,
                        new Part(part.from(), merged.getLast().to(), true));
            } else {
                merged.add(part);
            }
            beforeMatch = part.isMatch();
        }
        return merged.reversed();
    }

    private static List<Part> contiguous(List<Part> parts) {
        var merged = new ArrayList<Part>();
        for (Part part : parts) {
            if (!merged.isEmpty() && merged.getLast().isMatch() == part.isMatch()) {
                merged.set(merged.size() - 1, new Part(merged.getLast().from(), part.to(), part.isMatch()));
            } else {
                merged.add(part);
            }
        }
        return merged;
    }
}
