package dev.millrace.pipelines.image;

import dev.millrace.graph.EngineException;

/**
 * The limits of a detector.
 *
 * @param score the smallest score of a detection, from 0 to 1
 * @param overlap the intersection over union above which the weaker one of two detections goes, from 0 to 1
 */
public record DetectionOptions(double score, double overlap) {
    public DetectionOptions {
        if (!(score >= 0 && score <= 1 && overlap >= 0 && overlap <= 1)) {
            throw EngineException.invalidArgument(
                    "a smallest score of " + score + " and an overlap of " + overlap + "; both are from 0 to 1");
        }
    }

    /** Returns the limits that detectors of the YOLO family use: 0.25 and 0.45. */
    public static DetectionOptions defaults() {
        return new DetectionOptions(0.25, 0.45);
    }
}
