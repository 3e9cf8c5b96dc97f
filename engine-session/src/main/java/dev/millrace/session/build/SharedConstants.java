package dev.millrace.session.build;

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
 * Large constants that the optimisation of models has made, by their content: sessions of one model hold them once. Keeps
 * none alive that no session uses. Safe for use by several threads.
 */
public final class SharedConstants {
    /** Smaller ones are cheaper than looking for them. */
    private static final long LEAST_BYTES = 64 << 10;

    private static final int LEAST_SWEPT = 64;
    private static final int SAMPLES = 16;
    private static final long SAMPLE_BYTES = 64;

    private final Map<Key, List<Entry>> known = new HashMap<>();
    /** So many keys that it is time to look for some that nobody holds any more. */
    private int sweepAt = LEAST_SWEPT;

    /** What equal constants have in common; whether they are equal is found out by comparing them. */
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
     * A tensor of the same content as a fresh one: that itself, if there was none.
     *
     * @param maker of the fresh one, on one thread
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

    /** Whether nobody but its maker has a tensor that {@link #of} gave; nobody else gets it from then on. */
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

    /** From here on they may be somebody else's, too. */
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
