package dev.millrace.pipelines.audio;

import org.jspecify.annotations.Nullable;

/** The segments that follow from the probabilities of frames, one after the other. */
final class SpeechGate {
    private static final int SILENT = -1;
    private static final int MILLIS = 1000;

    private final VoiceOptions options;
    private final int frame;
    /** The number of samples so far. */
    private int heard;
    /** The first sample of the speech under way; {@link #SILENT} for none. */
    private int start = SILENT;
    /** The first sample of the silence in the speech under way; {@link #SILENT} for none. */
    private int silence = SILENT;

    SpeechGate(VoiceOptions options, int frame) {
        this.options = options;
        this.frame = frame;
    }

    private static int samples(int millis) {
        return millis * VoiceDetector.RATE / MILLIS;
    }

    /** Takes the probability of the next frame; returns the segment that it ends, or null. */
    @Nullable
    VoiceSegment next(double probability) {
        int at = heard;
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
        return at - silence < samples(options.leastSilence()) ? null : ended(silence, Integer.MAX_VALUE);
    }

    /** Returns the segment that the end of the sound ends, or null. */
    @Nullable
    VoiceSegment end(int length) {
        return start == SILENT ? null : ended(length, length);
    }

    private @Nullable VoiceSegment ended(int end, int length) {
        int from = start;
        start = SILENT;
        silence = SILENT;
        int padding = samples(options.padding());
        return end - from <= samples(options.leastSpeech())
                ? null
                : new VoiceSegment(Math.max(0, from - padding), Math.min(length, end + padding));
    }
}
