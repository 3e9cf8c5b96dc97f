package dev.millrace.text.pattern;

import dev.millrace.graph.EngineException;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A set of texts as a trie with suffix links, which finds all of them in one pass over a text (Aho and Corasick 1975).
 * The value of a text is its index in a list; of equal ones the last counts. Node 0 is the empty text.
 */
public final class TextSet {
    /** The largest total number of chars, which take half a gigabyte of nodes. */
    private static final long MOST_CHARS = 1L << 24;

    /**
     * The char that leads to each node, its first child, and the index of its text or -1.
     */
    private final char[] labels;

    private final int[] children;
    private final int[] values;
    private final int[] lengths;
    private volatile @Nullable Suffixes suffixes;

    private TextSet(char[] labels, int[] children, int[] values, int[] lengths) {
        this.labels = labels;
        this.children = children;
        this.values = values;
        this.lengths = lengths;
    }

    /**
     * Suffixes of the nodes. They are made when they are first asked for, since a vocabulary is searched without them.
     *
     * @param longest the longest node that is a proper suffix of each node
     * @param shorter the longest proper suffix of each node that is a text, or 0
     */
    private record Suffixes(int[] longest, int[] shorter) {}

    private Suffixes suffixes() {
        Suffixes known = suffixes;
        if (known == null) {
            known = new Suffixes(new int[values.length], new int[values.length]);
            for (int node = 0; node < values.length; node++) {
                for (int child = children[node]; child < children[node + 1]; child++) {
                    int suffix = node == 0 ? 0 : next(known.longest[node], labels[child], known.longest);
                    known.longest[child] = suffix;
                    known.shorter[child] = values[suffix] >= 0 && suffix > 0 ? suffix : known.shorter[suffix];
                }
            }
            suffixes = known;
        }
        return known;
    }

    public static TextSet of(List<String> texts) {
        long chars = 0;
        for (String text : texts) {
            chars += text.length();
        }
        if (chars > MOST_CHARS) {
            throw EngineException.invalidArgument(
                    "the tokens have " + chars + " characters together; " + MOST_CHARS + " are possible");
        }
        return new Builder(texts).build();
    }

    /** Returns the child of a node for a char, or -1. */
    public int child(int node, char each) {
        int low = children[node];
        int high = children[node + 1] - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (labels[middle] == each) {
                return middle;
            }
            if (labels[middle] < each) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return -1;
    }

    /** Returns the longest node that is a suffix of a node's text followed by a char. */
    public int next(int node, char each) {
        return next(node, each, suffixes().longest);
    }

    private int next(int node, char each, int[] suffixes) {
        int at = node;
        int child = child(at, each);
        while (child < 0 && at > 0) {
            at = suffixes[at];
            child = child(at, each);
        }
        return Math.max(0, child);
    }

    /** Returns the index of a node's text, or -1. */
    public int value(int node) {
        return values[node];
    }

    /** Returns the node itself where it is a text, else its longest suffix that is one; 0 where there is none. */
    public int longestText(int node) {
        return node > 0 && values[node] < 0 ? suffixes().shorter[node] : node;
    }

    /** Returns the longest proper suffix of a node that is a text; 0 where there is none. */
    public int shorterText(int node) {
        return suffixes().shorter[node];
    }

    /** Returns the length of the text with index {@code value}. */
    public int length(int value) {
        return lengths[value];
    }

    /** Builds the nodes level by level, so that the children of a node are adjacent. */
    private static final class Builder {
        private final List<String> texts;
        /** The indices of the texts, sorted by text. */
        private final Integer[] order;

        private char[] labels = new char[64];
        private int[] children = new int[64];
        private int[] values = new int[64];
        /** The range of each node's texts in {@link #order}. */
        private int[] from = new int[64];

        private int[] to = new int[64];
        private int nodes;

        Builder(List<String> texts) {
            this.texts = texts;
            order = new Integer[texts.size()];
            Arrays.setAll(order, i -> i);
            Arrays.sort(order, (a, b) -> texts.get(a).compareTo(texts.get(b)));
        }

        TextSet build() {
            add('\0', 0, order.length);
            int depth = 0;
            for (int level = 0; level < nodes; depth++) {
                int next = nodes;
                for (; level < next; level++) {
                    expand(level, depth);
                }
            }
            int[] ends = Arrays.copyOf(children, nodes + 1);
            ends[nodes] = nodes;
            int[] lengths = new int[texts.size()];
            Arrays.setAll(lengths, i -> texts.get(i).length());
            return new TextSet(Arrays.copyOf(labels, nodes), ends, Arrays.copyOf(values, nodes), lengths);
        }

        private void expand(int node, int depth) {
            int at = from[node];
            int end = to[node];
            children[node] = nodes;
            values[node] = -1;
            while (at < end && text(at).length() == depth) {
                values[node] = order[at++];
            }
            while (at < end) {
                char label = text(at).charAt(depth);
                int begin = at;
                while (at < end && text(at).charAt(depth) == label) {
                    at++;
                }
                add(label, begin, at);
            }
        }

        private String text(int at) {
            return texts.get(order[at]);
        }

        private void add(char label, int begin, int end) {
            if (nodes == labels.length) {
                int more = 2 * nodes;
                labels = Arrays.copyOf(labels, more);
                children = Arrays.copyOf(children, more);
                values = Arrays.copyOf(values, more);
                from = Arrays.copyOf(from, more);
                to = Arrays.copyOf(to, more);
            }
            labels[nodes] = label;
            from[nodes] = begin;
            to[nodes++] = end;
        }
    }
}
