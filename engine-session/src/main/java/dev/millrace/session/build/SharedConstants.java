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

    private final Map<Key, List<WeakReference<Tensor>>> known = new HashMap<>();
    /** So many keys that it is time to look for some that nobody holds any more. */
    private int sweepAt = LEAST_SWEPT;

    /** What equal constants have in common; whether they are equal is found out by comparing them. */
    private record Key(ElementType type, Shape shape, long samples) {}

    /** A tensor of the same content as a fresh one: that itself, if there was none. */
    public Tensor of(Tensor fresh) {
        if (fresh.type() == ElementType.STRING || fresh.type().bytes(fresh.elements()) < LEAST_BYTES) {
            return fresh;
        }
        var key = new Key(fresh.type(), fresh.shape(), samples(fresh.segment()));
        for (Tensor candidate : candidates(key)) {
            if (candidate.segment().mismatch(fresh.segment()) < 0) {
                return candidate;
            }
        }
        add(key, fresh);
        return fresh;
    }

    private synchronized List<Tensor> candidates(Key key) {
        var alive = new ArrayList<Tensor>();
        for (WeakReference<Tensor> reference : known.getOrDefault(key, List.of())) {
            Tensor tensor = reference.get();
            if (tensor != null) {
                alive.add(tensor);
            }
        }
        return alive;
    }

    private synchronized void add(Key key, Tensor fresh) {
        if (known.size() >= sweepAt) {
            forgetUnused();
            sweepAt = Math.max(LEAST_SWEPT, 2 * known.size());
        }
        List<WeakReference<Tensor>> alike = known.computeIfAbsent(key, _ -> new ArrayList<>());
        alike.removeIf(SharedConstants::isGone);
        alike.add(new WeakReference<>(fresh));
    }

    private void forgetUnused() {
        known.values().removeIf(references -> {
            references.removeIf(SharedConstants::isGone);
            return references.isEmpty();
        });
    }

    private static boolean isGone(WeakReference<Tensor> reference) {
        return reference.get() == null;
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
