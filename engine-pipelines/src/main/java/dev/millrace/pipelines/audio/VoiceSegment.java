package dev.millrace.pipelines.audio;

/**
 * A part of a sound in which somebody speaks.
 *
 * @param start the index of its first sample, at 16,000 samples per second
 * @param end the index behind its last sample
 */
public record VoiceSegment(long start, long end) {
    /** The time at which it begins. */
    public double startSeconds() {
        return (double) start / VoiceDetector.RATE;
    }

    /** The time at which it ends. */
    public double endSeconds() {
        return (double) end / VoiceDetector.RATE;
    }
}
