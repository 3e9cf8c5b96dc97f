package dev.millrace.providers.simd.weights;

import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Finds weights by their content, so that sessions of the same model, or of models with parts in common, hold them once.
 * Keeps nothing alive that no session uses. Safe for use by several threads.
 */
public final class SharedWeights {
    /** Smaller ones are packed sooner than found. */
    private static final long LEAST_BYTES = 16 << 10;

    private static final int SAMPLES = 16;
    private static final long SAMPLE_BYTES = 64;

    private final Map<Key, List<Known>> known = new HashMap<>();
    private final ReferenceQueue<Packed> unused = new ReferenceQueue<>();

    /** What equal weights have in common; whether they are equal is found out by comparing them. */
    private record Key(String layout, long bytes, long samples) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Key that
                    && samples == that.samples
                    && bytes == that.bytes
                    && layout.equals(that.layout);
        }

        @Override
        public int hashCode() {
            return 31 * (31 * layout.hashCode() + Long.hashCode(bytes)) + Long.hashCode(samples);
        }
    }

    private static final class Known extends WeakReference<Packed> {
        private final Key key;

        Known(Key key, Packed packed, ReferenceQueue<Packed> queue) {
            super(packed, queue);
            this.key = key;
        }
    }

    /** The place of weights of this content in this layout, whoever asked for it first. */
    Packed find(List<Tensor> sources, String layout, long bytes) {
        if (bytes < LEAST_BYTES || sources.stream().anyMatch(Tensor::isClosed)) {
            return new Packed(sources);
        }
        var key = new Key(layout, bytes, samples(sources));
        for (Packed candidate : candidates(key)) {
            if (candidate.isOf(sources)) {
                return candidate;
            }
        }
        var fresh = new Packed(sources);
        add(key, fresh);
        return fresh;
    }

    private synchronized List<Packed> candidates(Key key) {
        forgetUnused();
        return known.getOrDefault(key, List.of()).stream()
                .map(Known::get)
                .filter(Objects::nonNull)
                .toList();
    }

    private synchronized void add(Key key, Packed packed) {
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
        var sum = new CRC32C();
        for (Tensor source : sources) {
            MemorySegment bytes = source.segment();
            if (bytes.byteSize() <= SAMPLES * SAMPLE_BYTES) {
                sum.update(bytes.asByteBuffer());
                continue;
            }
            long last = bytes.byteSize() - SAMPLE_BYTES;
            for (int i = 0; i < SAMPLES; i++) {
                sum.update(bytes.asSlice(last * i / (SAMPLES - 1), SAMPLE_BYTES).asByteBuffer());
            }
        }
        return sum.getValue();
    }
}
