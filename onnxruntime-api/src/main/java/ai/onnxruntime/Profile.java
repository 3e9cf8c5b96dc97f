package ai.onnxruntime;

import dev.millrace.scheduler.event.ChromeTrace;
import java.nio.file.Path;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The profile of a session: a trace of its runs in a file. */
final class Profile {
    private static final String TIME = "yyyy-MM-dd_HH-mm-ss_SSS";

    private final String file;
    private final long startNanos;
    private final @Nullable ChromeTrace trace;
    private boolean isEnded;

    private Profile(String file, long startNanos, @Nullable ChromeTrace trace) {
        this.file = file;
        this.startNanos = startNanos;
        this.trace = trace;
    }

    /**
     * Starts a profile.
     *
     * @param prefix the beginning of its file's name; null for no profile
     */
    static Profile start(@Nullable String prefix) {
        if (prefix == null) {
            return new Profile("", 0, null);
        }
        String file =
                prefix + "_" + LocalDateTime.now().format(DateTimeFormatter.ofPattern(TIME, Locale.ROOT)) + ".json";
        long now = TimeUnit.MILLISECONDS.toNanos(Instant.now().toEpochMilli());
        return new Profile(file, now, ChromeTrace.to(Path.of(file)));
    }

    @Nullable
    ChromeTrace trace() {
        return trace;
    }

    long startNanos() {
        return startNanos;
    }

    /** Completes the file and returns its name; returns an empty text without a profile, and if it has ended before. */
    synchronized String end() {
        if (trace == null || isEnded) {
            return "";
        }
        isEnded = true;
        trace.close();
        return file;
    }
}
