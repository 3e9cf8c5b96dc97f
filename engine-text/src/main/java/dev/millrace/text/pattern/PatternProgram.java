package dev.millrace.text.pattern;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The instructions of a regular expression, which {@link Run} executes. */
final class PatternProgram {
    /** The operation of an instruction, whose operands are {@code x}, {@code y} and {@code z}. */
    enum Op {
        /** Consumes the code point x. */
        LITERAL,
        /** Consumes a code point of set x. */
        SET,
        /** Consumes at least y and at most z code points of set x, as many as possible. */
        GREEDY,
        /** Consumes at least y and at most z code points of set x, as few as possible. */
        LAZY,
        /** Continues at x, and at y if that fails. */
        FORK,
        /** Continues at x. */
        JUMP,
        /** Stores the position in register x. */
        MARK,
        /** Continues at y if the position is that of register x. */
        LEAVE,
        /** Requires that {@link Place} x holds at the position. */
        PLACE,
        /**
         * Requires a match of the following instructions, or none if y is 1, and continues at x from the same position.
         */
        AHEAD,
        /**
         * Requires a match that ends at the position, which register z stores, or none, with a length within {@link
         * #bounds} y.
         */
        BEHIND,
        /** Requires the position of register x. */
        BACK,
        /** Takes the first match of the following instructions and continues at x. */
        ATOMIC,
        /** Ends the program, or the part that AHEAD, BEHIND or ATOMIC has begun. */
        END
    }

    /** The lengths of a look-behind, and whether it is negated. */
    record Bounds(int least, int most, boolean negated) {}

    private static final int LONGEST = 1 << 14;

    private Op[] ops = new Op[64];
    private int[] operands = new int[3 * 64];
    private int length;
    private int registers;
    private boolean hasMarks;
    private final List<CharSet> sets = new ArrayList<>();
    private final List<Bounds> bounds = new ArrayList<>();

    PatternProgram(Part whole) {
        emit(whole);
        add(Op.END, 0, 0, 0);
    }

    Op op(int at) {
        return ops[at];
    }

    int x(int at) {
        return operands[3 * at];
    }

    int y(int at) {
        return operands[3 * at + 1];
    }

    int z(int at) {
        return operands[3 * at + 2];
    }

    CharSet set(int at) {
        return sets.get(x(at));
    }

    Bounds bounds(int at) {
        return bounds.get(y(at));
    }

    /** Whether the positions in the program and in the text alone decide the result. */
    boolean isPlain() {
        return !hasMarks;
    }

    int length() {
        return length;
    }

    int registers() {
        return registers;
    }

    private int add(Op op, int x, int y, int z) {
        if (length == LONGEST) {
            throw EngineException.invalidArgument(
                    "it repeats groups so often that it takes more than " + LONGEST + " instructions");
        }
        if (length == ops.length) {
            ops = Arrays.copyOf(ops, 2 * length);
            operands = Arrays.copyOf(operands, 6 * length);
        }
        ops[length] = op;
        operands[3 * length] = x;
        operands[3 * length + 1] = y;
        operands[3 * length + 2] = z;
        return length++;
    }

    private void toHere(int at, int operand) {
        operands[3 * at + operand] = length;
    }

    private int set(CharSet set) {
        int known = sets.indexOf(set);
        if (known < 0) {
            sets.add(set);
        }
        return known < 0 ? sets.size() - 1 : known;
    }

    private void emit(Part part) {
        switch (part) {
            case Part.Literal literal -> add(Op.LITERAL, literal.point(), 0, 0);
            case Part.OneOf one -> add(Op.SET, set(one.set()), 0, 0);
            case Part.Sequence sequence -> sequence.parts().forEach(this::emit);
            case Part.Choice choice -> choice(choice.parts());
            case Part.Repeated repeated -> repeat(repeated);
            case Part.At place -> add(Op.PLACE, place.place().ordinal(), 0, 0);
            case Part.Atomic atomic -> inner(add(Op.ATOMIC, 0, 0, 0), atomic.part());
            case Part.Look look -> look(look);
        }
    }

    private void inner(int begin, Part part) {
        emit(part);
        add(Op.END, 0, 0, 0);
        toHere(begin, 0);
    }

    private void look(Part.Look look) {
        if (!look.behind()) {
            inner(add(Op.AHEAD, 0, look.negated() ? 1 : 0, 0), look.part());
            return;
        }
        bounds.add(new Bounds((int) look.part().least(), (int) look.part().most(), look.negated()));
        int begin = add(Op.BEHIND, 0, bounds.size() - 1, registers);
        int place = registers++;
        emit(look.part());
        add(Op.BACK, place, 0, 0);
        add(Op.END, 0, 0, 0);
        toHere(begin, 0);
    }

    private void choice(List<Part> parts) {
        var ends = new ArrayList<Integer>();
        for (Part part : parts.subList(0, parts.size() - 1)) {
            int fork = add(Op.FORK, length + 1, 0, 0);
            emit(part);
            ends.add(add(Op.JUMP, 0, 0, 0));
            toHere(fork, 1);
        }
        emit(parts.getLast());
        ends.forEach(end -> toHere(end, 0));
    }

    private void repeat(Part.Repeated repeated) {
        Part part = repeated.part();
        int times = repeated.times();
        if (part.most() == 0) {
            // a repetition of an empty part is the same as one
            if (repeated.fewest() > 0) {
                emit(part);
            }
            return;
        }
        if (part instanceof Part.OneOf one) {
            add(repeated.lazy() ? Op.LAZY : Op.GREEDY, set(one.set()), repeated.fewest(), times);
            return;
        }
        for (int i = 0; i < repeated.fewest(); i++) {
            emit(part);
        }
        if (times == Part.ENDLESS) {
            loop(repeated);
            return;
        }
        var forks = new ArrayList<Integer>();
        for (int i = repeated.fewest(); i < times; i++) {
            forks.add(fork(repeated.lazy()));
            emit(part);
        }
        forks.forEach(fork -> toHere(fork, repeated.lazy() ? 0 : 1));
    }

    /** Adds a fork between the next instruction and one that is set later. */
    private int fork(boolean lazy) {
        return lazy ? add(Op.FORK, 0, length + 1, 0) : add(Op.FORK, length + 1, 0, 0);
    }

    private void loop(Part.Repeated repeated) {
        int fork = fork(repeated.lazy());
        boolean mayBeEmpty = repeated.part().least() == 0;
        int place = registers;
        if (mayBeEmpty) {
            registers++;
            hasMarks = true;
            add(Op.MARK, place, 0, 0);
        }
        emit(repeated.part());
        int leave = mayBeEmpty ? add(Op.LEAVE, place, 0, 0) : -1;
        add(Op.JUMP, fork, 0, 0);
        if (leave >= 0) {
            toHere(leave, 1);
        }
        toHere(fork, repeated.lazy() ? 0 : 1);
    }
}
