package dev.millrace.pipelines.image;

import java.util.List;

/**
 * An object that a model found in an image.
 *
 * @param index the index of the class in the model's output
 * @param label the name of the class
 * @param score the probability
 * @param points further points, such as eyes and mouth of a face; empty where a model has none
 */
public record Detection(Box box, int index, String label, double score, List<Point> points) {
    public Detection {
        points = List.copyOf(points);
    }
}
