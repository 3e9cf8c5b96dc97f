package dev.millrace.pipelines.image;

import java.util.List;

/** A rectangle of an image that may be turned: its corners in the order in which text inside of it is read. */
public record Quad(Point topLeft, Point topRight, Point bottomRight, Point bottomLeft) {
    /** The corners, clockwise from the upper left one. */
    public List<Point> corners() {
        return List.of(topLeft, topRight, bottomRight, bottomLeft);
    }

    public double width() {
        return Math.max(topLeft.distance(topRight), bottomLeft.distance(bottomRight));
    }

    public double height() {
        return Math.max(topLeft.distance(bottomLeft), topRight.distance(bottomRight));
    }

    /** The smallest upright rectangle around it. */
    public Box bounds() {
        return new Box(
                corners().stream().mapToDouble(Point::x).min().orElseThrow(),
                corners().stream().mapToDouble(Point::y).min().orElseThrow(),
                corners().stream().mapToDouble(Point::x).max().orElseThrow(),
                corners().stream().mapToDouble(Point::y).max().orElseThrow());
    }
}
