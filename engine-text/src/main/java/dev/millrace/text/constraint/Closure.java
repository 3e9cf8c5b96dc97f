package dev.millrace.text.constraint;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the nodes that are reached without reading a byte, with their open calls. Equal calls are one object. */
final class Closure {
    private static final int MANY_FRAMES = 1 << 17;
    private static final int MOST_VISITS = 100_000;

    private final Automaton automaton;
    private final Map<Long, StackFrame> frames = new HashMap<>();
    private final Set<Long> visited = new HashSet<>();
    private int lastId;
    private long steps;
    private boolean isEnd;
    private int count;
    private int[] nodes = new int[16];
    private @Nullable StackFrame[] stacks = new StackFrame[16];
    private int open;
    private int[] openNodes = new int[16];
    private @Nullable StackFrame[] openStacks = new StackFrame[16];

    Closure(Automaton automaton) {
        this.automaton = automaton;
    }

    /** Begins the count of steps anew. */
    void begin() {
        steps = 0;
        clear();
    }

    long steps() {
        return steps;
    }

    void clear() {
        visited.clear();
        count = 0;
        isEnd = false;
    }

    int size() {
        return count;
    }

    /** Whether it remembers so many calls that it should forget them. A closure adds no more than it visits. */
    boolean isLarge() {
        return frames.size() > MANY_FRAMES;
    }

    /** Forgets which calls are equal, which later ones are compared with. */
    void forget() {
        frames.clear();
    }

    /** Adds a node and all that are reached from it without reading a byte. */
    void add(int node, @Nullable StackFrame frame) {
        push(node, frame);
        while (open > 0) {
            int at = openNodes[--open];
            StackFrame above = openStacks[open];
            if (visited.add((long) StackFrame.id(above) << Integer.SIZE | at)) {
                visit(at, above);
            }
        }
    }

    private void push(int node, @Nullable StackFrame frame) {
        if (StackFrame.depth(frame) + automaton.heights()[node] > Automaton.DEEPEST) {
            return;
        }
        if (open == openNodes.length) {
            openNodes = Arrays.copyOf(openNodes, 2 * open);
            openStacks = Arrays.copyOf(openStacks, 2 * open);
        }
        openNodes[open] = node;
        openStacks[open++] = frame;
    }

    private void visit(int node, @Nullable StackFrame frame) {
        steps++;
        if (visited.size() > MOST_VISITS) {
            throw Matcher.tooAmbiguous();
        }
        if (automaton.isEnd()[node]) {
            if (frame == null) {
                isEnd = true;
            } else {
                push(frame.node(), frame.below());
            }
            return;
        }
        boolean reads = false;
        for (int edge = automaton.first()[node]; edge < automaton.first()[node + 1]; edge++) {
            int label = automaton.labels()[edge];
            int target = automaton.targets()[edge];
            if (label == Automaton.EPSILON) {
                push(target, frame);
            } else if (Automaton.isCall(label)) {
                call(edge, frame);
            } else {
                reads |= StackFrame.depth(frame) + automaton.heights()[target] <= Automaton.DEEPEST;
            }
        }
        if (reads) {
            keep(node, frame);
        }
    }

    private void call(int edge, @Nullable StackFrame frame) {
        int target = automaton.targets()[edge];
        int start = automaton.starts()[Automaton.rule(automaton.labels()[edge])];
        if (automaton.isTail()[edge]) {
            push(start, frame);
        } else if (StackFrame.depth(frame) + automaton.heights()[target] <= Automaton.DEEPEST
                && StackFrame.depth(frame) + 1 + automaton.heights()[start] <= Automaton.DEEPEST) {
            push(start, frame(target, frame));
        }
    }

    private StackFrame frame(int node, @Nullable StackFrame below) {
        return frames.computeIfAbsent(
                (long) StackFrame.id(below) << Integer.SIZE | node,
                key -> new StackFrame(++lastId, node, below, StackFrame.depth(below) + 1));
    }

    private void keep(int node, @Nullable StackFrame frame) {
        if (count == nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * count);
            stacks = Arrays.copyOf(stacks, 2 * count);
        }
        nodes[count] = node;
        stacks[count++] = frame;
    }

    /** Returns what makes equal positions equal. */
    int[] key() {
        long[] sorted = new long[count];
        for (int i = 0; i < count; i++) {
            sorted[i] = (long) StackFrame.id(stacks[i]) << Integer.SIZE | nodes[i];
        }
        Arrays.sort(sorted);
        int[] key = new int[2 * count + 1];
        for (int i = 0; i < count; i++) {
            key[2 * i] = (int) sorted[i];
            key[2 * i + 1] = (int) (sorted[i] >> Integer.SIZE);
        }
        key[2 * count] = isEnd ? 1 : 0;
        return key;
    }

    Position position(int age) {
        return new Position(Arrays.copyOf(nodes, count), Arrays.copyOf(stacks, count), isEnd, age);
    }
}
