package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.WorkSplit;
import dev.millrace.kernels.expression.Expr;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Pointwise convolutions whose output channels read a selection of the input channels: groups that are no whole blocks,
 * and channels in another order than that of the images. Only the channels of the selection are multiplied.
 */
final class ListedConv extends CalledConv {
    private final ListedWeights weights;

    private ListedConv(String layoutName, CallPlan plan, ListedWeights weights) {
        super(layoutName, plan);
        this.weights = weights;
    }

    static ListedConv of(KernelSet kernels, ConvShape shape, ChannelOrder order, Expr after, int threads) {
        int lanes = kernels.target().lanes();
        String layoutName = "conv f32 block " + lanes + " listed " + order + " in " + shape.groups() + " groups";
        var weights = new ListedWeights(shape, order, lanes);
        return new ListedConv(layoutName, new Planner(kernels, shape, weights, after, threads).plan(), weights);
    }

    static boolean fits(ConvShape shape) {
        return shape.depth().isPointwise()
                && shape.height().isPointwise()
                && shape.width().isPointwise();
    }

    /** Whether multiplying whole blocks of channels would multiply many zeros. */
    static boolean pays(ConvShape shape, int lanes) {
        return fits(shape) && shape.groups() > 1 && shape.groupChannels() % lanes != 0;
    }

    @Override
    public long packedBytes() {
        return weights.end();
    }

    @Override
    public void pack(MemorySegment segment, @Nullable MemorySegment bias, MemorySegment packed) {
        weights.pack(segment, bias, packed);
    }

    /**
     * The planner of the tile calls. A unit is some pixels times some blocks of output channels that read the same
     * channels.
     */
    private static final class Planner {
        /** The least number of bands of an image, where each of them has some tiles. */
        private static final int BANDS = 4;

        private static final int PIXELS_OF_BAND = 48;
        /** Pixels of some tiles side by side, the least width of the bands that many threads share. */
        private static final int PIXELS_OF_TILES = 12;

        private final Target target;
        private final ConvShape shape;
        private final ListedWeights weights;
        private final Expr after;
        private final int threads;
        private final Tiling tiling;
        private final CallPlan.Builder calls;
        private final Map<ConvTile.Variant, KernelKey> keys = new HashMap<>();
        private final long pixelBytes;
        private final long outChannels;

        Planner(KernelSet kernels, ConvShape shape, ListedWeights weights, Expr after, int threads) {
            this.shape = shape;
            this.weights = weights;
            this.after = after;
            this.threads = threads;
            target = kernels.target();
            tiling = new Tiling(target, ConvInput.LISTED, 1, shape.width().out());
            calls = new CallPlan.Builder(kernels);
            pixelBytes = target.vectorBytes();
            outChannels = shape.outPixels() * pixelBytes;
        }

        /** A group of blocks of output channels, with the channels that they read in each pass. */
        private record Group(int first, int blocks, List<Pass> passes) {}

        /** @param runs the runs of channels, in the form that {@link ConvTile} takes */
        private record Pass(int first, int end, long[] runs) {}

        CallPlan plan() {
            List<Group> groups = groups();
            int pixels = shape.width().out();
            long bytes = pixels * pixelBytes * Math.ceilDiv(shape.groupChannels(), target.lanes());
            int least = (int) Math.max(Math.clamp(pixels / PIXELS_OF_BAND, 1, BANDS), Math.ceilDiv(bytes, Band.BYTES));
            int bands = WorkSplit.of(pixels / PIXELS_OF_TILES, least, groups.size() * shape.batch(), threads);
            boolean groupsFirst = ConvPlanner.groupsFirst(shape, groups.size(), bands);
            int outer = groupsFirst ? groups.size() : bands;
            int inner = groupsFirst ? bands : groups.size();
            for (int i = 0; i < outer * inner; i++) {
                int band = groupsFirst ? i % inner : i / inner;
                int column = (int) ((long) pixels * band / bands);
                int end = (int) ((long) pixels * (band + 1) / bands);
                unit(groups.get(groupsFirst ? i / inner : i % inner), column, end - column);
            }
            return calls.build();
        }

        private List<Group> groups() {
            List<Group> groups = new ArrayList<>();
            for (int first = 0, end; first < weights.outBlocks(); first = end) {
                end = first + weights.alike(first);
                int next = first;
                for (int blocks : tiling.groups(end - first)) {
                    groups.add(new Group(next, blocks, passes(weights.channels(next), blocks)));
                    next += blocks;
                }
            }
            return groups;
        }

        private List<Pass> passes(int[] channels, int blocks) {
            int most = (int) Math.max(1, ConvPasses.PASS_BYTES / (weights.channelBytes() * blocks));
            int count = Math.ceilDiv(channels.length, most);
            List<Pass> passes = new ArrayList<>();
            for (int pass = 0; pass < count; pass++) {
                int first = (int) ((long) channels.length * pass / count);
                int end = (int) ((long) channels.length * (pass + 1) / count);
                passes.add(new Pass(first, end, runs(channels, first, end)));
            }
            return passes;
        }

        /**
         * Returns two numbers for each run of neighbouring channels in one block: the distance of its first channel
         * from the end of the run before, and the number of its channels.
         */
        private long[] runs(int[] channels, int first, int end) {
            var runs = new long[2 * (end - first)];
            int used = 0;
            long at = 0;
            for (int i = first, next; i < end; i = next) {
                next = i + 1;
                while (next < end && channels[next] == channels[next - 1] + 1 && channels[next] % target.lanes() != 0) {
                    next++;
                }
                long place = place(channels[i]);
                runs[used++] = place - at;
                runs[used++] = next - i;
                at = place + (long) Float.BYTES * (next - i);
            }
            return Arrays.copyOf(runs, used);
        }

        private long place(int channel) {
            int lanes = target.lanes();
            return channel / lanes * shape.inPixels() * pixelBytes + (long) Float.BYTES * (channel % lanes);
        }

        private void unit(Group group, int firstColumn, int pixels) {
            List<Integer> widths = tiling.widths(pixels, group.blocks());
            for (Pass pass : group.passes()) {
                int column = firstColumn;
                for (int tile = 0, alike; tile < widths.size(); tile += alike) {
                    int width = widths.get(tile);
                    alike = widths.lastIndexOf(width) + 1 - tile;
                    emit(group, pass, width, column, alike);
                    column += alike * width;
                }
            }
            calls.endUnit();
        }

        private void emit(Group group, Pass pass, int width, int column, int tiles) {
            boolean isLast = pass == group.passes().getLast();
            var variant = new ConvTile.Variant(
                    width,
                    group.blocks(),
                    ConvInput.LISTED,
                    1,
                    1,
                    1,
                    1,
                    0,
                    0,
                    1,
                    pass.first() == 0 ? ConvTile.Start.ZERO : ConvTile.Start.OUTPUT,
                    false,
                    isLast ? after : null);
            long start = weights.start(group.first());
            long ofOutBlock = group.blocks() > 1 ? weights.start(group.first() + 1) - start : 0;
            Argument sizes =
                    calls.sizes(ConvTile.sizesOfList(tiles, width * pixelBytes, ofOutBlock, outChannels, pass.runs()));
            long out = group.first() * outChannels + column * pixelBytes;
            int steps = 1 + pass.end() - pass.first();
            calls.call(
                    keys.computeIfAbsent(variant, ConvTile.Variant::key),
                    (long) tiles * width * group.blocks() * target.lanes() * steps,
                    Argument.at(Base.INPUT, column * pixelBytes),
                    Argument.at(Base.WEIGHTS, start + pass.first() * weights.channelBytes()),
                    Argument.at(Base.OUTPUT, out),
                    Argument.at(Base.WEIGHTS, weights.bias(group.first())),
                    Argument.at(Base.OTHER, out),
                    sizes);
        }
    }
}
