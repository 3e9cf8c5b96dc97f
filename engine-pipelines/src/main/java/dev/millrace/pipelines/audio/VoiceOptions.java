package dev.millrace.pipelines.audio;

import dev.millrace.graph.EngineException;

/**
 * The limits of a voice detector.
 *
 * @param threshold the probability from which a frame is speech
 * @param release the probability below which a frame is silence after speech
 * @param leastSpeech the shortest segment, in milliseconds
 * @param leastSilence the silence that ends a segment, in milliseconds
 * @param padding the time before and behind the speech that belongs to a segment, in milliseconds
 */
public record VoiceOptions(double threshold, double release, int leastSpeech, int leastSilence, int padding) {
    public VoiceOptions {
        if (!(release > 0 && release <= threshold && threshold < 1)) {
            throw EngineException.invalidArgument("a threshold of " + threshold + " and a release of " + release
                    + "; both lie between 0 and 1, the release not above the threshold");
        }
        if (leastSpeech < 0 || padding < 0 || leastSilence < 2 * padding) {
            throw EngineException.invalidArgument("a least speech of " + leastSpeech + " ms, a least silence of "
                    + leastSilence + " ms, a padding of " + padding
                    + " ms; none is negative, and a silence is as long as the paddings at its ends");
        }
    }

    /** Returns the limits of Silero's authors: 0.5, 0.35, 250, 100 and 30. */
    public static VoiceOptions defaults() {
        return new VoiceOptions(0.5, 0.35, 250, 100, 30);
    }
}
