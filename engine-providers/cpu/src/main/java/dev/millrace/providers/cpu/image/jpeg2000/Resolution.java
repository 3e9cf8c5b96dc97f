package dev.millrace.providers.cpu.image.jpeg2000;

import java.util.ArrayList;
import java.util.List;

/** One resolution of a component in a tile: its bands and precincts. */
final class Resolution {
    final int number;
    final Area area;
    final Subband[] bands;
    private final CodingStyle style;
    /** The precincts that it touches, counted from the origin. */
    private final Area cells;

    Resolution(int number, Area component, CodingStyle style, Quantization quantization, int depth) {
        this.number = number;
        this.style = style;
        int halvings = style.levels() - number;
        area = component.halved(halvings, 0, 0);
        bands = new Subband[number == 0 ? 1 : 3];
        for (int i = 0; i < bands.length; i++) {
            int kind = number == 0 ? Subband.LOW : i + 1;
            int band = number == 0 ? 0 : 3 * number - 3 + kind;
            Area bandArea = number == 0 ? area : component.halved(halvings + 1, kind & 1, kind >> 1);
            bands[i] = new Subband(kind, bandArea, quantization.planes(band), quantization.step(band, depth));
        }
        int width = style.precinctWidth(number);
        int height = style.precinctHeight(number);
        cells = area.isEmpty()
                ? new Area(0, 0, 0, 0)
                : new Area(
                        area.x0() >> width,
                        area.y0() >> height,
                        ((area.x1() - 1) >> width) + 1,
                        ((area.y1() - 1) >> height) + 1);
    }

    long precincts() {
        return (long) cells.width() * cells.height();
    }

    /** The precincts, which lie on the image's grid as the component's samples do. */
    List<Precinct> precincts(int component, Size.Component spacing, Area tile) {
        List<Precinct> precincts = new ArrayList<>();
        int halvings = style.levels() - number;
        for (int i = 0; i < precincts(); i++) {
            long x = (long) (cells.x0() + i % cells.width()) << style.precinctWidth(number);
            long y = (long) (cells.y0() + i / cells.width()) << style.precinctHeight(number);
            precincts.add(new Precinct(
                    this,
                    component,
                    i,
                    x < area.x0() ? tile.x0() : spacing.dx() * (x << halvings),
                    y < area.y0() ? tile.y0() : spacing.dy() * (y << halvings)));
        }
        return precincts;
    }

    Precinct.Blocks[] blocks(int precinct) {
        int half = number == 0 ? 0 : 1;
        int width = style.precinctWidth(number) - half;
        int height = style.precinctHeight(number) - half;
        long x = (long) (cells.x0() + precinct % cells.width()) << width;
        long y = (long) (cells.y0() + precinct / cells.width()) << height;
        var cell = new Area((int) x, (int) y, end(x, width), end(y, height));
        var blocks = new Precinct.Blocks[bands.length];
        for (int i = 0; i < bands.length; i++) {
            blocks[i] = new Precinct.Blocks(
                    bands[i],
                    cell.within(bands[i].area),
                    style,
                    Math.min(style.blockWidth(), width),
                    Math.min(style.blockHeight(), height));
        }
        return blocks;
    }

    private static int end(long start, int bits) {
        return (int) Math.min(Integer.MAX_VALUE, start + (1L << bits));
    }
}
