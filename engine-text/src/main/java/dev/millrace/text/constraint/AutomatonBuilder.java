package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** A growing {@link Automaton}. Only characters that the vocabulary can write get edges. Its size is bounded. */
final class AutomatonBuilder {
    private static final int MOST_NODES = 200_000;
    private static final int MOST_EDGES = 1_000_000;
    private static final int FEW_TIMES = 2;

    private final CodePoints alphabet;
    private final Map<CodePoints, Integer> sets = new HashMap<>();
    private int nodes;
    private int edges;
    /** The last edge of each node, or -1. */
    private int[] last = new int[64];

    private int[] labels = new int[64];
    private int[] targets = new int[64];
    /** The edge of the same node before each edge, or -1. */
    private int[] before = new int[64];

    private int rules;
    private int[] starts = new int[16];
    private int[] ends = new int[16];

    /** A part of a text, which is added between two nodes. It adds no edge to {@code from} that leads back to it. */
    @FunctionalInterface
    interface Piece {
        void add(int from, int to);
    }

    /** @param alphabet the characters that can be written */
    AutomatonBuilder(CodePoints alphabet) {
        this.alphabet = alphabet;
    }

    int node() {
        if (nodes == MOST_NODES) {
            throw tooLarge();
        }
        last = nodes == last.length ? Arrays.copyOf(last, 2 * nodes) : last;
        last[nodes] = -1;
        return nodes++;
    }

    private static EngineException tooLarge() {
        return EngineException.invalidArgument("the constraint is too large: it needs more than " + MOST_NODES
                + " states or " + MOST_EDGES + " transitions; are there large bounds of repetitions or lengths?");
    }

    private void edge(int from, int label, int to) {
        if (edges == MOST_EDGES) {
            throw tooLarge();
        }
        if (edges == labels.length) {
            labels = Arrays.copyOf(labels, 2 * edges);
            targets = Arrays.copyOf(targets, 2 * edges);
            before = Arrays.copyOf(before, 2 * edges);
        }
        labels[edges] = label;
        targets[edges] = to;
        before[edges] = last[from];
        last[from] = edges++;
    }

    void bytes(int from, int low, int high, int to) {
        edge(from, Automaton.range(low, high), to);
    }

    void epsilon(int from, int to) {
        edge(from, Automaton.EPSILON, to);
    }

    void call(int from, int rule, int to) {
        edge(from, Automaton.call(rule), to);
    }

    /** Adds a rule without content. */
    int rule() {
        if (rules == starts.length) {
            starts = Arrays.copyOf(starts, 2 * rules);
            ends = Arrays.copyOf(ends, 2 * rules);
        }
        starts[rules] = node();
        ends[rules] = node();
        return rules++;
    }

    int start(int rule) {
        return starts[rule];
    }

    int end(int rule) {
        return ends[rule];
    }

    /** Adds a rule with its content. */
    int rule(Piece content) {
        int rule = rule();
        content.add(start(rule), end(rule));
        return rule;
    }

    /** Adds one character of a set. The characters of several bytes are a rule of their own, which is added once. */
    void character(int from, CodePoints set, int to) {
        CodePoints writable = set.and(alphabet);
        Utf8.add(this, from, writable.and(CodePoints.ASCII), to);
        CodePoints longer = writable.without(CodePoints.ASCII);
        if (longer.isOne()) {
            Utf8.add(this, from, longer, to);
        } else if (!longer.isEmpty()) {
            call(from, rule(longer, (begin, end) -> Utf8.add(this, begin, longer, end)), to);
        }
    }

    private int rule(CodePoints set, Piece content) {
        Integer known = sets.get(set);
        int rule = known == null ? rule(content) : known;
        sets.put(set, rule);
        return rule;
    }

    void literal(int from, String text, int to) {
        int at = from;
        int[] points = text.codePoints().toArray();
        for (int i = 0; i < points.length; i++) {
            int next = i == points.length - 1 ? to : node();
            character(at, CodePoints.of(points[i]), next);
            at = next;
        }
        if (points.length == 0) {
            epsilon(from, to);
        }
    }

    /** @param most the largest number of times; negative for no limit */
    void repeat(int from, Piece piece, int fewest, int most, int to) {
        Piece one = Math.max(fewest, most) > FEW_TIMES ? called(piece) : piece;
        int at = from;
        for (int i = 0; i < fewest; i++) {
            int next = node();
            one.add(at, next);
            at = next;
        }
        if (most < 0) {
            int loop = node();
            epsilon(at, loop);
            one.add(loop, loop);
            at = loop;
        }
        for (int i = fewest; i < most; i++) {
            epsilon(at, to);
            int next = node();
            one.add(at, next);
            at = next;
        }
        epsilon(at, to);
    }

    /** Returns the piece as a call of a rule, which is added once however often the piece is. */
    private Piece called(Piece piece) {
        int rule = rule(piece);
        return (from, to) -> call(from, rule, to);
    }

    /** Returns the automaton of a rule; refuses left recursion, and a rule that no text fulfils. */
    Automaton build(int rule, String what) {
        int[] first = new int[nodes + 1];
        int[] label = new int[edges];
        int[] target = new int[edges];
        int count = 0;
        for (int node = 0; node < nodes; node++) {
            first[node] = count;
            for (int edge = last[node]; edge >= 0; edge = before[edge]) {
                label[count] = labels[edge];
                target[count++] = targets[edge];
            }
        }
        first[nodes] = count;
        int[] start = Arrays.copyOf(starts, rules);
        int[] end = Arrays.copyOf(ends, rules);
        return new AutomatonChecks(first, label, target, start, end).automaton(rule, what);
    }
}
