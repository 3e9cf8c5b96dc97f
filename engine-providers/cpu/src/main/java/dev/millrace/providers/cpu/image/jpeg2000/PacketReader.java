package dev.millrace.providers.cpu.image.jpeg2000;

import dev.millrace.providers.cpu.image.source.Bytes;

/** Takes packets apart: a header says which blocks go on by how many passes and bytes, and those bytes follow. */
final class PacketReader implements Progression.Visitor {
    private static final int PACKET_START = 0xff91;
    private static final int HEADER_END = 0xff92;

    private final Bytes data;
    private final TileSettings.Layering layering;
    /** How many blocks may be looked at: an image's own are far fewer, and a broken one's layers are without end. */
    private long budget;

    PacketReader(Bytes data, TileSettings.Layering layering, Area tile) {
        this.data = data;
        this.layering = layering;
        budget = (1L << 22) + 16L * tile.width() * tile.height();
    }

    @Override
    public void visit(Precinct precinct, int layer) {
        if (layer < precinct.layers) {
            return;
        }
        precinct.layers = layer + 1;
        data.check();
        if (layering.packetStarts() && nextIs(PACKET_START)) {
            data.skip(6);
        }
        var in = new HeaderBits(data);
        boolean any = in.bit() == 1;
        if (any) {
            for (Precinct.Blocks blocks : precinct.blocks()) {
                budget -= blocks.blocks.length;
                if (budget < 0) {
                    throw new IllegalArgumentException("layer " + layer + " of a precinct of " + blocks.blocks.length
                            + " blocks: too many blocks for a tile of this size");
                }
                readHeader(in, blocks, layer);
            }
        }
        in.end();
        if (layering.headerEnds() && nextIs(HEADER_END)) {
            data.skip(2);
        }
        if (any) {
            for (Precinct.Blocks blocks : precinct.blocks()) {
                readBody(blocks);
            }
        }
    }

    private boolean nextIs(int marker) {
        return data.remaining() > 1 && data.rest().big16() == marker;
    }

    private static void readHeader(HeaderBits in, Precinct.Blocks blocks, int layer) {
        for (int y = 0; y < blocks.down; y++) {
            for (int x = 0; x < blocks.across; x++) {
                int at = y * blocks.across + x;
                CodeBlock known = blocks.blocks[at];
                boolean first = known == null || !known.isIncluded();
                boolean included = first ? blocks.inclusion.isLess(in, x, y, layer + 1) : in.bit() == 1;
                if (included) {
                    CodeBlock block = blocks.block(at);
                    if (first) {
                        int empty = 0;
                        while (!blocks.emptyPlanes.isLess(in, x, y, empty + 1)) {
                            empty++;
                        }
                        block.planes = blocks.band.planes - empty;
                    }
                    readLengths(in, block);
                }
            }
        }
    }

    private static void readLengths(HeaderBits in, CodeBlock block) {
        int passes = passes(in);
        while (in.bit() == 1) {
            block.lengthBits++;
        }
        while (passes > 0) {
            CodeBlock.Segment segment = block.open();
            int now = Math.min(passes, segment.most - segment.passes);
            int bits = block.lengthBits + 31 - Integer.numberOfLeadingZeros(now);
            if (bits > 31) {
                throw new IllegalArgumentException("a code block whose length takes " + bits + " bits; at most 31 do");
            }
            segment.passes += now;
            segment.added = in.number(bits);
            passes -= now;
        }
    }

    private static int passes(HeaderBits in) {
        if (in.bit() == 0) {
            return 1;
        }
        if (in.bit() == 0) {
            return 2;
        }
        int few = in.number(2);
        if (few < 3) {
            return 3 + few;
        }
        int more = in.number(5);
        return more < 31 ? 6 + more : 37 + in.number(7);
    }

    private void readBody(Precinct.Blocks blocks) {
        for (CodeBlock block : blocks.blocks) {
            if (block == null) {
                continue;
            }
            for (CodeBlock.Segment segment : block.segments) {
                if (segment.added > 0) {
                    int at = data.position();
                    data.skip(segment.added);
                    block.append(data.array(), at, segment.added);
                    segment.bytes += segment.added;
                    segment.added = 0;
                }
            }
        }
    }
}
