package dev.millrace.providers.simd.program;

import dev.millrace.scheduler.plan.MemoryPlanner;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Memory that values lie in. A storage may be a part of another: then both are the same memory, and a result is written
 * to its place in a concatenation without a copy.
 */
public final class Storage {
    /** The owner of the memory. */
    public enum Kind {
        /** An input of the partition. */
        INPUT,
        /** An output of the partition. */
        OUTPUT,
        /** A part of the block that a run computes in. */
        BLOCK,
        /** Weights, and other numbers that never change. */
        CONSTANT
    }

    private Kind kind;
    private int index;
    private final long bytes;
    private final MemorySegment constant;
    private @Nullable Storage parent;
    private long offsetInParent;
    private MemoryPlanner.@Nullable Buffer buffer;

    private Storage(Kind kind, int index, long bytes, MemorySegment constant) {
        this.kind = kind;
        this.index = index;
        this.bytes = bytes;
        this.constant = constant;
    }

    public static Storage input(int index, long bytes) {
        return new Storage(Kind.INPUT, index, bytes, MemorySegment.NULL);
    }

    public static Storage block(long bytes) {
        return new Storage(Kind.BLOCK, 0, bytes, MemorySegment.NULL);
    }

    /** Creates a storage of native memory that outlives every run. */
    public static Storage constant(MemorySegment memory) {
        return new Storage(Kind.CONSTANT, 0, memory.byteSize(), memory);
    }

    public Kind kind() {
        return kind;
    }

    /** The index of the input or output. */
    public int index() {
        return index;
    }

    public long bytes() {
        return bytes;
    }

    MemorySegment constant() {
        return constant;
    }

    /** The storage that this one is a part of, or itself. */
    public Storage root() {
        Storage at = this;
        while (at.parent != null) {
            at = at.parent;
        }
        return at;
    }

    /** The offset in its {@link #root}, in bytes. */
    public long offsetInRoot() {
        long offset = 0;
        for (Storage at = this; at.parent != null; at = at.parent) {
            offset += at.offsetInParent;
        }
        return offset;
    }

    /** Whether it can still become a part of another storage, or an output. */
    public boolean isFree() {
        return kind == Kind.BLOCK && parent == null;
    }

    /** Makes it a part of another storage. */
    public void becomePartOf(Storage whole, long offset) {
        if (!isFree() || whole.root() == this) {
            throw new IllegalStateException("a storage cannot be moved into another one twice");
        }
        parent = whole;
        offsetInParent = offset;
    }

    /** Makes it an output of the partition. */
    public void becomeOutput(int output) {
        if (!isFree()) {
            throw new IllegalStateException("a storage that is no part of the block cannot become an output");
        }
        kind = Kind.OUTPUT;
        index = output;
    }

    MemoryPlanner.@Nullable Buffer buffer() {
        return buffer;
    }

    /** Extends the lifetime of the memory to a step. */
    void live(int step) {
        if (buffer == null) {
            buffer = new MemoryPlanner.Buffer(bytes, step, step);
        } else {
            buffer.extend(step);
        }
    }
}
