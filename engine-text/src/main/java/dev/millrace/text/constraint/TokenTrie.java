package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * The bytes of tokens as a trie in preorder: behind a node stand its children with theirs. A walk that leaves a node out goes
 * on at {@link #next}.
 */
final class TokenTrie {
    /** The largest total number of bytes. */
    private static final long MOST_BYTES = 1L << 24;

    /** The largest number of a token. */
    static final int MOST_TOKENS = 1 << 22;

    private int count;
    private byte[] labels = new byte[1024];
    private int[] depths = new int[1024];
    private int[] nexts = new int[1024];
    /** The token of each node in {@link #ids}, the first of several; -1 for none. */
    private int[] tokens = new int[1024];

    private final int[] ids;
    private final boolean[] isSameAsNext;
    private int deepest;

    /** A token and its bytes, which are not empty. */
    record Entry(int id, byte[] bytes) {}

    TokenTrie(List<Entry> entries) {
        long bytes = entries.stream().mapToLong(entry -> entry.bytes().length).sum();
        if (bytes > MOST_BYTES) {
            throw EngineException.invalidArgument(
                    "the tokens have " + bytes + " bytes together; " + MOST_BYTES + " are possible");
        }
        Entry[] sorted = entries.toArray(Entry[]::new);
        Arrays.sort(sorted, Comparator.comparing(Entry::bytes, Arrays::compareUnsigned));
        ids = new int[sorted.length];
        isSameAsNext = new boolean[sorted.length];
        int[] path = new int
                [entries.stream().mapToInt(entry -> entry.bytes().length).max().orElse(0)];
        byte[] before = {};
        int depth = 0;
        for (int i = 0; i < sorted.length; i++) {
            byte[] token = sorted[i].bytes();
            ids[i] = sorted[i].id();
            int same = Arrays.mismatch(before, token);
            if (same < 0) {
                isSameAsNext[i - 1] = i > 0;
                continue;
            }
            while (depth > same) {
                nexts[path[--depth]] = count;
            }
            while (depth < token.length) {
                path[depth] = add(token[depth], depth);
                depth++;
            }
            tokens[count - 1] = i;
            before = token;
        }
        while (depth > 0) {
            nexts[path[--depth]] = count;
        }
    }

    private int add(byte label, int depth) {
        if (count == labels.length) {
            labels = Arrays.copyOf(labels, 2 * count);
            depths = Arrays.copyOf(depths, 2 * count);
            nexts = Arrays.copyOf(nexts, 2 * count);
            tokens = Arrays.copyOf(tokens, 2 * count);
        }
        labels[count] = label;
        depths[count] = depth;
        tokens[count] = -1;
        deepest = Math.max(deepest, depth + 1);
        return count++;
    }

    int size() {
        return count;
    }

    /** The number of bytes of the longest token. */
    int deepest() {
        return deepest;
    }

    int label(int node) {
        return labels[node] & 0xff;
    }

    /** Returns the number of bytes before that of the node. */
    int depth(int node) {
        return depths[node];
    }

    /** Returns the node behind a node and all its children. */
    int next(int node) {
        return nexts[node];
    }

    /** Adds the tokens that end with a node. */
    void addTokens(int node, BitSet to) {
        int at = tokens[node];
        if (at < 0) {
            return;
        }
        to.set(ids[at]);
        while (isSameAsNext[at]) {
            to.set(ids[++at]);
        }
    }
}
