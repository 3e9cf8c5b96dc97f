package dev.millrace.pipelines.audio;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Frames of samples, each with the last samples of the frame before it, from pieces of any length. */
final class SampleFrames {
    private final int frame;
    private final int context;
    /** The context, and behind it the samples of the next frame. */
    private final float[] waiting;
    /** The samples of the next frame that are there. */
    private int count;
    /** The number of samples so far. */
    private long heard;

    SampleFrames(int frame, int context) {
        this.frame = frame;
        this.context = context;
        this.waiting = new float[context + frame];
    }

    long heard() {
        return heard;
    }

    /** Takes samples; returns the frames that they complete. */
    List<float[]> add(float[] samples) {
        var made = new ArrayList<float[]>();
        heard += samples.length;
        for (int at = 0; at < samples.length; ) {
            int taken = Math.min(frame - count, samples.length - at);
            System.arraycopy(samples, at, waiting, context + count, taken);
            at += taken;
            count += taken;
            if (count == frame) {
                made.add(complete());
            }
        }
        return made;
    }

    private float[] complete() {
        float[] made = waiting.clone();
        System.arraycopy(waiting, frame, waiting, 0, context);
        count = 0;
        return made;
    }

    /** Returns the frame that the end of the sound completes with silence; none if nothing is left. */
    List<float[]> end() {
        if (count == 0) {
            return List.of();
        }
        Arrays.fill(waiting, context + count, waiting.length, 0);
        return List.of(complete());
    }
}
