package dev.millrace.session.generate;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Copies of caches, which are tensors of entries of a batch, heads, steps and values. */
final class CacheCopies {
    private static final int RANK = 4;
    private static final int ENTRIES = 0;
    private static final int HEADS = 1;
    private static final int STEPS = 2;
    private static final int DEPTH = 3;

    /** The number of steps of entries that are copied whole. */
    static final int WHOLE = -1;

    private CacheCopies() {}

    /**
     * Returns copies of caches in which each entry is the first one.
     *
     * @param steps the steps that the caches have, if they have room for more; else {@link #WHOLE}
     */
    static Map<String, Tensor> all(Map<String, Tensor> caches, int entries, int steps) {
        return each(caches, cache -> {
            long[] extents = cache.shape().toArray();
            extents[ENTRIES] = entries;
            Tensor copy = Tensor.allocate(cache.type(), Shape.of(extents));
            for (int entry = 0; entry < entries; entry++) {
                copyEntry(cache, 0, copy, entry, steps);
            }
            return copy;
        });
    }

    /** Returns copies of caches. */
    static Map<String, Tensor> whole(Map<String, Tensor> caches) {
        return each(caches, Tensor::copyOf);
    }

    /** Copies an entry of caches to another one of them. */
    static void move(Map<String, Tensor> caches, int from, int to, int steps) {
        caches.values().forEach(cache -> copyEntry(cache, from, cache, to, steps));
    }

    private static void copyEntry(Tensor from, int fromEntry, Tensor to, int toEntry, int steps) {
        if (steps != WHOLE) {
            copy(from, fromEntry, to, toEntry, steps);
            return;
        }
        long size = to.segment().byteSize() / to.shape().dim(ENTRIES);
        MemorySegment.copy(from.segment(), fromEntry * size, to.segment(), toEntry * size, size);
    }

    /** Whether all caches have at least so many steps. */
    static boolean have(Map<String, Tensor> caches, int steps) {
        return caches.values().stream()
                .allMatch(cache -> cache.shape().rank() == RANK && cache.shape().dim(STEPS) >= steps);
    }

    /** Whether all caches have exactly so many steps. */
    static boolean end(Map<String, Tensor> caches, int steps) {
        return caches.values().stream()
                .allMatch(cache -> cache.shape().rank() == RANK && cache.shape().dim(STEPS) == steps);
    }

    /** Returns copies of the first steps of caches, with room for more. */
    static Map<String, Tensor> first(Map<String, Tensor> caches, int steps, int room) {
        return each(caches, cache -> {
            Tensor copy = ofEntries(cache, 1, room);
            copy(cache, 0, copy, 0, steps);
            return copy;
        });
    }

    static Map<String, Tensor> each(Map<String, Tensor> caches, UnaryOperator<Tensor> made) {
        var all = new LinkedHashMap<String, Tensor>();
        try {
            caches.forEach((name, cache) -> all.put(name, made.apply(cache)));
        } catch (RuntimeException | Error e) {
            all.values().forEach(Tensor::close);
            throw e;
        }
        return all;
    }

    /** Allocates a cache of zeros with the heads and values of another one. */
    static Tensor ofEntries(Tensor like, int entries, int room) {
        Shape shape = like.shape();
        return Tensor.allocate(like.type(), Shape.of(entries, shape.dim(HEADS), room, shape.dim(DEPTH)));
    }

    /** Copies the first steps of an entry of one cache to an entry of another one. */
    static void copy(Tensor from, int fromEntry, Tensor to, int toEntry, int steps) {
        long heads = to.shape().dim(HEADS);
        long row = to.type().bytes(to.shape().dim(DEPTH));
        long fromHead = from.shape().dim(STEPS) * row;
        long toHead = to.shape().dim(STEPS) * row;
        for (long head = 0; head < heads; head++) {
            MemorySegment.copy(
                    from.segment(),
                    (fromEntry * heads + head) * fromHead,
                    to.segment(),
                    (toEntry * heads + head) * toHead,
                    steps * row);
        }
    }

    /** Returns the entries of a cache's batch. */
    static int entries(Map<String, Tensor> caches) {
        return Math.toIntExact(caches.values().iterator().next().shape().dim(ENTRIES));
    }

    /** Returns the steps that caches have room for. */
    static int room(Map<String, Tensor> caches) {
        return Math.toIntExact(caches.values().iterator().next().shape().dim(STEPS));
    }

    static long bytes(Map<String, Tensor> caches) {
        return caches.values().stream()
                .mapToLong(cache -> cache.segment().byteSize())
                .sum();
    }
}
