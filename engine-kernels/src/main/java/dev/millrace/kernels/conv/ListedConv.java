package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.key.KernelSet;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Expr;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions without windows whose output channels see some of the channels only, wherever those lie: groups that are no
 * whole blocks, and channels in another order than that of the images. What is not seen is not multiplied.
 */
final class ListedConv implements ConvPlan {
    private final String layoutName;
    private final ListedWeights weights;
    private final CallPlan plan;

    ListedConv(KernelSet kernels, ConvShape shape, ChannelOrder order, Expr after) {
        int lanes = kernels.target().lanes();
        layoutName = "conv f32 block " + lanes + " listed " + order + " in " + shape.groups() + " groups";
        weights = new ListedWeights(shape, order, lanes);
        plan = new Planner(kernels, shape, order, weights, after).plan();
    }

    static boolean fits(ConvShape shape) {
        return shape.depth().isPointwise()
                && shape.height().isPointwise()
                && shape.width().isPointwise();
    }

    /** Whether whole blocks of channels would be multiplied by many zeros. */
    static boolean pays(ConvShape shape, int lanes) {
        return fits(shape) && shape.groups() > 1 && shape.groupChannels() % lanes != 0;
    }

    @Override
    public long packedBytes() {
        return weights.end();
    }

    @Override
    public String packedLayout() {
        return layoutName;
    }

    @Override
    public void pack(MemorySegment given, @Nullable MemorySegment bias, MemorySegment packed) {
        weights.pack(given, bias, packed);
    }

    @Override
    public long scratchBytes(int width) {
        return 0;
    }

    @Override
    public void run(ConvOperands operands, Parallel parallel) {
        plan.run(operands.forCalls(), parallel);
    }

    /** A unit is some pixels times some blocks of output channels that see the same. */
    private static final class Planner {
        private final Target target;
        private final ConvShape shape;
        private final ListedWeights weights;
        private final Expr after;
        private final Tiling tiling;
        private final CallPlan.Builder calls;
        private final List<Band> bands;
        private final Map<ConvTile.Variant, KernelKey> keys = new HashMap<>();
        private final long pixelBytes;

        Planner(KernelSet kernels, ConvShape shape, ChannelOrder order, ListedWeights weights, Expr after) {
            this.shape = shape;
            this.weights = weights;
            this.after = after;
            target = kernels.target();
            tiling = new Tiling(target, ConvInput.LISTED, 1, shape.width().out());
            calls = new CallPlan.Builder(kernels);
            pixelBytes = target.vectorBytes();
            bands = Band.all(shape, pixelBytes * Math.ceilDiv(order.given(), target.lanes()));
        }

        /** Some blocks of output channels. */
        private record Group(int first, int blocks) {}

        CallPlan plan() {
            List<Group> groups = groups();
            if (ConvPlanner.groupsFirst(shape, groups.size(), bands.size())) {
                groups.forEach(group -> bands.forEach(band -> unit(group, band)));
            } else {
                bands.forEach(band -> groups.forEach(group -> unit(group, band)));
            }
            return calls.build();
        }

        private List<Group> groups() {
            List<Group> groups = new ArrayList<>();
            for (int first = 0, end; first < weights.outBlocks(); first = end) {
                end = first + weights.alike(first);
                int next = first;
                for (int blocks : tiling.groups(end - first)) {
                    groups.add(new Group(next, blocks));
                    next += blocks;
                }
            }
            return groups;
        }

        private void unit(Group group, Band band) {
            int[] channels = weights.channels(group.first());
            int most = (int) Math.max(1, ConvPlanner.PASS_BYTES / (weights.channelBytes() * group.blocks()));
            int passes = Math.ceilDiv(channels.length, most);
            List<Integer> widths = tiling.widths(band.endColumn() - band.firstColumn(), group.blocks());
            for (int pass = 0; pass < passes; pass++) {
                int first = (int) ((long) channels.length * pass / passes);
                int end = (int) ((long) channels.length * (pass + 1) / passes);
                int column = band.firstColumn();
                for (int tile = 0, alike; tile < widths.size(); tile += alike) {
                    int width = widths.get(tile);
                    alike = widths.lastIndexOf(width) + 1 - tile;
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
                            first == 0 ? ConvTile.Start.ZERO : ConvTile.Start.OUTPUT,
                            false,
                            end == channels.length ? after : null);
                    emit(variant, group, first, end, column, alike);
                    column += alike * width;
                }
            }
            calls.endUnit();
        }

        private void emit(ConvTile.Variant variant, Group group, int first, int end, int column, int tiles) {
            long[] runs = runs(weights.channels(group.first()), first, end);
            long outChannels = shape.outPixels() * pixelBytes;
            long tileBytes = variant.pixels() * pixelBytes;
            long ofOutBlock = group.blocks() > 1 ? weights.start(group.first() + 1) - weights.start(group.first()) : 0;
            Argument sizes = calls.sizes(ConvTile.sizesOfList(tiles, tileBytes, ofOutBlock, outChannels, runs));
            long out = group.first() * outChannels + column * pixelBytes;
            long work = (long) tiles * variant.pixels() * group.blocks() * target.lanes() * (1 + end - first);
            calls.call(
                    keys.computeIfAbsent(variant, ConvTile.Variant::key),
                    work,
                    Argument.at(Base.INPUT, column * pixelBytes),
                    Argument.at(Base.WEIGHTS, weights.start(group.first()) + first * weights.channelBytes()),
                    Argument.at(Base.OUTPUT, out),
                    Argument.at(Base.WEIGHTS, weights.bias(group.first())),
                    Argument.at(Base.OTHER, out),
                    sizes);
        }

        /** Neighbours in one block: how far the first one lies behind the last one of those before, and how many they are. */
        private long[] runs(int[] channels, int first, int end) {
            long[] runs = new long[2 * (end - first)];
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
    }
}
