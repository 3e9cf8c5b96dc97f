package dev.millrace.pipelines.audio;

/**
 * The score of a wake word behind a frame of 80 ms, or a detection.
 *
 * @param word the name of the word
 * @param score the word's score from 0 to 1
 * @param heard the number of samples so far, at 16,000 per second
 */
public record WakeScore(String word, double score, long heard) {
    /** The time of the sound so far. */
    public double seconds() {
        return (double) heard / WakeWordDetector.RATE;
    }
}
