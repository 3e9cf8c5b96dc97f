package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.call.WorkSplit;
import dev.millrace.kernels.conv.WinogradPlanner.Band;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.image.Axis;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * Convolutions with 3×3 taps and stride 1 by Winograd's minimal filtering algorithm (see {@link WinogradKind}), with
 * fewer products than {@link Conv}, less exact, and only for input channels that fill whole blocks.
 */
final class Winograd implements ConvPlan {
    /** Bytes of transformed input that a band may have, so that the second-level cache holds them. */
    private static final long BAND_BYTES = 320 << 10;
    /** The number of bands below which threads share the work on each band, if the bands cannot be dealt out evenly. */
    private static final int FEW_BANDS = 4;
    /**
     * The part of the threads' time that bands must use: many threads share the work on each band where more than a
     * quarter of it would be lost.
     */
    private static final double EVEN = 0.75;

    private final ConvShape shape;
    private final WinogradKind kind;
    private final int lanes;
    private final WinogradWeights weights;
    /** Bytes of the scratch memory that each task has for itself. */
    private final long taskBytes;
    /** Bytes of the scratch memory that all tasks share: the transformed images, where there are few bands. */
    private final long sharedBytes;

    private final @Nullable CallPlan transforms;
    private final CallPlan rest;

    Winograd(KernelSet kernels, ConvShape shape, WinogradKind kind, Expr after, int width) {
        this.shape = shape;
        this.kind = kind;
        lanes = kernels.target().lanes();
        weights = new WinogradWeights(shape, kind, lanes);
        var planner = new WinogradPlanner(kernels, shape, kind, weights, after);
        int rows = planner.rowsOfSquares();
        int most = (int) Math.clamp(BAND_BYTES / planner.transformedBytes(1), 1, Math.max(1, rows));
        int bands = bands(Math.ceilDiv(rows, most), rows, shape.batch(), width);
        var calls = new CallPlan.Builder(kernels);
        if (shares(bands, rows, shape.batch(), width)) {
            Band all = new Band(0, rows);
            Argument scratch = Argument.at(Base.SCRATCH, 0);
            transforms = transforms(planner, all, width, kernels);
            int cuts = WorkSplit.of(rows, 1, planner.groups(all).size() * shape.batch(), width);
            int largest = Math.ceilDiv(rows, cuts);
            int block = 0;
            for (int blocks : planner.groups(new Band(0, largest))) {
                for (int cut = 0; cut < cuts; cut++) {
                    planner.group(all.part(cut, cuts), all, block, blocks, Argument.at(Base.INPUT, 0), scratch, calls);
                    calls.endUnit();
                }
                block += blocks;
            }
            sharedBytes = planner.transformedBytes(rows);
            taskBytes = planner.groupBytes(largest);
        } else {
            transforms = null;
            sharedBytes = 0;
            int largest = Math.ceilDiv(rows, bands);
            taskBytes = planner.transformedBytes(largest) + planner.groupBytes(largest);
            Band model = null;
            int unit = 0;
            for (int number = 0; number < bands; number++) {
                Band band = new Band(0, rows).part(number, bands);
                if (model != null && model.rows() == band.rows() && planner.isInside(band)) {
                    calls.repeat(unit, unit + 1, planner.away(model, band));
                    continue;
                }
                if (planner.isInside(band)) {
                    model = band;
                    unit = calls.units();
                }
                unit(planner, band, calls);
            }
        }
        rest = calls.build();
    }

    /**
     * Returns a number of bands that all threads can have equally many of, so that each thread transforms inputs for
     * itself alone; {@code fewest} where that is not possible.
     */
    private static int bands(int fewest, int rows, int batch, int width) {
        int even = Math.ceilDiv(fewest, width) * width;
        return batch % width == 0 || even > rows ? fewest : even;
    }

    /** Whether all threads transform an image together before they compute parts of its output. */
    private static boolean shares(int bands, int rows, int batch, int width) {
        int units = bands * batch;
        return WorkSplit.isFor(width)
                ? rows * batch < EVEN * width * WorkSplit.slowest(rows, bands, batch, width)
                : units < FEW_BANDS && (width == 1 || units % width != 0);
    }

    /** Plans the transforms of an image, in one unit or more for each thread. */
    private static CallPlan transforms(WinogradPlanner planner, Band all, int width, KernelSet kernels) {
        var calls = new CallPlan.Builder(kernels);
        int blocks = planner.inBlocks();
        int parts = WorkSplit.of(blocks, 1, all.rows(), width);
        for (int row = 0; row < all.rows(); row++) {
            for (int number = 0; number < parts; number++) {
                Band part = new Band(0, blocks).part(number, parts);
                planner.transform(
                        all.part(row, all.rows()),
                        all,
                        part.first(),
                        part.rows(),
                        Argument.at(Base.OUTPUT, 0),
                        Argument.at(Base.SCRATCH, 0),
                        calls);
                calls.endUnit();
            }
        }
        return calls.build();
    }

    private static void unit(WinogradPlanner planner, Band band, CallPlan.Builder calls) {
        Argument transformed = Argument.at(Base.SCRATCH, planner.groupBytes(band.rows()));
        Argument scratch = Argument.at(Base.SCRATCH, 0);
        planner.transform(band, transformed, scratch, calls);
        int block = 0;
        for (int blocks : planner.groups(band)) {
            planner.group(band, band, block, blocks, transformed, scratch, calls);
            block += blocks;
        }
        calls.endUnit();
    }

    static boolean fits(ConvShape shape, int lanes) {
        return shape.groups() == 1
                && shape.channels() % lanes == 0
                && shape.depth().isPointwise()
                && shape.depth().out() == 1
                && slidesByOne(shape.height())
                && slidesByOne(shape.width())
                && WinogradRow.canName(shape.width());
    }

    private static boolean slidesByOne(Axis axis) {
        return axis.taps() == WinogradKind.TAPS && axis.stride() == 1 && axis.dilation() == 1;
    }

    @Override
    public long packedBytes() {
        return weights.bytes();
    }

    @Override
    public String packedLayout() {
        return "conv f32 winograd " + kind.outputs() + " at " + kind.points() + " block " + lanes;
    }

    @Override
    public void pack(MemorySegment source, @Nullable MemorySegment bias, MemorySegment packed) {
        weights.pack(source, bias, packed);
    }

    @Override
    public long scratchBytes(int width) {
        return Math.addExact(Math.multiplyExact(sharedBytes, shape.batch()), Math.multiplyExact(taskBytes, width));
    }

    @Override
    public void run(ConvOperands operands, Parallel parallel) {
        CallPlan transform = transforms;
        long shared = sharedBytes * shape.batch();
        MemorySegment scratch = operands.scratch(shared, taskBytes * parallel.width());
        if (transform == null) {
            rest.run(operands.forCalls().withScratch(scratch, taskBytes), parallel);
            return;
        }
        MemorySegment transformed = operands.scratch(0, shared);
        transform.run(
                operands.forCalls().with(Base.OUTPUT, transformed, sharedBytes).withScratch(scratch, taskBytes),
                parallel);
        rest.run(
                operands.forCalls().with(Base.INPUT, transformed, sharedBytes).withScratch(scratch, taskBytes),
                parallel);
    }
}
