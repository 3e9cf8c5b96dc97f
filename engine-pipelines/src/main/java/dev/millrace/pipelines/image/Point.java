package dev.millrace.pipelines.image;

/** A point of an image, in pixels from its left and upper edge. */
public record Point(double x, double y) {
    double distance(Point other) {
        return Math.hypot(x - other.x, y - other.y);
    }
}
