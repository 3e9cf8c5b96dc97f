package dev.millrace.flink;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The parts of a model's settings that distinguish sessions. Files with equal contents are one model, wherever they lie.
 *
 * @param contents the SHA-256 of the model's file, and of each file of its external data
 */
record ModelKey(
        String contents,
        int batchSize,
        Duration batchDelay,
        boolean batchPadded,
        List<String> executionProviders,
        Map<String, String> sessionOptions) {
    private static final int SHORT = 12;

    static ModelKey of(String contents, ModelSettings settings) {
        return new ModelKey(
                contents,
                settings.batchSize(),
                settings.batchDelay(),
                settings.batchPadded(),
                settings.executionProviders(),
                settings.sessionOptions());
    }

    /** Returns the first digits of the digest. */
    String digits() {
        return contents.substring(0, SHORT);
    }
}
