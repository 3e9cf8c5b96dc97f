package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import dev.millrace.text.pattern.CharSet;
import dev.millrace.text.pattern.Part;
import dev.millrace.text.pattern.Place;
import dev.millrace.text.pattern.Regex;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.PatternSyntaxException;

/** Adds regular expressions to an automaton. Classes like {@code \d} have the characters of ASCII. */
final class RegexPiece {
    private static final int MOST_SETS = 100;

    private final String expression;
    private final CharacterPiece characters;
    private final Map<CharSet, CodePoints> sets = new IdentityHashMap<>();
    private final AutomatonBuilder builder;
    private final Part whole;

    /** Adds one character of a set, in the way in which the text writes it. */
    @FunctionalInterface
    interface CharacterPiece {
        void add(int from, CodePoints set, int to);
    }

    RegexPiece(String expression, AutomatonBuilder builder, CharacterPiece characters) {
        this.expression = expression;
        this.builder = builder;
        this.characters = characters;
        try {
            whole = Regex.parse(expression, 0);
        } catch (PatternSyntaxException e) {
            throw EngineException.invalidArgument("'" + expression + "' is no regular expression of Java's: "
                    + e.getDescription() + " at " + e.getIndex());
        } catch (EngineException e) {
            throw EngineException.invalidArgument(String.valueOf(e.getMessage()));
        } catch (StackOverflowError e) {
            throw EngineException.invalidArgument("a regular expression nests too deeply");
        }
    }

    /** Adds the texts that the whole expression matches. */
    void add(int from, int to) {
        alternatives(whole, from, to, false);
    }

    /** Adds the texts in which the expression is found. */
    void addFound(int from, int to) {
        alternatives(whole, from, to, true);
    }

    private void alternatives(Part part, int from, int to, boolean isFound) {
        if (part instanceof Part.Choice choice) {
            choice.parts().forEach(each -> alternatives(each, from, to, isFound));
            return;
        }
        List<Part> parts = part instanceof Part.Sequence sequence ? sequence.parts() : List.of(part);
        int begin = 0;
        int end = parts.size();
        while (begin < end && isBegin(parts.get(begin))) {
            begin++;
        }
        while (end > begin && isEnd(parts.get(end - 1))) {
            end--;
        }
        int inner = builder.node();
        int last = builder.node();
        around(isFound && begin == 0, from, inner);
        sequence(parts.subList(begin, end), inner, last);
        around(isFound && end == parts.size(), last, to);
    }

    private void around(boolean isAny, int from, int to) {
        if (isAny) {
            builder.repeat(from, (at, next) -> characters.add(at, CodePoints.ALL, next), 0, -1, to);
        } else {
            builder.epsilon(from, to);
        }
    }

    private static boolean isBegin(Part part) {
        return part instanceof Part.At(Place place) && place == Place.BEGIN;
    }

    private static boolean isEnd(Part part) {
        return part instanceof Part.At(Place place) && (place == Place.END || place == Place.LAST_LINE_END);
    }

    private void sequence(List<Part> parts, int from, int to) {
        int at = from;
        for (int i = 0; i < parts.size(); i++) {
            int next = i == parts.size() - 1 ? to : builder.node();
            part(parts.get(i), at, next);
            at = next;
        }
        if (parts.isEmpty()) {
            builder.epsilon(from, to);
        }
    }

    private void part(Part part, int from, int to) {
        switch (part) {
            case Part.Literal literal -> characters.add(from, CodePoints.of(literal.point()), to);
            case Part.OneOf one -> characters.add(from, set(one.set()), to);
            case Part.Sequence sequence -> sequence(sequence.parts(), from, to);
            case Part.Choice choice -> choice.parts().forEach(each -> part(each, from, to));
            case Part.Repeated repeated ->
                builder.repeat(
                        from,
                        (at, next) -> part(repeated.part(), at, next),
                        repeated.fewest(),
                        repeated.times() == Part.ENDLESS ? -1 : repeated.times(),
                        to);
            case Part.Atomic _ -> throw unsupported("a possessive quantifier or an atomic group");
            case Part.Look _ -> throw unsupported("a look ahead or behind");
            case Part.At(Place place) ->
                throw unsupported(
                        switch (place) {
                            case WORD_BORDER, NO_WORD_BORDER -> "a word border";
                            default -> "an anchor that is not at an end of the whole expression";
                        });
        }
    }

    private CodePoints set(CharSet set) {
        if (sets.size() >= MOST_SETS) {
            throw unsupported("more than " + MOST_SETS + " sets of characters");
        }
        return sets.computeIfAbsent(set, each -> new CodePoints(each.ranges()).and(CodePoints.ALL));
    }

    private EngineException unsupported(String what) {
        return EngineException.invalidArgument("the regular expression '" + expression + "' has " + what
                + ", which constrained output does not support");
    }

    /** Returns the fewest and the most characters of a text in which the expression is found; the latter -1 for no bound. */
    long[] lengths() {
        long[] lengths = lengths(whole);
        List<Part> alternatives = whole instanceof Part.Choice choice ? choice.parts() : List.of(whole);
        for (Part each : alternatives) {
            List<Part> parts = each instanceof Part.Sequence sequence ? sequence.parts() : List.of(each);
            if (parts.isEmpty() || !isBegin(parts.getFirst()) || !isEnd(parts.getLast())) {
                lengths[1] = -1;
            }
        }
        return lengths;
    }

    private static long[] lengths(Part part) {
        return switch (part) {
            case Part.Literal _, Part.OneOf _ -> new long[] {1, 1};
            case Part.Sequence sequence -> {
                long[] all = {0, 0};
                for (Part each : sequence.parts()) {
                    long[] one = lengths(each);
                    all[0] += one[0];
                    all[1] = all[1] < 0 || one[1] < 0 ? -1 : all[1] + one[1];
                }
                yield all;
            }
            case Part.Choice choice -> {
                long[] all = {Long.MAX_VALUE, 0};
                for (Part each : choice.parts()) {
                    long[] one = lengths(each);
                    all[0] = Math.min(all[0], one[0]);
                    all[1] = all[1] < 0 || one[1] < 0 ? -1 : Math.max(all[1], one[1]);
                }
                yield all;
            }
            case Part.Repeated repeated -> {
                long[] one = lengths(repeated.part());
                boolean isEndless = repeated.times() == Part.ENDLESS || one[1] < 0;
                yield new long[] {
                    one[0] * repeated.fewest(), one[1] == 0 ? 0 : isEndless ? -1 : one[1] * repeated.times()
                };
            }
            case Part.Atomic _, Part.Look _, Part.At _ -> new long[] {0, 0};
        };
    }
}
