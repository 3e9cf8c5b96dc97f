package dev.millrace.pipelines.audio;

import dev.millrace.graph.EngineException;

/**
 * The limits of a wake word detector.
 *
 * @param threshold the score from which a word may have been spoken
 * @param frames the number of consecutive frames of 80 ms whose scores reach the threshold
 * @param refractory the time after a detection in which the word is not detected again, in milliseconds
 */
public record WakeOptions(double threshold, int frames, int refractory) {
    public WakeOptions {
        if (!(threshold > 0 && threshold <= 1) || frames < 1 || refractory < 0) {
            throw EngineException.invalidArgument("a threshold of " + threshold + ", " + frames + " frames, "
                    + refractory + " ms of rest; the threshold lies above 0 and is 1 at most, there is one frame at"
                    + " least, and no rest is negative");
        }
    }

    /** Returns a threshold of 0.5, one frame and a rest of two seconds. */
    public static WakeOptions defaults() {
        return new WakeOptions(0.5, 1, 2000);
    }
}
