package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;
import java.util.ArrayList;
import java.util.List;

/** One tile: its packets are read, and its samples put in their places. */
final class Tile {
    private final Size size;
    private final TileSettings settings;
    private final TileComponent[] components;
    private final List<List<Precinct>> precincts = new ArrayList<>();

    Tile(Size size, int index, TileSettings settings, Bytes data) {
        this.size = size;
        this.settings = settings;
        Area area = size.tile(index);
        int layers = settings.layering().layers();
        components = new TileComponent[size.components().size()];
        long packets = 0;
        for (int i = 0; i < components.length; i++) {
            components[i] = new TileComponent(i, size, area, settings);
            for (Resolution resolution : components[i].resolutions) {
                packets += resolution.precincts() * layers;
            }
        }
        // A packet takes a byte or more.
        if (packets > data.remaining()) {
            throw new IllegalArgumentException(
                    "tile " + index + " has " + packets + " packets in " + data.remaining() + " bytes");
        }
        List<Precinct> all = new ArrayList<>();
        for (int i = 0; i < components.length; i++) {
            List<Precinct> own = new ArrayList<>();
            for (Resolution resolution : components[i].resolutions) {
                own.addAll(resolution.precincts(i, size.components().get(i), area));
            }
            precincts.add(own);
            all.addAll(own);
        }
        var reader = new PacketReader(data, settings.layering(), area);
        for (Progression progression : settings.progressions()) {
            progression.forEach(all, layers, reader);
        }
    }

    /**
     * Writes the samples of the first components, whose whole images {@code planes} are.
     *
     * @param check throws where nobody waits for the image any more
     */
    void decode(int[][] planes, Runnable check) {
        boolean mixed = settings.layering().transformed();
        if (mixed && components.length < 3) {
            throw new IllegalArgumentException("three components are mixed, and there are " + components.length);
        }
        int[][] whole = new int[planes.length][];
        float[][] real = new float[planes.length][];
        for (int i = 0; i < planes.length; i++) {
            if (mixed && i < 3 && !alike(components[i], components[0])) {
                throw new IllegalArgumentException("component " + i + " is mixed with others, and not like them");
            }
            if (components[i].reversible) {
                whole[i] = components[i].whole(precincts.get(i), check);
            } else {
                real[i] = components[i].real(precincts.get(i), check);
            }
        }
        if (mixed && components[0].reversible) {
            unmix(whole);
        } else if (mixed) {
            unmix(real);
        }
        for (int i = 0; i < planes.length; i++) {
            check.run();
            place(i, components[i].reversible ? whole[i] : rounded(real[i]), planes[i]);
        }
    }

    private static boolean alike(TileComponent a, TileComponent b) {
        return a.area.equals(b.area) && a.reversible == b.reversible;
    }

    private static void unmix(int[][] components) {
        for (int i = 0; i < components[0].length; i++) {
            int u = components[1][i];
            int v = components[2][i];
            int green = components[0][i] - ((u + v) >> 2);
            components[0][i] = v + green;
            components[1][i] = green;
            components[2][i] = u + green;
        }
    }

    private static void unmix(float[][] components) {
        for (int i = 0; i < components[0].length; i++) {
            float y = components[0][i];
            float u = components[1][i];
            float v = components[2][i];
            components[0][i] = y + v * 1.402f;
            components[1][i] = y - u * 0.34413f - v * 0.71414f;
            components[2][i] = y + u * 1.772f;
        }
    }

    private static int[] rounded(float[] values) {
        int[] rounded = new int[values.length];
        for (int i = 0; i < values.length; i++) {
            rounded[i] = (int) Math.rint(values[i]);
        }
        return rounded;
    }

    /** Moves samples without a sign up by half of their range, and all into it. */
    private void place(int component, int[] values, int[] plane) {
        Size.Component one = size.components().get(component);
        int half = 1 << (one.depth() - 1);
        int up = one.signed() ? 0 : half;
        int least = one.signed() ? -half : 0;
        Area whole = size.samples(component);
        Area area = components[component].area;
        int at = 0;
        for (int y = area.y0() - whole.y0(); y < area.y1() - whole.y0(); y++) {
            for (int x = area.x0() - whole.x0(); x < area.x1() - whole.x0(); x++) {
                plane[y * whole.width() + x] = Math.clamp((long) values[at++] + up, least, least + 2 * half - 1);
            }
        }
    }
}
