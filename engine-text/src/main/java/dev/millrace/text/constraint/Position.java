package dev.millrace.text.constraint;

import java.util.BitSet;
import org.jspecify.annotations.Nullable;

/** A place in the texts of a constraint: all nodes where a text may be, each with its open calls. */
final class Position {
    final int[] nodes;
    final @Nullable StackFrame[] frames;
    /** Whether a text may end here. */
    final boolean isEnd;

    /** The positions behind each byte, as far as they are known; null before the first. */
    @Nullable
    Position @Nullable [] next;

    /** The tokens that may follow; null while nobody has asked. */
    volatile @Nullable BitSet tokens;

    /** The age of the matcher's memory to which {@link #next} belongs. */
    int age;

    Position(int[] nodes, @Nullable StackFrame[] frames, boolean isEnd, int age) {
        this.nodes = nodes;
        this.frames = frames;
        this.isEnd = isEnd;
        this.age = age;
    }

    /** Whether no text goes on or ends here. */
    boolean isDead() {
        return nodes.length == 0 && !isEnd;
    }
}
