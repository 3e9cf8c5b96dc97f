package dev.millrace.epcontext.binary;

import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Which weights of which files were compared with their digests: once for each state of a file. Thread-safe. */
public final class CheckedWeights {
    private static final int REMEMBERED = 1 << 16;

    private final Set<Weight> known = new LinkedHashSet<>();

    private record Weight(FileState file, SourcePlace place, String digest) {}

    /**
     * Runs a check that throws where it fails, unless it was run before.
     *
     * @param file that holds the weight; null where that is in memory
     */
    public void once(@Nullable Path file, SourcePlace place, String digest, Runnable check) {
        Weight weight = file == null ? null : weight(file, place, digest);
        if (weight == null || !knows(weight)) {
            check.run();
            if (weight != null) {
                add(weight);
            }
        }
    }

    /** A weight that is known again; null for one of a file that could change without being seen. */
    private static @Nullable Weight weight(Path file, SourcePlace place, String digest) {
        try {
            FileState state = FileState.of(file);
            long now = TimeUnit.MILLISECONDS.toNanos(System.currentTimeMillis());
            return state.isYoungAt(now) ? null : new Weight(state, place, digest);
        } catch (IOException _) {
            // it cannot be told from others
            return null;
        }
    }

    private synchronized boolean knows(Weight weight) {
        return known.contains(weight);
    }

    private synchronized void add(Weight weight) {
        known.add(weight);
        if (known.size() > REMEMBERED) {
            known.remove(known.iterator().next());
        }
    }
}
