package dev.millrace.text.pattern;

import dev.millrace.graph.EngineException;
import dev.millrace.text.limit.Budget;
import java.util.regex.Pattern;

/**
 * A regular expression in the syntax of {@link Pattern} with the classes of Unicode, followed by a machine that counts its
 * steps. {@link Pattern} itself cannot be bounded: it recurses on the thread's stack, and between two looks at a text it may
 * go through exponentially many empty choices.
 */
public final class Regex implements Search {
    private static final int LONGEST = 1 << 16;
    private static final int MOST_GROUPS = 1000;

    private final PatternProgram program;

    private Regex(PatternProgram program) {
        this.program = program;
    }

    /** The search for an expression; throws a {@link java.util.regex.PatternSyntaxException} where it is none. */
    public static Regex of(String expression) {
        return new Regex(new PatternProgram(parse(expression, Pattern.UNICODE_CHARACTER_CLASS)));
    }

    /**
     * Parses an expression; throws a {@link java.util.regex.PatternSyntaxException} where it is none.
     *
     * @param flags the flags of {@link Pattern} that are on at the beginning
     */
    public static Part parse(String expression, int flags) {
        if (expression.length() > LONGEST) {
            throw EngineException.invalidArgument(
                    "a regular expression of " + expression.length() + " characters; the longest has " + LONGEST);
        }
        requireShallow(expression);
        Pattern.compile(expression, flags);
        return Parser.parse(expression, flags);
    }

    /** Nested groups and classes are recursions of {@link Pattern#compile}. */
    private static void requireShallow(String expression) {
        long open = expression.chars().filter(c -> c == '(' || c == '[').count();
        if (open > MOST_GROUPS) {
            throw EngineException.invalidArgument(
                    "a regular expression with " + open + " groups and classes; " + MOST_GROUPS + " are possible");
        }
    }

    @Override
    public Matches in(String text, Budget budget) {
        return new Run(program, text, budget);
    }
}
