package dev.millrace.pipelines.image;

/** A rectangle of an image, in pixels from its left and upper edge. */
public record Box(double left, double top, double right, double bottom) {
    /** Returns the rectangle around a centre. */
    public static Box around(double x, double y, double width, double height) {
        return new Box(x - width / 2, y - height / 2, x + width / 2, y + height / 2);
    }

    public double width() {
        return Math.max(0, right - left);
    }

    public double height() {
        return Math.max(0, bottom - top);
    }

    public double area() {
        return width() * height();
    }

    /** Returns the area of the common part divided by the area of both together, from 0 to 1. */
    public double intersectionOverUnion(Box other) {
        var common = new Box(
                Math.max(left, other.left),
                Math.max(top, other.top),
                Math.min(right, other.right),
                Math.min(bottom, other.bottom));
        double union = area() + other.area() - common.area();
        return union > 0 ? common.area() / union : 0;
    }

    /** Returns the part of this rectangle that lies in an image. */
    public Box within(RgbImage image) {
        return new Box(
                Math.clamp(left, 0, image.width()),
                Math.clamp(top, 0, image.height()),
                Math.clamp(right, 0, image.width()),
                Math.clamp(bottom, 0, image.height()));
    }
}
