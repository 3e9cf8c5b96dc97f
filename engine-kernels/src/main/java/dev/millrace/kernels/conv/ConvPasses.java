package dev.millrace.kernels.conv;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The passes of a convolution: its taps and input channels are cut into parts whose weights stay in the cache while
 * they are read for all tiles of a unit.
 */
final class ConvPasses {
    /** Bytes of the weights of one pass. */
    static final long PASS_BYTES = 96 << 10;

    private final ConvShape shape;
    private final WeightLayout layout;
    private final int depth;
    private final Map<Part, List<Pass>> known = new HashMap<>();

    /** @param depth the number of input channels in a block */
    ConvPasses(ConvShape shape, WeightLayout layout, int depth) {
        this.shape = shape;
        this.layout = layout;
        this.depth = depth;
    }

    /** A part of the taps and of the input channels. */
    record Pass(int firstBlock, int blocks, int depth, int plane, int firstTap, int taps) {}

    /** A part of the output whose elements need the same passes. */
    private record Part(int plane, int firstOutBlock, int outBlocks) {}

    /**
     * Returns the passes over an output plane for some blocks of its channels, which read the same input. Where there
     * is nothing to read, the list holds one pass that reads nothing.
     */
    List<Pass> of(int plane, int firstOutBlock, int outBlocks) {
        return known.computeIfAbsent(new Part(plane, firstOutBlock, outBlocks), this::cut);
    }

    private List<Pass> cut(Part part) {
        int firstBlock = layout.firstInBlock(part.firstOutBlock());
        int endBlock = layout.endInBlock(part.firstOutBlock());
        int tail = endBlock == layout.inBlocks() ? layout.lastDepth() : 0;
        int fullBlocks = endBlock - firstBlock - (tail > 0 ? 1 : 0);
        int taps = shape.width().taps();
        int parts = (taps + ConvTile.MAX_TAPS - 1) / ConvTile.MAX_TAPS;
        List<Pass> passes = new ArrayList<>();
        for (int plane = shape.depth().firstTap(part.plane());
                plane < shape.depth().endTap(part.plane());
                plane++) {
            for (int some = 0; some < parts; some++) {
                int firstTap = taps * some / parts;
                int tapsOfPart = taps * (some + 1) / parts - firstTap;
                long blockBytes =
                        layout.tapBytes() * tapsOfPart * shape.height().taps() * part.outBlocks();
                int most = (int) Math.max(1, PASS_BYTES / blockBytes);
                int cuts = (fullBlocks + most - 1) / most;
                for (int cut = 0; cut < cuts; cut++) {
                    int first = (int) ((long) fullBlocks * cut / cuts);
                    int end = (int) ((long) fullBlocks * (cut + 1) / cuts);
                    passes.add(new Pass(firstBlock + first, end - first, depth, plane, firstTap, tapsOfPart));
                }
                if (tail > 0) {
                    passes.add(new Pass(endBlock - 1, 1, tail, plane, firstTap, tapsOfPart));
                }
            }
        }
        if (passes.isEmpty()) {
            passes.add(new Pass(firstBlock, 0, depth, 0, 0, 1));
        }
        return passes;
    }
}
