package dev.millrace.text.pretokenizer;

import dev.millrace.text.json.Json;
import dev.millrace.text.limit.Budget;
import dev.millrace.text.normalizer.Aligned;
import dev.millrace.text.pattern.Search;
import java.util.ArrayList;
import java.util.List;

/** Splits texts at the matches of a pattern. */
final class PatternSplits implements Splitter {
    /** The treatment of matches. */
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

    private final Search pattern;
    private final Behaviour behaviour;
    private final boolean inverted;

    /** @param inverted whether the text between matches counts as a match, and matches do not */
    PatternSplits(Search pattern, Behaviour behaviour, boolean inverted) {
        this.pattern = pattern;
        this.behaviour = behaviour;
        this.inverted = inverted;
    }

    private record Part(int from, int to, boolean isMatch) {}

    @Override
    public List<Aligned> split(Aligned text, Budget budget) {
        budget.spend(text.length());
        List<Part> parts = parts(text.text(), budget);
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

    private List<Part> parts(String text, Budget budget) {
        var parts = new ArrayList<Part>();
        Search.Matches matches = pattern.in(text, budget);
        int end = 0;
        while (matches.next()) {
            if (matches.start() > end) {
                parts.add(new Part(end, matches.start(), inverted));
            }
            parts.add(new Part(matches.start(), matches.end(), !inverted));
            end = matches.end();
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
