package dev.millrace.providers.spi;

import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Memory for tensors in a layout, which is filled by the first who wants it. Safe for use by several threads. */
public final class PackedPlace {
    private final List<Tensor> sources;
    private final ReentrantLock filling = new ReentrantLock();
    private @Nullable MemorySegment memory;
    private volatile boolean filled;

    /** @param sources what is packed together, in a place that nobody else finds */
    public PackedPlace(List<Tensor> sources) {
        this.sources = List.copyOf(sources);
    }

    /** The memory of so many bytes, which the allocator makes for the first who asks; it is filled some time. */
    public synchronized MemorySegment place(long bytes, LongFunction<MemorySegment> allocator) {
        MemorySegment known = memory;
        if (known == null) {
            known = allocator.apply(bytes);
            memory = known;
        }
        return known;
    }

    /** Fills the memory, if nobody has, or waits for who is about it; where that fails, somebody else may be able to. */
    public void fill(Consumer<MemorySegment> pack) {
        filling.lock();
        fillLocked(pack);
    }

    /** Fills the memory, if nobody has; false where somebody is about it. */
    public boolean tryFill(Consumer<MemorySegment> pack) {
        if (filled) {
            return true;
        }
        if (!filling.tryLock()) {
            return false;
        }
        fillLocked(pack);
        return true;
    }

    private void fillLocked(Consumer<MemorySegment> pack) {
        try {
            MemorySegment target = memory();
            if (!filled && target != null) {
                pack.accept(target);
                filled = true;
            }
        } finally {
            filling.unlock();
        }
    }

    private synchronized @Nullable MemorySegment memory() {
        return memory;
    }

    /** Whether the tensors lie there in their layout. */
    public boolean isFilled() {
        return filled;
    }

    /** Lets memory that somebody has filled be the place. */
    public synchronized void set(MemorySegment full) {
        memory = full;
        filled = true;
    }

    /** Bytes of the memory, 0 where there is none yet. */
    public synchronized long bytes() {
        return memory == null ? 0 : memory.byteSize();
    }

    /** Whether it was, or will be, made of the same bytes; not where that can no longer be told. */
    boolean isOf(List<Tensor> others) {
        if (sources.size() != others.size()) {
            return false;
        }
        for (int i = 0; i < sources.size(); i++) {
            Tensor source = sources.get(i);
            Tensor other = others.get(i);
            if (source == other) {
                continue;
            }
            boolean comparable = !source.isClosed()
                    && source.type() == other.type()
                    && source.shape().equals(other.shape());
            if (!comparable || !isSame(source.segment(), other.segment())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isSame(MemorySegment one, MemorySegment other) {
        try {
            return one.mismatch(other) < 0;
        } catch (IllegalStateException _) {
            // the session that it was made for was closed meanwhile
            return false;
        } finally {
            Originals.release(one);
            Originals.release(other);
        }
    }
}
