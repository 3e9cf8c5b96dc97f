package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The checks of a whole automaton: each node can reach an end within the depth of calls, and no rule calls itself first. */
final class AutomatonChecks {
    private static final int NONE = 1 << 20;

    private final int[] first;
    private final int[] labels;
    private final int[] targets;
    private final int[] starts;
    private final boolean[] isEnd;
    private final boolean[] isTail;
    private final int[] sources;
    /** The edges that lead to each node, and those that call the rule that starts there. */
    private final int[] incoming;

    private final int[] firstIncoming;

    AutomatonChecks(int[] first, int[] labels, int[] targets, int[] starts, int[] ends) {
        this.first = first;
        this.labels = labels;
        this.targets = targets;
        this.starts = starts;
        isEnd = new boolean[first.length - 1];
        for (int end : ends) {
            isEnd[end] = true;
        }
        isTail = new boolean[labels.length];
        sources = new int[labels.length];
        for (int node = 0; node < isEnd.length; node++) {
            for (int edge = first[node]; edge < first[node + 1]; edge++) {
                sources[edge] = node;
                isTail[edge] = Automaton.isCall(labels[edge]) && endsAt(targets[edge]);
            }
        }
        firstIncoming = new int[isEnd.length + 1];
        incoming = incoming();
    }

    /** Whether nothing but the end of a rule follows, behind a few edges that read nothing. */
    private boolean endsAt(int node) {
        int at = node;
        for (int i = 0; i < 8 && !isEnd[at]; i++) {
            if (first[at + 1] - first[at] != 1 || labels[first[at]] != Automaton.EPSILON) {
                return false;
            }
            at = targets[first[at]];
        }
        return isEnd[at];
    }

    private int[] incoming() {
        int[] counts = firstIncoming;
        for (int edge = 0; edge < labels.length; edge++) {
            counts[targets[edge] + 1]++;
            if (Automaton.isCall(labels[edge])) {
                counts[starts[Automaton.rule(labels[edge])] + 1]++;
            }
        }
        for (int i = 1; i < counts.length; i++) {
            counts[i] += counts[i - 1];
        }
        int[] next = counts.clone();
        int[] edges = new int[counts[counts.length - 1]];
        for (int edge = 0; edge < labels.length; edge++) {
            edges[next[targets[edge]]++] = edge;
            if (Automaton.isCall(labels[edge])) {
                edges[next[starts[Automaton.rule(labels[edge])]]++] = edge;
            }
        }
        return edges;
    }

    Automaton automaton(int rule, String what) {
        requireNoLeftRecursion(what);
        int[] heights = heights();
        if (heights[starts[rule]] > Automaton.DEEPEST) {
            throw EngineException.invalidArgument(what
                    + " describes no text that can be written: its parts exclude each other, need characters that the"
                    + " vocabulary does not have, or nest without an end or more than " + Automaton.DEEPEST
                    + " deep");
        }
        return new Automaton(first, labels, targets, isEnd, isTail, heights, starts, starts[rule]);
    }

    /** Returns how many nested calls each node needs to reach the end of its rule (Knuth 1977); NONE where it cannot. */
    private int[] heights() {
        int[] heights = new int[isEnd.length];
        Arrays.fill(heights, NONE);
        List<ArrayDeque<Integer>> byHeight = new ArrayList<>();
        for (int height = 0; height <= Automaton.DEEPEST; height++) {
            byHeight.add(new ArrayDeque<>());
        }
        for (int node = 0; node < isEnd.length; node++) {
            if (isEnd[node]) {
                byHeight.getFirst().add(node);
            }
        }
        for (int height = 0; height <= Automaton.DEEPEST; height++) {
            ArrayDeque<Integer> nodes = byHeight.get(height);
            while (!nodes.isEmpty()) {
                int node = nodes.poll();
                if (heights[node] <= height) {
                    continue;
                }
                heights[node] = height;
                for (int i = firstIncoming[node]; i < firstIncoming[node + 1]; i++) {
                    int needed = height(incoming[i], heights);
                    if (needed <= Automaton.DEEPEST && heights[sources[incoming[i]]] == NONE) {
                        byHeight.get(needed).add(sources[incoming[i]]);
                    }
                }
            }
        }
        return heights;
    }

    private int height(int edge, int[] heights) {
        int behind = heights[targets[edge]];
        if (!Automaton.isCall(labels[edge]) || behind == NONE) {
            return behind;
        }
        int within = heights[starts[Automaton.rule(labels[edge])]];
        return within == NONE ? NONE : Math.max(behind, within + (isTail[edge] ? 0 : 1));
    }

    /** Returns which nodes reach the end of their rule without reading a byte. */
    private boolean[] empties() {
        boolean[] empty = new boolean[isEnd.length];
        var open = new ArrayDeque<Integer>();
        for (int node = 0; node < isEnd.length; node++) {
            if (isEnd[node]) {
                open.add(node);
                empty[node] = true;
            }
        }
        while (!open.isEmpty()) {
            int node = open.poll();
            for (int i = firstIncoming[node]; i < firstIncoming[node + 1]; i++) {
                int edge = incoming[i];
                int label = labels[edge];
                boolean passes =
                        label == Automaton.EPSILON || Automaton.isCall(label) && empty[starts[Automaton.rule(label)]];
                if (passes && empty[targets[edge]] && !empty[sources[edge]]) {
                    empty[sources[edge]] = true;
                    open.add(sources[edge]);
                }
            }
        }
        return empty;
    }

    private void requireNoLeftRecursion(String what) {
        List<List<Integer>> called = firstCalls(empties());
        int[] state = new int[starts.length];
        for (int rule = 0; rule < starts.length; rule++) {
            var path = new ArrayDeque<int[]>();
            if (state[rule] == 0) {
                path.push(new int[] {rule, 0});
                state[rule] = 1;
            }
            while (!path.isEmpty()) {
                int[] top = path.element();
                if (top[1] == called.get(top[0]).size()) {
                    state[top[0]] = 2;
                    path.pop();
                    continue;
                }
                int next = called.get(top[0]).get(top[1]++);
                if (state[next] == 1) {
                    throw EngineException.invalidArgument(
                            what + " is left-recursive: a rule begins with itself, directly"
                                    + " or through others. Write the repetition with * or with the rule at the end");
                }
                if (state[next] == 0) {
                    state[next] = 1;
                    path.push(new int[] {next, 0});
                }
            }
        }
    }

    /** Returns the rules that each rule can call before it has read a byte. */
    private List<List<Integer>> firstCalls(boolean[] empty) {
        int[] seenBy = new int[isEnd.length];
        Arrays.fill(seenBy, -1);
        var all = new ArrayList<List<Integer>>();
        for (int rule = 0; rule < starts.length; rule++) {
            var calls = new ArrayList<Integer>();
            var open = new ArrayDeque<Integer>();
            open.add(starts[rule]);
            seenBy[starts[rule]] = rule;
            while (!open.isEmpty()) {
                int node = open.poll();
                for (int edge = first[node]; edge < first[node + 1]; edge++) {
                    int label = labels[edge];
                    if (Automaton.isCall(label)) {
                        calls.add(Automaton.rule(label));
                    }
                    boolean passes = label == Automaton.EPSILON
                            || Automaton.isCall(label) && empty[starts[Automaton.rule(label)]];
                    if (passes && seenBy[targets[edge]] != rule) {
                        seenBy[targets[edge]] = rule;
                        open.add(targets[edge]);
                    }
                }
            }
            all.add(calls);
        }
        return all;
    }
}
