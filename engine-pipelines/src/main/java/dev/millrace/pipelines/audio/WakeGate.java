package dev.millrace.pipelines.audio;

/** The detections that follow from the scores of one word, one after the other. */
final class WakeGate {
    private static final int MILLIS = 1000;

    private final WakeOptions options;
    /** The number of frames in a row whose scores reach the threshold. */
    private int reached;
    /** The number of samples from which the word may be detected again. */
    private long rest;

    WakeGate(WakeOptions options) {
        this.options = options;
    }

    /** Takes the next score; returns whether it is a detection. */
    boolean next(WakeScore score) {
        reached = score.score() >= options.threshold() ? reached + 1 : 0;
        if (reached < options.frames() || score.heard() < rest) {
            return false;
        }
        reached = 0;
        rest = score.heard() + (long) options.refractory() * WakeWordDetector.RATE / MILLIS;
        return true;
    }
}
