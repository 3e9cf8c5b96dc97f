package dev.millrace.providers.cpu.image.jpeg2000;

import org.jspecify.annotations.Nullable;

/** A part of a resolution of a component. A packet holds one layer of it. */
final class Precinct {
    final int component;
    final int resolution;
    /** The index among the precincts of the resolution, row by row. */
    final int index;
    /** The coordinates of its start on the image's grid. */
    final long x;

    final long y;

    private final Resolution owner;
    private Blocks @Nullable [] blocks;
    /** The number of its layers that were read. */
    int layers;

    Precinct(Resolution owner, int component, int index, long x, long y) {
        this.owner = owner;
        this.component = component;
        this.resolution = owner.number;
        this.index = index;
        this.x = x;
        this.y = y;
    }

    /**
     * The code blocks of a part of a band, with the tag trees of the layers in which they begin, and of the number of
     * their empty planes.
     */
    static final class Blocks {
        final Subband band;
        final int across;
        final int down;
        final TagTree inclusion;
        final TagTree emptyPlanes;
        final @Nullable CodeBlock[] blocks;
        private final Area area;
        private final Area cells;
        private final CodingStyle style;
        private final int blockWidth;
        private final int blockHeight;

        Blocks(Subband band, Area area, CodingStyle style, int blockWidth, int blockHeight) {
            this.band = band;
            this.area = area;
            this.style = style;
            this.blockWidth = blockWidth;
            this.blockHeight = blockHeight;
            cells = area.isEmpty()
                    ? new Area(0, 0, 0, 0)
                    : new Area(
                            area.x0() >> blockWidth,
                            area.y0() >> blockHeight,
                            ((area.x1() - 1) >> blockWidth) + 1,
                            ((area.y1() - 1) >> blockHeight) + 1);
            across = cells.width();
            down = cells.height();
            inclusion = new TagTree(across, down);
            emptyPlanes = new TagTree(across, down);
            blocks = new CodeBlock[across * down];
        }

        CodeBlock block(int at) {
            CodeBlock block = blocks[at];
            if (block == null) {
                int x = cells.x0() + at % across;
                int y = cells.y0() + at / across;
                var cell = new Area(x << blockWidth, y << blockHeight, (x + 1) << blockWidth, (y + 1) << blockHeight);
                block = new CodeBlock(cell.within(area), style);
                blocks[at] = block;
            }
            return block;
        }
    }

    /**
     * Returns the blocks, band by band. They are created when they are asked for, as most precincts of a broken file
     * never are.
     */
    Blocks[] blocks() {
        Blocks[] made = blocks;
        if (made == null) {
            made = owner.blocks(index);
            blocks = made;
        }
        return made;
    }

    /** Returns the blocks that were asked for. */
    Blocks[] blocksRead() {
        return blocks == null ? new Blocks[0] : blocks;
    }
}
