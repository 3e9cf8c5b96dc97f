package dev.millrace.pipelines.image;

import dev.millrace.pipelines.LabelScores;
import java.util.List;

/** The class of each pixel of an image. */
public final class LabelMask {
    private final int width;
    private final int height;
    private final int[] classes;
    private final List<String> labels;

    LabelMask(int width, int height, int[] classes, List<String> labels) {
        this.width = width;
        this.height = height;
        this.classes = classes;
        this.labels = labels;
    }

    public int width() {
        return width;
    }

    public int height() {
        return height;
    }

    /** Returns the index of the class of a pixel. */
    public int index(int x, int y) {
        return classes[y * width + x];
    }

    /** Returns the name of the class of a pixel. */
    public String label(int x, int y) {
        return LabelScores.label(labels, index(x, y));
    }

    /** Returns the share of the pixels that have a class, from 0 to 1. */
    public double share(int index) {
        long count = 0;
        for (int each : classes) {
            count += each == index ? 1 : 0;
        }
        return (double) count / classes.length;
    }
}
