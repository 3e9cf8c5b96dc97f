package dev.millrace.providers.simd.program;

import dev.millrace.graph.tensor.OwnMemory;
import dev.millrace.memory.Blocks;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The blocks of memory that runs compute in, shared by all programs: as many as there are runs at once, rather than one
 * for each program. A frame keeps one block for good, since its calls hold addresses in it, and takes it for each run.
 * A program whose frames all find their blocks taken creates another frame. Safe for use by several threads.
 */
public final class RunBlocks {
    private static final long ALIGNMENT = 64;
    /** The least bytes of a block that is shared; smaller ones are not worth it. */
    private static final long LEAST_BYTES = 64 << 10;
    /**
     * The most times that a shared block may be larger than a program needs: a small program would only keep it from
     * one that needs it all.
     */
    private static final int MOST_TIMES = 8;

    private final List<WeakReference<Block>> blocks = new ArrayList<>();

    /** Memory that one run at a time computes in. */
    static final class Block {
        private final MemorySegment memory;
        private final AtomicBoolean taken = new AtomicBoolean(true);
        /** The programs whose frames compute in the block. Guarded by the list of all blocks. */
        private final List<WeakReference<Object>> programs = new ArrayList<>();

        /** Whether a run has computed in the block. Guarded by taking the block. */
        private boolean used;

        private Block(long bytes) {
            memory = OwnMemory.reserve(Math.max(1, bytes), ALIGNMENT);
        }

        /**
         * Populates the pages of the block before its first run. A block of a session that never runs takes no memory.
         */
        void use() {
            if (!used) {
                Blocks.populate(memory);
                used = true;
            }
        }

        MemorySegment memory() {
            return memory;
        }

        /** Takes the block until it is given back. Returns false where it is taken already. */
        boolean take() {
            return !taken.get() && taken.compareAndSet(false, true);
        }

        void give() {
            taken.set(false);
        }

        private boolean suits(long bytes) {
            long size = memory.byteSize();
            return size >= bytes && size / MOST_TIMES <= bytes;
        }

        private boolean serves(Object program) {
            programs.removeIf(reference -> reference.get() == null);
            return programs.stream().anyMatch(reference -> reference.get() == program);
        }
    }

    /**
     * Returns a block of at least so many bytes, taken.
     *
     * @param program the program that gets a block that it does not have yet: two of its frames on one block could not
     *     run at once
     */
    Block take(long bytes, Object program) {
        if (bytes < LEAST_BYTES) {
            return new Block(bytes);
        }
        synchronized (blocks) {
            Block found = find(bytes, program);
            if (found == null) {
                found = new Block(bytes);
                blocks.add(new WeakReference<>(found));
            }
            found.programs.add(new WeakReference<>(program));
            return found;
        }
    }

    private @Nullable Block find(long bytes, Object program) {
        for (Iterator<WeakReference<Block>> each = blocks.iterator(); each.hasNext(); ) {
            Block block = each.next().get();
            if (block == null) {
                each.remove();
            } else if (block.suits(bytes) && !block.serves(program) && block.take()) {
                return block;
            }
        }
        return null;
    }
}
