package dev.millrace.pipelines.image;

/**
 * The place of an image in the input of a model: a point of the input is a point of the image times a scale, plus an offset.
 *
 * @param scaleX the pixels of the input for a pixel of the image, from left to right
 * @param scaleY the same from top to bottom
 * @param left the place of the image's left edge in the input
 * @param top the place of the image's upper edge in the input
 */
public record ImagePlacement(double scaleX, double scaleY, double left, double top) {
    /** Returns the point of the image at a point of the input. */
    public Point toImage(double x, double y) {
        return new Point((x - left) / scaleX, (y - top) / scaleY);
    }

    /** Returns the rectangle of the image at a rectangle of the input. */
    public Box toImage(Box box) {
        Point first = toImage(box.left(), box.top());
        Point last = toImage(box.right(), box.bottom());
        return new Box(first.x(), first.y(), last.x(), last.y());
    }

    /** Returns the point of the input at a point of the image. */
    public Point toInput(double x, double y) {
        return new Point(x * scaleX + left, y * scaleY + top);
    }
}
