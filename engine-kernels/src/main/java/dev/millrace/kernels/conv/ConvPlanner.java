package dev.millrace.kernels.conv;

import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.conv.ConvPasses.Pass;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The planner of the tile calls of a direct convolution. A unit is a band of output pixels times a group of blocks of
 * output channels. It runs one pass after the other over parts of the taps and of the input channels, and each pass
 * adds to the sums that the one before left in the output.
 */
final class ConvPlanner {
    /** The size in bytes from which weights are prefetched: fewer are in the cache anyway, or soon. */
    static final long FETCHED_BYTES = 128 << 10;
    /** The value for no weights to prefetch. */
    private static final long NONE = -1;

    private final Target target;
    private final ConvShape shape;
    private final WeightLayout layout;
    private final Placement placement;
    private final ConvInput input;
    private final Expr after;
    private final CallPlan.Builder calls;
    private final int threads;
    private final Tiling tiling;
    private final Map<Tile, CompiledKernel> kernels = new HashMap<>();
    private final ConvPasses cuts;
    private final long pixelBytes;
    private final long outPixelBytes;
    /** The offsets of the passes whose weights have been read or prefetched by an earlier call. */
    private final Set<Long> fetched = new HashSet<>();

    /** @param threads the number of threads for which the work is cut */
    ConvPlanner(
            Target target,
            ConvShape shape,
            WeightLayout layout,
            Placement placement,
            ConvInput input,
            Expr after,
            int threads,
            CallPlan.Builder calls) {
        this.target = target;
        this.shape = shape;
        this.layout = layout;
        this.placement = placement;
        this.input = input;
        this.after = after;
        this.threads = threads;
        this.calls = calls;
        tiling = new Tiling(target, input, shape.width().taps(), shape.width().out());
        cuts = new ConvPasses(shape, layout, input.channels(target.lanes()));
        pixelBytes = input.pixelBytes(target.lanes());
        outPixelBytes = target.vectorBytes();
    }

    /** A group of blocks of output channels that a tile computes together. */
    private record Group(int first, int blocks) {}

    /** The smallest piece of work of a task: a band times a group. */
    private record Unit(Band band, Group group) {}

    /** The key of units that differ by the position of their bands alone, if all taps are inside of the image. */
    private record Like(Group group, int rows, int columns) {}

    /** The first unit of those with one key: its band, and its number in the plan. */
    private record Model(Band band, int number) {}

    /** The properties by which tiles differ, as parameters of their kernels. */
    private record Tile(
            int pixels,
            int blocks,
            int depth,
            int taps,
            int left,
            int right,
            boolean first,
            boolean fetches,
            boolean last) {}

    /** Tiles side by side in a row, or one above the other. */
    private record Run(int row, int rows, int column, int width, int tiles) {
        int count() {
            return Math.max(tiles, rows);
        }
    }

    void plan() {
        List<Group> groups = groups();
        List<Band> bands = Band.all(shape, pixelBytes * layout.inBlocks(), groups.size(), threads);
        List<Unit> units = new ArrayList<>();
        if (groupsFirst(shape, groups.size(), bands.size())) {
            groups.forEach(group -> bands.forEach(band -> units.add(new Unit(band, group))));
        } else {
            bands.forEach(band -> groups.forEach(group -> units.add(new Unit(band, group))));
        }
        Map<Like, Model> models = new HashMap<>();
        for (int i = 0; i < units.size(); i++) {
            Unit unit = units.get(i);
            Band band = unit.band();
            boolean hasLikes = !fetches() && band.seesAll(shape);
            var like = new Like(unit.group(), band.rows(), band.columns());
            Model model = hasLikes ? models.get(like) : null;
            if (model != null) {
                calls.repeat(model.number(), model.number() + 1, away(model.band(), band));
                continue;
            }
            if (hasLikes) {
                models.put(like, new Model(band, calls.units()));
            }
            unit(unit, i + 1 < units.size() ? firstWeights(units.get(i + 1)) : NONE);
        }
    }

    /** Whether weights are prefetched. */
    private boolean fetches() {
        return 4 * shape.weightElements() >= FETCHED_BYTES;
    }

    /** Returns the distances in bytes from the calls of one band to those of another one with the same key. */
    private CallPlan.Away away(Band from, Band to) {
        long rows = to.firstRow() - from.firstRow();
        long columns = to.firstColumn() - from.firstColumn();
        Axis width = shape.width();
        return new CallPlan.Away(
                (rows * shape.height().stride() * width.in() + columns * width.stride()) * pixelBytes,
                0,
                (rows * placement.row() + columns * placement.pixel()) * outPixelBytes);
    }

    private List<Pass> passes(Unit unit) {
        return cuts.of(unit.band().plane(), unit.group().first(), unit.group().blocks());
    }

    private long firstWeights(Unit unit) {
        return weights(unit.group(), passes(unit).getFirst());
    }

    /** The offset of the weights of a pass. */
    private long weights(Group group, Pass pass) {
        return layout.start(group.first())
                + (pass.firstBlock() - layout.firstInBlock(group.first())) * layout.inBlockBytes()
                + pass.plane() * shape.height().taps() * shape.width().taps() * layout.tapBytes()
                + pass.firstTap() * layout.tapBytes();
    }

    /** Whether re-reading the input for each group costs less than re-reading the weights for each band. */
    static boolean groupsFirst(ConvShape shape, int groups, int bands) {
        long input = shape.inPixels() * shape.channels() * Float.BYTES;
        long inputAgain = input <= Band.BYTES ? 0 : (groups - 1) * input;
        return inputAgain <= (bands - 1) * 4 * shape.weightElements();
    }

    /** Cuts the output channels into groups. Blocks form a group only if they read the same input channels. */
    private List<Group> groups() {
        List<Group> groups = new ArrayList<>();
        int first = 0;
        while (first < layout.outBlocks()) {
            int end = first + 1;
            while (end < layout.outBlocks()
                    && layout.firstInBlock(end) == layout.firstInBlock(first)
                    && layout.endInBlock(end) == layout.endInBlock(first)) {
                end++;
            }
            for (int blocks : tiling.groups(end - first)) {
                groups.add(new Group(first, blocks));
                first += blocks;
            }
        }
        return groups;
    }

    /** @param next the offset of the weights that the next unit reads first */
    private void unit(Unit unit, long next) {
        Band band = unit.band();
        Group group = unit.group();
        List<Pass> passes = passes(unit);
        List<Integer> widths = tiling.widths(band.columns(), group.blocks());
        int column = band.firstColumn();
        int tile = 0;
        List<Run> runs = new ArrayList<>();
        while (tile < widths.size()) {
            int width = widths.get(tile);
            int alike = 1;
            while (tile + alike < widths.size()
                    && widths.get(tile + alike) == width
                    && shape.width().isInside(column, column + (alike + 1) * width)) {
                alike++;
            }
            runs(band, column, width, alike, runs);
            column += alike * width;
            tile += alike;
        }
        List<Reading> readings = new ArrayList<>();
        int tiles = 0;
        for (Run run : runs) {
            readings.add(reading(run, passes));
            tiles += run.count();
        }
        for (int number = 0; number < passes.size(); number++) {
            Pass pass = passes.get(number);
            long here = weights(group, pass);
            fetched.add(here);
            long after = number + 1 < passes.size() ? weights(group, passes.get(number + 1)) : next;
            boolean fetches = fetches() && after != NONE && fetched.add(after);
            int left = tiles;
            for (int i = 0; i < runs.size(); i++) {
                Run run = runs.get(i);
                boolean first = number == readings.get(i).first();
                boolean last = number == readings.get(i).last();
                left -= run.count();
                boolean reads = reads(run, pass);
                if (reads || first) {
                    long ahead = fetches && left < group.blocks() ? ahead(group, run, left, after - here) : 0;
                    emit(unit, pass, run, reads, first, last, ahead);
                }
            }
        }
        calls.endUnit();
    }

    /** The first and the last pass that read something for a run; both are the first pass where none does. */
    private record Reading(int first, int last) {}

    private Reading reading(Run run, List<Pass> passes) {
        int first = 0;
        while (first < passes.size() && !reads(run, passes.get(first))) {
            first++;
        }
        if (first == passes.size()) {
            return new Reading(0, 0);
        }
        int last = passes.size() - 1;
        while (!reads(run, passes.get(last))) {
            last--;
        }
        return new Reading(first, last);
    }

    /**
     * Returns the distance at which the first tile of a run prefetches, so that each of the last tiles of the pass
     * fetches the weights of one block of output channels.
     *
     * @param left the number of tiles after the run
     */
    private long ahead(Group group, Run run, int left, long distance) {
        long ofBlock = group.blocks() > 1 ? layout.start(group.first() + 1) - layout.start(group.first()) : 0;
        return distance + (group.blocks() - left - run.count()) * ofBlock;
    }

    /**
     * Adds the runs of a column of tiles. Rows whose windows have the same taps inside of the image form one run where
     * each row has one tile.
     */
    private void runs(Band band, int column, int width, int tiles, List<Run> runs) {
        Axis height = shape.height();
        int row = band.firstRow();
        while (row < band.endRow()) {
            int end = row + 1;
            while (tiles == 1
                    && end < band.endRow()
                    && height.firstTap(end) == height.firstTap(row)
                    && height.endTap(end) == height.endTap(row)) {
                end++;
            }
            runs.add(new Run(row, end - row, column, width, tiles));
            row = end;
        }
    }

    /** The number of leading columns of a tile's windows that lie outside of the image, for the taps of a pass. */
    private int left(Run run, Pass pass) {
        int start = shape.width().start(run.column())
                + pass.firstTap() * shape.width().dilation();
        return Math.clamp(-(long) start, 0, columns(run, pass));
    }

    private int right(Run run, Pass pass) {
        int start = shape.width().start(run.column())
                + pass.firstTap() * shape.width().dilation();
        long end = (long) start + columns(run, pass);
        return Math.clamp(end - shape.width().in(), 0, columns(run, pass));
    }

    /** The number of input columns that one tile of a run spans. */
    private int columns(Run run, Pass pass) {
        Axis width = shape.width();
        return (run.width() - 1) * width.stride() + (pass.taps() - 1) * width.dilation() + 1;
    }

    /** Whether a pass reads anything for a run. */
    private boolean reads(Run run, Pass pass) {
        Axis height = shape.height();
        int columns = columns(run, pass);
        if (pass.blocks() == 0 || height.endTap(run.row()) == height.firstTap(run.row())) {
            return false;
        }
        return run.tiles() > 1 || left(run, pass) < columns && right(run, pass) < columns;
    }

    /** Returns a step for a key. The step of a single element does not matter and is cut to the largest in keys. */
    private static int step(int distance, int count) {
        return count == 1 ? Math.min(distance, ConvTile.MAX_STEP) : distance;
    }

    private CompiledKernel kernel(Tile tile) {
        return calls.kernel(new ConvTile.Variant(
                        tile.pixels(),
                        tile.blocks(),
                        input,
                        tile.depth(),
                        tile.taps(),
                        step(shape.width().stride(), tile.pixels()),
                        step(shape.width().dilation(), tile.taps()),
                        tile.left(),
                        tile.right(),
                        step(placement.pixel(), tile.pixels()),
                        tile.first() ? ConvTile.Start.ZERO : ConvTile.Start.OUTPUT,
                        tile.fetches(),
                        tile.last() ? after : null)
                .key());
    }

    private void emit(Unit unit, Pass pass, Run run, boolean reads, boolean first, boolean last, long ahead) {
        Band band = unit.band();
        Group group = unit.group();
        Axis height = shape.height();
        Axis width = shape.width();
        int left = run.tiles() > 1 ? 0 : left(run, pass);
        int right = run.tiles() > 1 ? 0 : right(run, pass);
        var tile =
                new Tile(run.width(), group.blocks(), pass.depth(), pass.taps(), left, right, first, ahead != 0, last);
        int firstTap = height.firstTap(run.row());
        int rows = reads ? height.endTap(run.row()) - firstTap : 0;
        long inRow = width.in() * pixelBytes;
        long inPlane = inRow * height.in();
        long inChannels = inPlane * shape.depth().in();
        long weightTap = layout.tapBytes();
        long weightRow = weightTap * width.taps();
        long outChannels = placement.pixels() * outPixelBytes;
        int count = run.count();
        boolean down = run.rows() > 1;
        Argument sizes = calls.sizes(
                count,
                reads ? pass.blocks() : 0,
                rows,
                down ? height.stride() * inRow : run.width() * width.stride() * pixelBytes,
                (down ? placement.row() : (long) run.width() * placement.pixel()) * outPixelBytes,
                height.dilation() * inRow,
                inChannels - rows * height.dilation() * inRow,
                weightRow,
                layout.inBlockBytes() - rows * weightRow,
                group.blocks() > 1 ? layout.start(group.first() + 1) - layout.start(group.first()) : 0,
                outChannels,
                ahead);
        int inRowNumber = height.start(run.row()) + firstTap * height.dilation();
        int inColumn = width.start(run.column()) + pass.firstTap() * width.dilation();
        int inPlaneNumber =
                shape.depth().start(band.plane()) + pass.plane() * shape.depth().dilation();
        long in =
                pass.firstBlock() * inChannels + inPlaneNumber * inPlane + inRowNumber * inRow + inColumn * pixelBytes;
        long weights = weights(group, pass) + firstTap * weightRow;
        long out = group.first() * outChannels
                + outPixelBytes
                        * (placement.start()
                                + band.plane() * placement.plane()
                                + run.row() * placement.row()
                                + (long) run.column() * placement.pixel());
        long work = (long) count
                * run.width()
                * group.blocks()
                * target.lanes()
                * (1 + (long) pass.blocks() * rows * pass.taps() * input.channels(target.lanes()));
        calls.call(
                kernels.computeIfAbsent(tile, this::kernel),
                work,
                Argument.at(Base.INPUT, in),
                Argument.at(Base.WEIGHTS, weights),
                Argument.at(Base.OUTPUT, out),
                Argument.at(Base.WEIGHTS, layout.bias(group.first())),
                Argument.at(Base.OTHER, out),
                sizes);
    }
}
