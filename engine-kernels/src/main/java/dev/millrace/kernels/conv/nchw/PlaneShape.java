package dev.millrace.kernels.conv.nchw;

import dev.millrace.kernels.image.Axis;
import java.util.List;

/**
 * Windows over plain images.
 *
 * @param groups of channels, each of which sees itself only
 * @param channels of a group
 * @param outChannels of a group
 * @param in elements along each axis
 * @param out elements of the output along each axis
 * @param taps of the window along each axis
 * @param depth the outputs along the depth, by how they see the input
 * @param height the same along the height
 * @param width the same along the width; all have one stride
 */
public record PlaneShape(
        int groups,
        int channels,
        int outChannels,
        Extent in,
        Extent out,
        Extent taps,
        List<PlanePart> depth,
        List<PlanePart> height,
        List<PlanePart> width) {
    /** A number for each axis. */
    public record Extent(int depth, int height, int width) {
        public long all() {
            return (long) depth * height * width;
        }
    }

    /** Windows that slide as these axes say. */
    public static PlaneShape sliding(int groups, int channels, int outChannels, Axis depth, Axis height, Axis width) {
        return new PlaneShape(
                groups,
                channels,
                outChannels,
                new Extent(depth.in(), height.in(), width.in()),
                new Extent(depth.out(), height.out(), width.out()),
                new Extent(depth.taps(), height.taps(), width.taps()),
                List.of(PlanePart.whole(depth)),
                List.of(PlanePart.whole(height)),
                List.of(PlanePart.whole(width)));
    }

    /** The number of a tap of a channel among all of a group's for one output channel. */
    int tap(int channel, int z, int y, int x) {
        return ((channel * taps.depth() + z) * taps.height() + y) * taps.width() + x;
    }

    /** Weights of an output channel. */
    public int weights() {
        return Math.toIntExact(Math.multiplyExact(taps.all(), channels));
    }

    /** Outputs of a row of the part that has most. */
    int columns() {
        return width.stream().mapToInt(part -> part.axis().out()).max().orElseThrow();
    }
}
