package dev.millrace.text.pattern;

import dev.millrace.graph.EngineException;
import dev.millrace.text.limit.Budget;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The execution of a program on a text, by backtracking to the last choice at a failure. Choices are on a stack of its
 * own and each step is counted, so that an expression can neither exhaust the thread's stack nor exceed its budget.
 */
final class Run implements Search.Matches {
    /** The kinds of entries of the stack. */
    private static final int PLACE = 0;

    private static final int REGISTER = 1;
    private static final int GREEDY = 2;
    private static final int LAZY = 3;

    private static final int ENTRY = 3;
    private static final int DEEPEST = ENTRY << 22;
    private static final int FUEL = 1024;
    /** The number of steps up to which a search does not memoise failures. */
    private static final int CHEAP = 1 << 14;

    private static final Place[] PLACES = Place.values();

    private final PatternProgram program;
    private final String text;
    private final Budget budget;
    private final int[] registers;
    private int[] stack = new int[ENTRY * 16];
    private int top;
    private int fuel = FUEL;
    /** The positions in the program and in the text at which execution continues after {@link #back}. */
    private int resumed;

    private int resumedAt;
    private int from;
    /** The steps since the last match. */
    private long steps;

    private @Nullable FailedStates failures;
    private int start;
    private int end;

    Run(PatternProgram program, String text, Budget budget) {
        this.program = program;
        this.text = text;
        this.budget = budget;
        this.registers = new int[program.registers()];
    }

    @Override
    public boolean next() {
        boolean found = false;
        while (!found && from < text.length()) {
            start = from;
            end = match(0, start, 0);
            found = end > start;
            from = found ? end : start + width(start);
            if (end >= 0 && failures != null) {
                failures.clear();
            }
        }
        budget.spend(FUEL - fuel);
        fuel = FUEL;
        steps = 0;
        return found;
    }

    @Override
    public int start() {
        return start;
    }

    @Override
    public int end() {
        return end;
    }

    private int width(int at) {
        return Character.isHighSurrogate(text.charAt(at)) ? Character.charCount(text.codePointAt(at)) : 1;
    }

    private void burn(int more) {
        fuel -= more;
        if (fuel <= 0) {
            budget.spend(FUEL - fuel);
            steps += FUEL - fuel;
            fuel = FUEL;
            if (steps > CHEAP && failures == null && program.isPlain()) {
                failures = new FailedStates(program.length());
            }
        }
    }

    /**
     * Returns the end of the match from a position, or -1; {@code depth} is the number of enclosing parts that are
     * matched by themselves.
     */
    private int match(int first, int place, int depth) {
        int base = top;
        int pc = first;
        int at = place;
        while (true) {
            burn(1);
            int next = pc + 1;
            int to = at;
            FailedStates known = depth == 0 && steps > CHEAP ? failures : null;
            switch (program.op(pc)) {
                case LITERAL -> to = literal(program.x(pc), at);
                case SET -> to = one(program.set(pc), at);
                case GREEDY -> to = greedy(pc, at, known);
                case LAZY -> to = lazy(pc, at, known);
                case FORK -> {
                    push(PLACE, program.y(pc), at, 0);
                    next = program.x(pc);
                    if (known != null && !known.addFork(pc, at)) {
                        top -= ENTRY;
                        to = -1;
                    }
                }
                case JUMP -> next = program.x(pc);
                case MARK -> {
                    push(REGISTER, program.x(pc), registers[program.x(pc)], 0);
                    registers[program.x(pc)] = at;
                }
                case LEAVE -> next = at == registers[program.x(pc)] ? program.y(pc) : next;
                case PLACE -> to = PLACES[program.x(pc)].is(text, at) ? at : -1;
                case AHEAD -> {
                    to = match(next, at, depth + 1) >= 0 == (program.y(pc) == 0) ? at : -1;
                    next = program.x(pc);
                }
                case BEHIND -> {
                    to = isBehind(pc, at, depth) ? at : -1;
                    next = program.x(pc);
                }
                case BACK -> to = at == registers[program.x(pc)] ? at : -1;
                case ATOMIC -> {
                    to = match(next, at, depth + 1);
                    next = program.x(pc);
                }
                case END -> {
                    top = base;
                    return at;
                }
            }
            if (to >= 0) {
                pc = next;
                at = to;
            } else if (back(base, known)) {
                pc = resumed;
                at = resumedAt;
            } else {
                return -1;
            }
        }
    }

    /** Backtracks to the last choice above {@code base}; returns false where there is none. */
    private boolean back(int base, @Nullable FailedStates known) {
        while (top > base) {
            top -= ENTRY;
            int what = stack[top];
            int a = stack[top + 1];
            int b = stack[top + 2];
            int pc = what >> 2;
            switch (what & 3) {
                case REGISTER -> registers[pc] = a;
                case GREEDY -> {
                    resumed = pc + 1;
                    resumedAt = before(b, a);
                    if (resumedAt > a) {
                        push(GREEDY, pc, a, resumedAt);
                    }
                    return true;
                }
                case LAZY -> {
                    int to = b < program.z(pc) ? one(program.set(pc), a) : -1;
                    if (to >= 0 && isNew(pc, to, known)) {
                        push(LAZY, pc, to, b + 1);
                        resumed = pc + 1;
                        resumedAt = to;
                        return true;
                    }
                }
                default -> {
                    resumed = pc;
                    resumedAt = a;
                    return true;
                }
            }
        }
        return false;
    }

    private int before(int at, int least) {
        boolean isPair = at - 2 >= least
                && Character.isLowSurrogate(text.charAt(at - 1))
                && Character.isHighSurrogate(text.charAt(at - 2));
        return at - (isPair ? 2 : 1);
    }

    private void push(int kind, int pc, int a, int b) {
        if (top == stack.length) {
            if (top >= DEEPEST) {
                throw EngineException.invalidArgument("a regular expression of the tokenizer repeats a choice too often"
                        + " for a text of " + text.length() + " characters");
            }
            stack = Arrays.copyOf(stack, 2 * top);
        }
        stack[top++] = pc << 2 | kind;
        stack[top++] = a;
        stack[top++] = b;
    }

    private int literal(int point, int at) {
        return at < text.length() && text.codePointAt(at) == point ? at + Character.charCount(point) : -1;
    }

    private int one(CharSet set, int at) {
        if (at >= text.length()) {
            return -1;
        }
        int point = text.codePointAt(at);
        return set.has(point) ? at + Character.charCount(point) : -1;
    }

    private int greedy(int pc, int place, @Nullable FailedStates known) {
        CharSet set = program.set(pc);
        int fewest = program.y(pc);
        int most = program.z(pc);
        FailedStates noted = most == Part.ENDLESS ? known : null;
        if (noted != null && noted.hasRepetition(pc, place)) {
            return -1;
        }
        // positions after the begin of a failed repetition are known to fail
        int end = noted != null && fewest <= 1 ? noted.begin(pc, text.length()) : text.length();
        int at = place;
        int least = place;
        int count = 0;
        int to = at == end || count == most ? -1 : one(set, at);
        while (to >= 0) {
            at = to;
            count++;
            least = count <= fewest ? at : least;
            burn(1);
            to = at == end || count == most ? -1 : one(set, at);
        }
        if (count < fewest) {
            return -1;
        }
        if (noted != null) {
            noted.addRepetition(pc, place, at);
        }
        if (at > least) {
            push(GREEDY, pc, least, at);
        }
        return at;
    }

    /** Whether a lazy repetition may continue from a position because it has not failed from there before. */
    private boolean isNew(int pc, int at, @Nullable FailedStates known) {
        return known == null || program.z(pc) != Part.ENDLESS || known.addFork(pc, at);
    }

    private int lazy(int pc, int place, @Nullable FailedStates known) {
        CharSet set = program.set(pc);
        int at = place;
        for (int i = 0; i < program.y(pc); i++) {
            at = one(set, at);
            if (at < 0) {
                return -1;
            }
            burn(1);
        }
        if (!isNew(pc, at, known)) {
            return -1;
        }
        push(LAZY, pc, at, program.y(pc));
        return at;
    }

    private boolean isBehind(int pc, int place, int depth) {
        PatternProgram.Bounds bounds = program.bounds(pc);
        registers[program.z(pc)] = place;
        boolean found = false;
        for (int length = bounds.least(); !found && length <= bounds.most() && length <= place; length++) {
            found = match(pc + 1, place - length, depth + 1) >= 0;
        }
        return found != bounds.negated();
    }
}
