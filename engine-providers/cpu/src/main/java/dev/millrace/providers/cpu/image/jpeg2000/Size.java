package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;
import dev.millrace.providers.cpu.image.source.ImageLimits;
import java.util.ArrayList;
import java.util.List;

/**
 * The extents of an image on a grid, of its tiles, and its components.
 *
 * @param tileX where the first column of tiles begins
 * @param tileY where the first row of tiles begins
 */
record Size(Area image, int tileX, int tileY, int tileWidth, int tileHeight, List<Component> components) {
    private static final int MOST_COMPONENTS = 16;

    /** The samples of one kind: their bits, and how far apart they are on the grid. */
    record Component(int depth, boolean signed, int dx, int dy) {}

    static Size read(Bytes marker, long fileBytes) {
        marker.skip(2);
        int x1 = place(marker);
        int y1 = place(marker);
        int x0 = place(marker);
        int y0 = place(marker);
        var image = new Area(x0, y0, x1, y1);
        int tileWidth = place(marker);
        int tileHeight = place(marker);
        int tileX = place(marker);
        int tileY = place(marker);
        ImageLimits.pixels(image.width(), image.height(), fileBytes);
        boolean first = tileX <= x0 && tileY <= y0 && (long) tileX + tileWidth > x0 && (long) tileY + tileHeight > y0;
        if (!first) {
            throw new IllegalArgumentException("the first tile, of " + tileWidth + " × " + tileHeight + " at (" + tileX
                    + ", " + tileY + "), does not hold the image's first pixel, at (" + x0 + ", " + y0 + ")");
        }
        int count = marker.big16();
        if (count > MOST_COMPONENTS) {
            throw new UnsupportedOperationException(
                    "images of " + count + " components; those of up to " + MOST_COMPONENTS + " are decoded");
        }
        List<Component> components = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int depth = marker.octet();
            components.add(component((depth & 127) + 1, depth > 127, marker.octet(), marker.octet()));
        }
        if (count == 0) {
            throw new IllegalArgumentException("an image without components");
        }
        return new Size(image, tileX, tileY, tileWidth, tileHeight, List.copyOf(components));
    }

    private static Component component(int depth, boolean signed, int dx, int dy) {
        if (depth > 16) {
            throw new UnsupportedOperationException("samples of " + depth + " bits; those of up to 16 are decoded");
        }
        if (dx == 0 || dy == 0) {
            throw new IllegalArgumentException("a component's samples are " + dx + " × " + dy + " apart");
        }
        return new Component(depth, signed, dx, dy);
    }

    /** A tile's extent is often the largest number that there is. */
    private static int place(Bytes marker) {
        return (int) Math.min(Integer.MAX_VALUE, marker.big32());
    }

    int tilesAcross() {
        return Math.ceilDiv(image.x1() - tileX, tileWidth);
    }

    int tilesDown() {
        return Math.ceilDiv(image.y1() - tileY, tileHeight);
    }

    long tiles() {
        return (long) tilesAcross() * tilesDown();
    }

    Area tile(int index) {
        long x = tileX + (long) (index % tilesAcross()) * tileWidth;
        long y = tileY + (long) (index / tilesAcross()) * tileHeight;
        return new Area((int) x, (int) y, end(x, tileWidth), end(y, tileHeight)).within(image);
    }

    private static int end(long start, int extent) {
        return (int) Math.min(Integer.MAX_VALUE, start + extent);
    }

    /** A component's samples in the whole image. */
    Area samples(int component) {
        Component one = components.get(component);
        return image.every(one.dx, one.dy);
    }
}
