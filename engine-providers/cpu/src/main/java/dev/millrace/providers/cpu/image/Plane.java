package dev.millrace.providers.cpu.image;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.cpu.extent.ArrayExtents;
import java.lang.foreign.MemorySegment;

/**
 * One channel of one of several images.
 *
 * @param first the element that it begins with
 */
record Plane(ElementType type, MemorySegment data, long first, int height, int width) {
    /** The planes of images, which lie one behind the other. */
    record Stack(Node node, ElementType type, long images, long channels, int height, int width) {
        /** @param shape of images, channels, rows and columns */
        static Stack of(Node node, ElementType type, Shape shape) {
            int height = ArrayExtents.toInt("rows of an image", shape.dim(2));
            int width = ArrayExtents.toInt("columns of an image", shape.dim(3));
            return new Stack(node, type, shape.dim(0), shape.dim(1), height, width);
        }

        /** @param image the number of the image as a region names it, which may be wrong */
        Plane at(MemorySegment data, double image, long channel) {
            if (!(image >= 0 && image < images)) {
                throw EngineException.invalidArgument(
                        node.describe() + ": a region names image " + image + " of " + images);
            }
            return new Plane(type, data, ((long) image * channels + channel) * height * width, height, width);
        }
    }

    double at(long y, long x) {
        return Elements.getDouble(type, data, first + y * width + x);
    }
}
