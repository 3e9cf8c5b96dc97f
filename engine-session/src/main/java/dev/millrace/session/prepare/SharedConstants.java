package dev.millrace.session.prepare;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/**
 * The large constants that optimisations of models have computed, by their content, so that the sessions of
 * one model hold them once. The references are weak: no constant lives longer than the sessions that use
 * it. Safe for use by several threads.
 */
public final class SharedConstants {
    /** The size in bytes below which a constant is cheaper to duplicate than to look up. */
    private static final long LEAST_BYTES = 64 << 10;

    private static final int LEAST_SWEPT = 64;
    private static final int SAMPLES = 16;
    private static final long SAMPLE_BYTES = 64;

    private final Map<Key, List<Entry>> known = new HashMap<>();
    /** The number of keys at which entries that nobody holds any more are removed. */
    private int sweepAt = LEAST_SWEPT;

    /** A hash key of constants: type, shape and a checksum of samples. Candidates of one key are compared in full. */
    private record Key(ElementType type, Shape shape, long samples) {}

    private static final class Entry {
        final WeakReference<Tensor> tensor;
        final WeakReference<Object> maker;
        boolean shown;

        Entry(Tensor tensor, Object maker) {
            this.tensor = new WeakReference<>(tensor);
            this.maker = new WeakReference<>(maker);
        }

        boolean isGone() {
            return tensor.refersTo(null);
        }
    }

    /**
     * Returns a known tensor with the content of a fresh one, or the fresh one itself if there is none.
     *
     * @param maker identifies the maker of the fresh tensor, on one thread
     */
    public Tensor of(Tensor fresh, Object maker) {
        if (isSmall(fresh)) {
            return fresh;
        }
        Key key = key(fresh);
        for (Tensor candidate : candidates(key, maker)) {
            if (candidate.segment().mismatch(fresh.segment()) < 0) {
                return candidate;
            }
        }
        add(key, fresh, maker);
        return fresh;
    }

    /**
     * Removes a tensor that {@link #of} returned, unless another maker has it, too; returns whether it was
     * removed. From then on nobody else gets it.
     */
    public synchronized boolean takeBack(Tensor tensor, Object maker) {
        if (isSmall(tensor)) {
            return true;
        }
        List<Entry> alike = known.get(key(tensor));
        return alike != null
                && alike.removeIf(
                        entry -> entry.tensor.refersTo(tensor) && entry.maker.refersTo(maker) && !entry.shown);
    }

    private static boolean isSmall(Tensor tensor) {
        return tensor.type() == ElementType.STRING || tensor.type().bytes(tensor.elements()) < LEAST_BYTES;
    }

    private static Key key(Tensor tensor) {
        return new Key(tensor.type(), tensor.shape(), samples(tensor.segment()));
    }

    /** Returns the live tensors of a key. From here on they may be in use by another maker, too. */
    private synchronized List<Tensor> candidates(Key key, Object maker) {
        var alive = new ArrayList<Tensor>();
        for (Entry entry : known.getOrDefault(key, List.of())) {
            Tensor tensor = entry.tensor.get();
            if (tensor != null) {
                entry.shown |= !entry.maker.refersTo(maker);
                alive.add(tensor);
            }
        }
        return alive;
    }

    private synchronized void add(Key key, Tensor fresh, Object maker) {
        if (known.size() >= sweepAt) {
            forgetUnused();
            sweepAt = Math.max(LEAST_SWEPT, 2 * known.size());
        }
        List<Entry> alike = known.computeIfAbsent(key, _ -> new ArrayList<>());
        alike.removeIf(Entry::isGone);
        alike.add(new Entry(fresh, maker));
    }

    private void forgetUnused() {
        known.values().removeIf(entries -> {
            entries.removeIf(Entry::isGone);
            return entries.isEmpty();
        });
    }

    private static long samples(MemorySegment bytes) {
        var sum = new CRC32();
        long last = bytes.byteSize() - SAMPLE_BYTES;
        for (int i = 0; i < SAMPLES; i++) {
            sum.update(bytes.asSlice(last * i / (SAMPLES - 1), SAMPLE_BYTES).asByteBuffer());
        }
        return sum.getValue();
    }
}
