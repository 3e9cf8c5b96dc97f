package dev.millrace.providers.cpu.image;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.scheduler.pool.Scratch;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/**
 * Points between the pixels of planes of one size, each the weighted sum of the four pixels around it. A plane is an array
 * with one pixel of zeros around it, which is what lies outside.
 *
 * @param places of the upper left pixel
 * @param weights of the pixels: the upper left and right one, the lower left and right one
 * @param pixels those of a plane as they lie in memory
 */
public record PointsBetween(int height, int width, int[] places, double[][] weights, double[] pixels, double[] plane) {
    private static final int AROUND = 4;

    /**
     * Room for points, none of which is set. Row slot 0, the doubles of a slot, and the ints of slot 0 are used up.
     *
     * @param slot of the doubles that a plane is read into, as the next one
     */
    public static PointsBetween of(Scratch scratch, int slot, int points, int height, int width) {
        int pixels = Math.multiplyExact(height + 2, width + 2);
        double[] plane = scratch.doubles(slot, pixels);
        Arrays.fill(plane, 0, pixels, 0);
        return new PointsBetween(
                height,
                width,
                scratch.ints(0, points),
                scratch.doubleRows(0, AROUND, points),
                scratch.doubles(slot + 1, height * width),
                plane);
    }

    /** Sets a point, whose sum counts so much. */
    public void set(int point, double y, double x, double share) {
        boolean isOutside = y <= -1 || y >= height || x <= -1 || x >= width;
        double top = isOutside ? -1 : Math.floor(y);
        double left = isOutside ? -1 : Math.floor(x);
        double down = isOutside ? 0 : y - top;
        double right = isOutside ? 0 : x - left;
        places[point] = ((int) top + 1) * (width + 2) + (int) left + 1;
        weights[0][point] = share * (1 - down) * (1 - right);
        weights[1][point] = share * (1 - down) * right;
        weights[2][point] = share * down * (1 - right);
        weights[3][point] = share * down * right;
    }

    /** Reads the plane that begins at an element. */
    public void read(ElementType type, MemorySegment from, long first) {
        Elements.read(type, from, first, pixels, 0, height * width);
        for (int y = 0; y < height; y++) {
            System.arraycopy(pixels, y * width, plane, (y + 1) * (width + 2) + 1, width);
        }
    }

    /** The points of the plane that was read, from one on. */
    public void sum(int first, double[] to, int count) {
        double[] upperLeft = weights[0];
        double[] upperRight = weights[1];
        double[] lowerLeft = weights[2];
        double[] lowerRight = weights[3];
        int below = width + 2;
        for (int i = 0; i < count; i++) {
            int point = first + i;
            int at = places[point];
            to[i] = upperLeft[point] * plane[at]
                    + upperRight[point] * plane[at + 1]
                    + (lowerLeft[point] * plane[at + below] + lowerRight[point] * plane[at + below + 1]);
        }
    }
}
