package dev.millrace.providers.spi;

import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32;
import org.jspecify.annotations.Nullable;

/**
 * A table of tensors that are packed in a layout already, so that sessions of the same model, or of models that share
 * weights, pack and hold them once. A {@link ProviderFactory} has one for the sessions of its engine. Tensors are found
 * by their content. Nothing is kept alive that no session refers to. Safe for use by several threads.
 */
public final class PackedTensors {
    /**
     * The least packed size that is shared, in bytes: smaller tensors are packed in less time than it takes to find
     * them.
     */
    private static final long LEAST_BYTES = 16 << 10;

    private static final int SAMPLES = 4;
    private static final int SAMPLE_BYTES = 64;

    private final Map<Key, List<Known>> known = new HashMap<>();
    private final ReferenceQueue<PackedPlace> unused = new ReferenceQueue<>();

    /** The hash key of packed weights, which equal weights share. Equality itself is decided by comparing the bytes. */
    private record Key(String layout, long bytes, long samples) {}

    private static final class Known extends WeakReference<PackedPlace> {
        private final Key key;

        Known(Key key, PackedPlace packed, ReferenceQueue<PackedPlace> queue) {
            super(packed, queue);
            this.key = key;
        }
    }

    /**
     * Returns the place of tensors with this content in a layout, whoever asked for it first. {@link
     * PackedPlace#isFilled} tells whether they are packed there already. A small tensor gets a place of its own each
     * time, since it is packed in less time than it takes to find it.
     *
     * @param sources the tensors that are packed together; a place is shared with tensors of equal types, shapes and
     *     bytes
     * @param layout names everything that the order of the packed bytes depends on, except for the tensors themselves
     * @param bytes the size of the packed form
     */
    public PackedPlace find(List<Tensor> sources, String layout, long bytes) {
        if (bytes < LEAST_BYTES || sources.stream().anyMatch(Tensor::isClosed)) {
            return new PackedPlace(sources);
        }
        var key = new Key(layout, bytes, samples(sources));
        for (PackedPlace candidate : candidates(key)) {
            if (candidate.isOf(sources)) {
                return candidate;
            }
        }
        var fresh = new PackedPlace(sources);
        add(key, fresh);
        return fresh;
    }

    private synchronized List<PackedPlace> candidates(Key key) {
        forgetUnused();
        return known.getOrDefault(key, List.of()).stream()
                .map(Known::get)
                .filter(Objects::nonNull)
                .toList();
    }

    private synchronized void add(Key key, PackedPlace packed) {
        known.computeIfAbsent(key, _ -> new ArrayList<>()).add(new Known(key, packed, unused));
    }

    private void forgetUnused() {
        for (@Nullable Object gone = unused.poll(); gone instanceof Known reference; gone = unused.poll()) {
            List<Known> ofKey = known.get(reference.key);
            if (ofKey != null && ofKey.remove(reference) && ofKey.isEmpty()) {
                known.remove(reference.key);
            }
        }
    }

    private static long samples(List<Tensor> sources) {
        var sum = new CRC32();
        byte[] sample = new byte[SAMPLES * SAMPLE_BYTES];
        for (Tensor source : sources) {
            MemorySegment bytes = source.segment();
            long last = bytes.byteSize() - SAMPLE_BYTES;
            int length = (int) Math.min(sample.length, bytes.byteSize());
            if (length < sample.length) {
                MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, 0, sample, 0, length);
            } else {
                for (int i = 0; i < SAMPLES; i++) {
                    long at = last * i / (SAMPLES - 1);
                    MemorySegment.copy(bytes, ValueLayout.JAVA_BYTE, at, sample, i * SAMPLE_BYTES, SAMPLE_BYTES);
                }
            }
            sum.update(sample, 0, length);
        }
        return sum.getValue();
    }
}
