package dev.millrace.scheduler.device;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * An arena of one kind of memory of one device. It takes chunks from the device's allocator and gives out ranges of them:
 * the smallest free range that fits. A range that is freed may be used by any stream, so it is freed when all work on it
 * is done. Thread-safe.
 */
public final class DeviceArena implements AutoCloseable {
    private static final long ALIGNMENT = 256;
    private static final Duration LOOK = Duration.ofSeconds(1);

    private final MemoryPlace place;
    private final Options options;
    private final DeviceStream stream;
    private final List<Chunk> chunks = new ArrayList<>();
    private long nextChunk;
    private boolean isClosed;
    private long allocations;
    private long used;
    private long held;
    private long peak;
    private long extensions;
    private long shrinkages;

    /**
     * The sizes of an arena.
     *
     * @param firstChunk the bytes of the first chunk; each further one has twice as many
     * @param largestChunk the bytes that no chunk exceeds but for a range that is larger
     * @param limit the bytes that the arena holds at most
     */
    public record Options(long firstChunk, long largestChunk, long limit) {
        /** Chunks of 1 to 64 MiB, without a limit. */
        public static final Options DEFAULT = new Options(1 << 20, 64 << 20, Long.MAX_VALUE);

        /** A chunk for each range, which is given back when the range is freed. */
        public static final Options UNPOOLED = new Options(0, 0, Long.MAX_VALUE);

        /** Returns these sizes with another limit. */
        public Options withLimit(long bytes) {
            return new Options(firstChunk, largestChunk, bytes);
        }
    }

    /** A free range of a chunk. */
    private record Free(Chunk chunk, long offset, long length) {
        /** Takes its first bytes. */
        DeviceRange take(long bytes, long rounded) {
            chunk.free.remove(offset);
            if (length > rounded) {
                chunk.free.put(offset + rounded, length - rounded);
            }
            chunk.isInUse = true;
            return new DeviceRange(chunk.buffer, offset, bytes);
        }
    }

    private static final class Chunk {
        final DeviceBuffer buffer;
        /** The lengths of free ranges, by their offsets. */
        final TreeMap<Long, Long> free = new TreeMap<>();
        /** Whether anything was allocated in it since it was last looked at. */
        boolean isInUse = true;

        Chunk(DeviceBuffer buffer) {
            this.buffer = buffer;
            free.put(0L, buffer.byteSize());
        }

        boolean isEmpty() {
            return free.getOrDefault(0L, 0L) == buffer.byteSize();
        }

        /** The smallest free range that fits; empty where none does. */
        Optional<Free> best(long bytes) {
            return free.entrySet().stream()
                    .filter(range -> range.getValue() >= bytes)
                    .min(Map.Entry.comparingByValue())
                    .map(range -> new Free(this, range.getKey(), range.getValue()));
        }

        void give(long offset, long bytes) {
            long from = offset;
            long to = offset + bytes;
            Map.Entry<Long, Long> before = free.floorEntry(offset);
            if (before != null && before.getKey() + before.getValue() == offset) {
                from = before.getKey();
            }
            Long behind = free.remove(to);
            free.put(from, to - from + (behind == null ? 0 : behind));
        }
    }

    public DeviceArena(MemoryPlace place, Options options) {
        this.place = place;
        this.options = options;
        this.nextChunk = options.firstChunk;
        this.stream = place.device().createStream(new StreamOptions(place + " memory"));
    }

    /**
     * Allocates a range that all streams may use at once. Its content is undefined.
     *
     * @throws EngineException with an {@link OutOfMemoryError} as its cause where there is none
     */
    public synchronized DeviceRange allocate(long bytes) {
        long rounded = rounded(bytes);
        Free best = chunks.stream()
                .flatMap(chunk -> chunk.best(rounded).stream())
                .min(Comparator.comparingLong(Free::length))
                .orElseGet(() -> extend(rounded));
        allocations++;
        used += rounded;
        peak = Math.max(peak, used);
        return best.take(bytes, rounded);
    }

    private static long rounded(long bytes) {
        return Math.max(ALIGNMENT, Math.ceilDiv(bytes, ALIGNMENT) * ALIGNMENT);
    }

    private Free extend(long bytes) {
        long size = bytes > options.largestChunk / 2 ? bytes : Math.max(bytes, nextChunk);
        if (size > options.limit - held) {
            shrink(0);
            size = Math.max(bytes, Math.min(size, options.limit - held));
        }
        if (size > options.limit - held) {
            throw new EngineException(
                    Status.FAIL,
                    "no memory for " + bytes + " bytes on " + place + ": " + held + " of the limit of " + options.limit
                            + " bytes are held; close sessions, or raise EngineOptions.deviceMemory",
                    new OutOfMemoryError(place.toString()));
        }
        var chunk = new Chunk(allocateChunk(size));
        chunks.add(chunk);
        held += size;
        extensions++;
        nextChunk = Math.min(options.largestChunk, nextChunk * 2);
        return new Free(chunk, 0, size);
    }

    /** Allocates a chunk, once more without those that are empty where the device has no room, and waits until it is there. */
    private DeviceBuffer allocateChunk(long size) {
        DeviceAllocator allocator = place.device().allocator(place.kind());
        DeviceBuffer buffer;
        try {
            buffer = allocator.allocate(size, stream);
        } catch (EngineException e) {
            if (!(e.getCause() instanceof OutOfMemoryError) || shrink(0) == 0) {
                throw e;
            }
            buffer = allocator.allocate(size, stream);
        }
        try {
            long time = stream.signal();
            stream.flush();
            while (!stream.await(time, LOOK)) {
                Thread.onSpinWait();
            }
            return buffer;
        } catch (RuntimeException | Error thrown) {
            allocator.free(buffer, stream);
            throw thrown;
        }
    }

    /** Frees a range that no work uses any more. */
    public synchronized void free(DeviceRange range) {
        Chunk chunk = chunks.stream()
                .filter(each -> each.buffer == range.buffer())
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("a range of another arena"));
        long bytes = rounded(range.bytes());
        chunk.give(range.offset(), bytes);
        used -= bytes;
        if (isClosed) {
            close();
        } else if (options.largestChunk == 0) {
            release(0, false);
        }
    }

    public synchronized AllocatorStatistics statistics() {
        return new AllocatorStatistics(allocations, used, held, peak, extensions, shrinkages);
    }

    /** Gives empty chunks back to the device while more than {@code keepBytes} are held; returns the bytes given back. */
    public synchronized long shrink(long keepBytes) {
        return release(keepBytes, false);
    }

    /** Gives the chunks back that have been empty since the last call. */
    public synchronized void trim() {
        release(0, true);
        chunks.forEach(chunk -> chunk.isInUse = !chunk.isEmpty());
    }

    private long release(long keepBytes, boolean idleOnly) {
        long before = held;
        for (Chunk chunk : List.copyOf(chunks)) {
            if (held > keepBytes && chunk.isEmpty() && !(idleOnly && chunk.isInUse)) {
                chunks.remove(chunk);
                held -= chunk.buffer.byteSize();
                shrinkages++;
                place.device().allocator(place.kind()).free(chunk.buffer, stream);
            }
        }
        if (held < before) {
            place.device().allocator(place.kind()).shrink(held);
        }
        return before - held;
    }

    /** Gives everything back: what is in use, when it is freed. */
    @Override
    public synchronized void close() {
        isClosed = true;
        release(0, false);
        if (chunks.isEmpty()) {
            stream.close();
        }
    }
}
