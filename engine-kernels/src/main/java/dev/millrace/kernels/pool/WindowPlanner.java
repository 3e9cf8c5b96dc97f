package dev.millrace.kernels.pool;

import dev.millrace.codegen.program.CompiledKernel;
import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.ParallelThresholds;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.Combination;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The planner of calls for windows over images in NCHWc. A unit is a band of rows of one block of channels; it runs one
 * pass after the other over parts of the taps.
 */
final class WindowPlanner {
    /** Inputs of a band, so that there are enough bands for threads. */
    private static final int BAND_ELEMENTS = 16 << 10;

    /**
     * The cost of a step in multiplications: windows are as slow as their loads, which find little in the cache, since
     * each load serves few products.
     */
    private static final long SLOWNESS = ParallelThresholds.PRODUCTS / ParallelThresholds.SLOW_PRODUCTS;

    private final WindowShape shape;
    private final WindowOp op;
    private final CallPlan.Builder calls;
    private final int lanes;
    private final long pixelBytes;
    private final Map<Tile, CompiledKernel> kernels = new HashMap<>();

    WindowPlanner(Target target, WindowShape shape, WindowOp op, CallPlan.Builder calls) {
        this.shape = shape;
        this.op = op;
        this.calls = calls;
        lanes = target.lanes();
        pixelBytes = target.vectorBytes();
    }

    /** A plane of taps, and some columns of these. */
    private record Pass(int plane, int firstTap, int endTap) {}

    /** The properties by which the tiles of these windows differ. */
    private record Tile(int firstTap, int endTap, boolean first, boolean last) {}

    void plan() {
        if (shape.outPixels() == 0) {
            return;
        }
        int blocks = (shape.channels() + lanes - 1) / lanes;
        int rows = shape.height().out();
        long elements = (long) lanes
                * shape.width().out()
                * shape.height().taps()
                * shape.width().taps();
        int bands = (int) Math.clamp(elements * rows / BAND_ELEMENTS, 1, Math.max(1, rows));
        for (int plane = 0; plane < shape.depth().out(); plane++) {
            for (int band = 0; band < bands; band++) {
                int first = (int) ((long) rows * band / bands);
                unit(plane, first, (int) ((long) rows * (band + 1) / bands));
            }
        }
        long in =
                (long) shape.depth().in() * shape.height().in() * shape.width().in() * pixelBytes;
        long out = (long) shape.depth().out() * rows * shape.width().out() * pixelBytes;
        int units = calls.units();
        for (int block = 1; block < blocks; block++) {
            long weights = block * DepthwiseConv.blockBytes(shape, lanes);
            calls.repeat(0, units, new CallPlan.Away(block * in, weights, block * out));
        }
    }

    /**
     * Plans a band of the first block of channels. Rows whose windows have the same taps inside of the image share a
     * call.
     */
    private void unit(int plane, int firstRow, int endRow) {
        List<Pass> passes = passes(plane);
        int row = firstRow;
        while (row < endRow) {
            int end = row + 1;
            while (end < endRow && seeTheSame(row, end)) {
                end++;
            }
            for (int pass = 0; pass < passes.size(); pass++) {
                call(plane, row, end - row, passes.get(pass), pass == 0, pass == passes.size() - 1);
            }
            row = end;
        }
        calls.endUnit();
    }

    private boolean seeTheSame(int row, int other) {
        Axis height = shape.height();
        return height.firstTap(other) == height.firstTap(row)
                && height.endTap(other) == height.endTap(row)
                && WindowOp.counted(height, other, op.countedRows()) == WindowOp.counted(height, row, op.countedRows());
    }

    private List<Pass> passes(int plane) {
        int taps = shape.width().taps();
        int parts = (taps + WindowTile.MAX_TAPS - 1) / WindowTile.MAX_TAPS;
        List<Pass> passes = new ArrayList<>();
        for (int tap = shape.depth().firstTap(plane); tap < shape.depth().endTap(plane); tap++) {
            for (int part = 0; part < parts; part++) {
                int first = (int) ((long) taps * part / parts);
                passes.add(new Pass(tap, first, (int) ((long) taps * (part + 1) / parts)));
            }
        }
        if (passes.isEmpty()) {
            passes.add(new Pass(0, 0, 0));
        }
        return passes;
    }

    private CompiledKernel kernel(Tile tile) {
        return calls.kernel(new WindowTile.Variant(
                        op.op(),
                        shape.width(),
                        tile.firstTap(),
                        tile.endTap(),
                        tile.first() ? WindowTile.Start.FRESH : WindowTile.Start.OUTPUT,
                        op.each(),
                        tile.last() ? op.after() : null,
                        op.averages() && tile.last() ? op.countedColumns() : WindowTile.Variant.NO_AVERAGE)
                .key());
    }

    private void call(int plane, int row, int rows, Pass pass, boolean first, boolean last) {
        Axis depth = shape.depth();
        Axis height = shape.height();
        Axis width = shape.width();
        int firstTap = height.firstTap(row);
        int tapRows = pass.endTap() == 0 ? 0 : height.endTap(row) - firstTap;
        long inRow = width.in() * pixelBytes;
        long inPlane = inRow * height.in();
        long outRow = width.out() * pixelBytes;
        long outPlane = outRow * height.out();
        long weightRow = width.taps() * pixelBytes;
        Argument sizes = calls.sizes(
                rows,
                tapRows,
                height.stride() * inRow,
                outRow,
                height.dilation() * inRow,
                weightRow,
                Float.floatToRawIntBits(op.counted(depth, plane, height, row)));
        int inPlaneNumber = depth.start(plane) + pass.plane() * depth.dilation();
        int inRowNumber = height.start(row) + firstTap * height.dilation();
        long in = inPlaneNumber * inPlane + inRowNumber * inRow;
        long out = plane * outPlane + row * outRow;
        boolean weighted = op.op() == Combination.WEIGHTED;
        long tap = ((long) pass.plane() * height.taps() + firstTap) * weightRow;
        calls.call(
                kernels.computeIfAbsent(new Tile(pass.firstTap(), pass.endTap(), first, last), this::kernel),
                SLOWNESS * rows * width.out() * lanes * (4 + 2L * tapRows * (pass.endTap() - pass.firstTap())),
                Argument.at(Base.INPUT, in),
                weighted ? Argument.at(Base.WEIGHTS, pixelBytes + tap) : Argument.number(0),
                weighted ? Argument.at(Base.WEIGHTS, 0) : Argument.number(0),
                Argument.at(Base.OUTPUT, out),
                Argument.at(Base.OTHER, out),
                sizes);
    }
}
