package dev.millrace.text.constraint;

import dev.millrace.graph.EngineException;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Follows texts through an automaton. Sets of nodes with their open calls become positions when a text first reaches them, as in
 * the lazy construction of a deterministic automaton. Memory for positions is bounded: it is given up as a whole when it is
 * full. Thread-safe.
 */
public final class Matcher {
    private static final int MOST_POSITIONS = 8192;
    private static final long MOST_ITEMS = 1 << 20;
    private static final long MOST_MASK_BYTES = 64L << 20;
    private static final int MOST_PARALLEL = 10_000;
    private static final long MOST_STEPS = 5_000_000;
    private static final int BYTES = 256;

    private final Automaton automaton;
    private final TokenTable table;
    private final Position start;
    private final Closure closure;
    private final Map<Key, Position> positions = new HashMap<>();
    private long items;
    private long maskBytes;
    private int age;

    /** The nodes and the ids of the calls of a position. */
    private record Key(int[] numbers) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that && Arrays.equals(numbers, that.numbers);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(numbers);
        }
    }

    Matcher(Automaton automaton, TokenTable table) {
        this.automaton = automaton;
        this.table = table;
        closure = new Closure(automaton);
        closure.begin();
        closure.add(automaton.start(), null);
        start = position();
    }

    Position start() {
        return start;
    }

    TokenTable table() {
        return table;
    }

    /** Returns the tokens that may follow at a position. */
    BitSet tokens(Position at) {
        BitSet known = at.tokens;
        return known == null ? found(at) : known;
    }

    private synchronized BitSet found(Position at) {
        forgetIfFull();
        BitSet found = tokens(at, new byte[0], false);
        maskBytes += found.size() / Byte.SIZE;
        at.tokens = found;
        return found;
    }

    /**
     * Returns the tokens that may follow before a position.
     *
     * @param pending bytes that stand before the position
     * @param isFirst whether the tokens stand at the beginning of a whole text
     */
    synchronized BitSet tokens(Position at, byte[] pending, boolean isFirst) {
        closure.begin();
        TokenTrie trie = table.trie(isFirst);
        var found = new BitSet();
        Position[] path = new Position[trie.deepest() + 1];
        path[0] = at;
        for (int node = 0; node < trie.size(); ) {
            int depth = trie.depth(node);
            Position next = depth < pending.length
                    ? (trie.label(node) == (pending[depth] & 0xff) ? at : null)
                    : next(path[depth], trie.label(node));
            if (next == null || next.isDead()) {
                node = trie.next(node);
                continue;
            }
            path[depth + 1] = next;
            trie.addTokens(node++, found);
        }
        return found;
    }

    /** Returns the position behind a text; a dead one if no text of the constraint begins so. */
    synchronized Position behind(Position from, byte[] text, int offset) {
        closure.begin();
        Position at = from;
        for (int i = offset; i < text.length && !at.isDead(); i++) {
            at = next(at, text[i] & 0xff);
        }
        return at;
    }

    /** Whether a text is one of the constraint. */
    public boolean matches(byte[] text) {
        return behind(start, text, 0).isEnd;
    }

    private Position next(Position at, int each) {
        if (at.age != age) {
            at.next = null;
            at.age = age;
        }
        @Nullable Position[] known = at.next;
        if (known == null) {
            known = new Position[BYTES];
            at.next = known;
        }
        Position next = known[each];
        return next == null ? made(at, each, known) : next;
    }

    /** Makes the position behind a byte, and notes it for all bytes around that the same edges read. */
    private Position made(Position at, int each, @Nullable Position[] known) {
        closure.clear();
        int low = 0;
        int high = BYTES - 1;
        for (int i = 0; i < at.nodes.length; i++) {
            int node = at.nodes[i];
            for (int edge = automaton.first()[node]; edge < automaton.first()[node + 1]; edge++) {
                int label = automaton.labels()[edge];
                if (label < 0) {
                    continue;
                }
                int first = Automaton.low(label);
                int last = Automaton.high(label);
                if (each < first) {
                    high = Math.min(high, first - 1);
                } else if (each > last) {
                    low = Math.max(low, last + 1);
                } else {
                    low = Math.max(low, first);
                    high = Math.min(high, last);
                    closure.add(automaton.targets()[edge], at.frames[i]);
                }
            }
        }
        Position next = position();
        Arrays.fill(known, low, high + 1, next);
        return next;
    }

    private Position position() {
        if (closure.size() > MOST_PARALLEL) {
            throw tooAmbiguous();
        }
        var key = new Key(closure.key());
        Position known = positions.get(key);
        if (known == null) {
            forgetIfFull();
            known = closure.position(age);
            positions.put(key, known);
            items += known.nodes.length;
        }
        if (closure.steps() > MOST_STEPS) {
            throw tooAmbiguous();
        }
        return known;
    }

    static EngineException tooAmbiguous() {
        return EngineException.invalidArgument("the constraint is too ambiguous: a text can be read in more than "
                + MOST_PARALLEL + " ways at a time, or a token takes too many steps");
    }

    private void forgetIfFull() {
        if (positions.size() > MOST_POSITIONS
                || items > MOST_ITEMS
                || maskBytes > MOST_MASK_BYTES
                || closure.isLarge()) {
            positions.clear();
            closure.forget();
            items = 0;
            maskBytes = 0;
            age++;
        }
    }
}
