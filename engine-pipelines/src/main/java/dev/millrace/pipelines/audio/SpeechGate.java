package dev.millrace.pipelines.audio;

import org.jspecify.annotations.Nullable;

/** The segments that follow from the probabilities of frames, one after the other. */
final class SpeechGate {
    private static final long SILENT = -1;
    private static final int MILLIS = 1000;

    private final VoiceOptions options;
    private final int frame;
    /** The number of samples so far. */
    private long heard;
    /** The first sample of the speech under way; {@link #SILENT} for none. */
    private long start = SILENT;
    /** The first sample of the silence in the speech under way; {@link #SILENT} for none. */
    private long silence = SILENT;

    SpeechGate(VoiceOptions options, int frame) {
        this.options = options;
        this.frame = frame;
    }

    private static long samples(int millis) {
        return (long) millis * VoiceDetector.RATE / MILLIS;
    }

    /** Takes the probability of the next frame; returns the segment that it ends, or null. */
    @Nullable
    VoiceSegment next(double probability) {
        long at = heard;
        heard += frame;
        if (probability >= options.threshold()) {
            silence = SILENT;
            start = start == SILENT ? at : start;
            return null;
        }
        if (start == SILENT || probability >= options.release()) {
            return null;
        }
        silence = silence == SILENT ? at : silence;
        return at - silence < samples(options.leastSilence()) ? null : ended(silence, Long.MAX_VALUE);
    }

    /** Returns the segment that the end of the sound ends, or null. */
    @Nullable
    VoiceSegment end(long length) {
        return start == SILENT ? null : ended(length, length);
    }

    private @Nullable VoiceSegment ended(long end, long length) {
        long from = start;
        start = SILENT;
        silence = SILENT;
        long padding = samples(options.padding());
        return end - from <= samples(options.leastSpeech())
                ? null
                : new VoiceSegment(Math.max(0, from - padding), Math.min(length, end + padding));
    }
}
