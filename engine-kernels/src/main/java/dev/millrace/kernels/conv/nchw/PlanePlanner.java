package dev.millrace.kernels.conv.nchw;

import dev.millrace.codegen.program.Target;
import dev.millrace.kernels.call.CallPlan;
import dev.millrace.kernels.call.CallPlan.Argument;
import dev.millrace.kernels.call.CallPlan.Base;
import dev.millrace.kernels.image.Combination;
import java.util.Objects;

/**
 * The planner of calls for windows over the planes of an image. It works in bands of rows, whose inputs are copied into
 * scratch memory together with their padding unless the windows can slide over the image itself.
 */
public final class PlanePlanner {
    /** The most scratch bytes of a band of more than one row: a part of the second-level cache. */
    private static final long BAND_BYTES = 192 << 10;

    private static final long MOST_BAND_BYTES = 1 << 20;
    private static final int MOST_WEIGHTS = 1 << 12;
    private static final int LEAST_ROWS = 4;
    /** The number of bands of all images together, for threads to share. */
    private static final int BANDS = 8;

    private static final int COLUMNS = 1024;
    private static final int ALIGNMENT = 64;
    /** The time of moving an element, counted in multiplications. */
    private static final int WORK_OF_MOVE = 8;

    private final PlaneShape shape;
    private final PlaneOp op;
    private final Target target;
    private final PlaneWeights weights;
    private final CallPlan.Builder calls;
    private final int bandsOfPlane;
    private long scratchBytes;

    /** @param images the number of images, whose planes are computed by the same calls */
    public PlanePlanner(PlaneShape shape, long images, PlaneOp op, Target target, CallPlan.Builder calls) {
        this.shape = shape;
        bandsOfPlane = (int) Math.ceilDiv(BANDS, Math.max(1, images * shape.groups()));
        this.op = op;
        this.target = target;
        this.calls = calls;
        weights = new PlaneWeights(shape);
    }

    /** Whether bands of such images, and the lists of their taps, are small enough. */
    public static boolean fits(PlaneShape shape, Target target) {
        if (shape.out().all() == 0 || shape.in().all() == 0 || shape.weights() > MOST_WEIGHTS) {
            return false;
        }
        var columns = new PlaneColumns(
                shape.width(), shape.in().width(), target.lanes(), 0, Math.min(COLUMNS, shape.columns()));
        return shape.height().stream()
                .allMatch(part -> bandBytes(shape, columns, shape.taps().depth(), part, 1) <= MOST_BAND_BYTES);
    }

    /** The scratch memory of a task in bytes. */
    public long scratchBytes() {
        return scratchBytes;
    }

    public void plan() {
        for (int group = 0; group < shape.groups(); group++) {
            for (PlanePart depth : shape.depth()) {
                for (int plane = 0; plane < depth.axis().out(); plane++) {
                    for (PlanePart height : shape.height()) {
                        planes(group, depth, plane, height);
                    }
                }
            }
        }
    }

    private void planes(int group, PlanePart depth, int plane, PlanePart height) {
        int planes = depth.endTap(plane) - depth.firstTap(plane);
        int all = shape.columns();
        int bands = Math.ceilDiv(all, COLUMNS);
        for (int band = 0; band < bands; band++) {
            int first = (int) ((long) all * band / bands);
            int end = (int) ((long) all * (band + 1) / bands);
            var columns = new PlaneColumns(shape.width(), shape.in().width(), target.lanes(), first, end - first);
            int outputs = height.axis().out();
            int rows = Math.max(LEAST_ROWS, Math.ceilDiv(outputs, bandsOfPlane));
            while (rows > 1 && bandBytes(shape, columns, planes, height, rows) > BAND_BYTES) {
                rows = (rows + 1) / 2;
            }
            for (int row = 0; row < outputs; row += rows) {
                new PlaneBand(group, depth, plane, height, row, Math.min(outputs, row + rows), columns).plan();
                calls.endUnit();
            }
        }
    }

    private static int rowsIn(PlanePart height, int rows) {
        return height.reach() == 0 ? 0 : (rows - 1) * height.axis().stride() + height.reach();
    }

    private static long bandBytes(PlaneShape shape, PlaneColumns columns, int planes, PlanePart height, int rows) {
        double inputs = columns.isInPlace()
                ? 0
                : (double) shape.channels() * planes * rowsIn(height, rows) * columns.rowLength();
        double turns = columns.takesTurns() ? (double) shape.outChannels() * rows * columns.turnsLength() : 0;
        return (long) (Float.BYTES * (inputs + turns)) + ALIGNMENT;
    }

    /** A band of output rows of a group in a plane, from a first one to an end. */
    private final class PlaneBand {
        private final int group;
        private final PlanePart depth;
        private final int plane;
        private final PlanePart height;
        private final int firstRow;
        private final int endRow;
        private final PlaneColumns columns;
        private final int firstTapPlane;
        private final int planes;
        /** The input rows that the windows of this band read. */
        private final int firstInput;

        private final int inputs;
        private final long turnsAt;

        PlaneBand(
                int group,
                PlanePart depth,
                int plane,
                PlanePart height,
                int firstRow,
                int endRow,
                PlaneColumns columns) {
            this.group = group;
            this.depth = depth;
            this.plane = plane;
            this.height = height;
            this.firstRow = firstRow;
            this.endRow = endRow;
            this.columns = columns;
            firstTapPlane = depth.firstTap(plane);
            planes = depth.endTap(plane) - firstTapPlane;
            int first = height.axis().start(firstRow);
            int rows = shape.in().height();
            firstInput = Math.clamp(first, 0, rows);
            inputs = Math.clamp((long) first + rowsIn(height, endRow - firstRow), firstInput, rows) - firstInput;
            long copied = columns.isInPlace() ? 0 : (long) shape.channels() * planes * inputs * columns.rowLength();
            turnsAt = Math.ceilDiv(Float.BYTES * copied, ALIGNMENT) * ALIGNMENT;
            long turns =
                    columns.takesTurns() ? (long) shape.outChannels() * (endRow - firstRow) * columns.turnsLength() : 0;
            long end = turnsAt + Float.BYTES * turns;
            scratchBytes = Math.max(scratchBytes, Math.ceilDiv(end, ALIGNMENT) * ALIGNMENT);
        }

        void plan() {
            if (!columns.isInPlace()) {
                fill();
            }
            for (int part = 0; part < shape.width().size(); part++) {
                for (int block = 0; block < weights.blocks(); block++) {
                    rows(part, weights.first(block), weights.first(block + 1));
                }
            }
            if (columns.takesTurns()) {
                takeTurns();
            }
        }

        private int inPlane(int tap) {
            return depth.axis().start(plane)
                    + (firstTapPlane + tap) * depth.axis().dilation();
        }

        private long inAt(int channel, int tapPlane, int row) {
            long planesBefore =
                    (long) (group * shape.channels() + channel) * shape.in().depth() + inPlane(tapPlane);
            return (planesBefore * shape.in().height() + row) * shape.in().width();
        }

        private void fill() {
            boolean largest = op.kind() == Combination.MAX;
            float filling = largest ? Float.NEGATIVE_INFINITY : 0;
            long elements = (long) inputs * columns.rowLength();
            for (int channel = 0; inputs > 0 && channel < shape.channels(); channel++) {
                for (int tap = 0; tap < planes; tap++) {
                    long from = inAt(channel, tap, firstInput) + columns.fillFrom();
                    calls.call(
                            columns.fillKey(largest),
                            WORK_OF_MOVE * elements,
                            Argument.at(Base.INPUT, Float.BYTES * from),
                            Argument.at(Base.SCRATCH, Float.BYTES * elements * (channel * planes + tap)),
                            calls.sizes(columns.fill(inputs, filling, largest)));
                }
            }
        }

        /**
         * Plans the calls for the channels of one block of weights. Consecutive rows whose windows have the same taps
         * inside of the image share a call.
         */
        private void rows(int part, int firstChannel, int endChannel) {
            for (int row = firstRow; row < endRow; ) {
                int end = row + 1;
                while (end < endRow
                        && height.firstTap(end) == height.firstTap(row)
                        && height.endTap(end) == height.endTap(row)) {
                    end++;
                }
                call(part, firstChannel, endChannel, row, end);
                row = end;
            }
        }

        private void call(int part, int firstChannel, int endChannel, int row, int end) {
            int channels = endChannel - firstChannel;
            int lanes = target.lanes();
            int vectors = Math.ceilDiv(columns.count, lanes);
            int most = PlaneTile.mostVectors(target, channels);
            int wide = Math.ceilDiv(vectors, Math.ceilDiv(vectors, most));
            int rest = Math.ceilDiv(columns.count % (wide * lanes), lanes);
            boolean averages = op.counts() != null;
            var variant = new PlaneTile.Variant(op.kind(), channels, wide, rest, op.each(), op.after(), averages);
            long[] taps = taps(shape.width().get(part), row, channels);
            long passed = (long) Float.BYTES * (columns.count / (wide * lanes) * wide + Math.max(0, rest - 1)) * lanes;
            boolean turns = columns.takesTurns();
            int rowLength =
                    turns ? columns.turnsLength() : height.step() * shape.out().width();
            long outRow = Float.BYTES * (long) rowLength - passed;
            long outChannel =
                    turns ? (long) (endRow - firstRow) * rowLength : shape.out().all();
            int head = PlaneTile.Size.values().length;
            long[] sizes = new long[head + taps.length];
            sizes[PlaneTile.Size.ROWS.ordinal()] = end - row;
            sizes[PlaneTile.Size.COLUMNS.ordinal()] = columns.count;
            sizes[PlaneTile.Size.IN_NEXT.ordinal()] =
                    (long) Float.BYTES * height.axis().stride() * columns.rowLength() - passed;
            sizes[PlaneTile.Size.OUT_NEXT.ordinal()] = outRow;
            sizes[PlaneTile.Size.OTHER_NEXT.ordinal()] = averages ? -passed : outRow;
            sizes[PlaneTile.Size.OUT_CHANNEL.ordinal()] = Float.BYTES * outChannel;
            sizes[PlaneTile.Size.TAPS.ordinal()] = taps.length / 2;
            System.arraycopy(taps, 0, sizes, head, taps.length);
            long to = turns
                    ? ((long) firstChannel * (endRow - firstRow) + row - firstRow) * rowLength
                            + columns.turnsStart(part)
                    : outAt(firstChannel, row) + columns.first;
            Argument place = turns
                    ? Argument.at(Base.SCRATCH, turnsAt + Float.BYTES * to)
                    : Argument.at(Base.OUTPUT, Float.BYTES * to);
            Argument residual = turns ? place : Argument.at(Base.OTHER, Float.BYTES * to);
            calls.call(
                    variant.key(),
                    (long) (end - row) * columns.count * channels * (2 + taps.length / 2),
                    taps.length == 0 ? place : firstRead(row),
                    averages ? countsOfRows(row, end) : Argument.at(Base.WEIGHTS, weights.start(group, firstChannel)),
                    place,
                    averages ? countsOfColumns() : residual,
                    calls.sizes(sizes));
        }

        private long outAt(int channel, int row) {
            long planesBefore =
                    (long) (group * shape.outChannels() + channel) * shape.out().depth()
                            + depth.first()
                            + (long) plane * depth.step();
            long rowsBefore = planesBefore * shape.out().height() + height.first() + (long) row * height.step();
            return rowsBefore * shape.out().width();
        }

        /** Returns the start of the input row that an output's first tap inside of the image reads. */
        private Argument firstRead(int row) {
            int read = height.firstInput(row);
            return columns.isInPlace()
                    ? Argument.at(Base.INPUT, Float.BYTES * inAt(0, 0, read))
                    : Argument.at(Base.SCRATCH, (long) Float.BYTES * (read - firstInput) * columns.rowLength());
        }

        private long[] taps(PlanePart width, int row, int channels) {
            int firstTap = height.firstTap(row);
            int tapRows = height.endTap(row) - firstTap;
            long inRow = columns.rowLength();
            boolean inPlace = columns.isInPlace();
            long inPlane = inPlace ? inRow * shape.in().height() * depth.axis().dilation() : inRow * inputs;
            long inChannel = inPlace ? shape.in().all() : inPlane * planes;
            long[] taps = new long[2 * shape.channels() * planes * tapRows * width.taps()];
            int at = 0;
            for (int channel = 0; channel < shape.channels(); channel++) {
                for (int z = 0; z < planes; z++) {
                    for (int y = 0; y < tapRows; y++) {
                        for (int x = 0; x < width.taps(); x++) {
                            long rowsFrom = (long) y * height.axis().dilation() * inRow;
                            long place = channel * inChannel + z * inPlane + rowsFrom + columns.place(width, x);
                            int tap = shape.tap(
                                    channel, depth.tap(firstTapPlane + z), height.tap(firstTap + y), width.tap(x));
                            taps[at++] = Float.BYTES * place;
                            taps[at++] = PlaneWeights.ofTap(tap, channels);
                        }
                    }
                }
            }
            return taps;
        }

        private void takeTurns() {
            int rows = endRow - firstRow;
            int step = shape.width().size();
            long outRow = (long) Float.BYTES * height.step() * shape.out().width();
            for (int channel = 0; channel < shape.outChannels(); channel++) {
                long from = (long) channel * rows * columns.turnsLength();
                calls.call(
                        PlaneRows.key(PlaneRows.How.TAKEN),
                        (long) WORK_OF_MOVE * rows * columns.count * step,
                        Argument.at(Base.SCRATCH, turnsAt + Float.BYTES * from),
                        Argument.at(
                                Base.OUTPUT, Float.BYTES * (outAt(channel, firstRow) + (long) columns.first * step)),
                        calls.sizes(columns.turns(rows, outRow, shape.out().width())));
            }
        }

        private Argument countsOfRows(int row, int end) {
            PlaneOp.Counts counts = Objects.requireNonNull(op.counts());
            float[] numbers = new float[end - row];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = counts.ofRow(plane, row + i);
            }
            return floats(numbers);
        }

        private Argument countsOfColumns() {
            PlaneOp.Counts counts = Objects.requireNonNull(op.counts());
            float[] numbers = new float[columns.count];
            for (int i = 0; i < numbers.length; i++) {
                numbers[i] = counts.ofColumn(columns.first + i);
            }
            return floats(numbers);
        }

        private Argument floats(float[] numbers) {
            long[] pairs = new long[Math.ceilDiv(numbers.length, 2)];
            for (int i = 0; i < numbers.length; i++) {
                long bits = Float.floatToRawIntBits(numbers[i]) & 0xffff_ffffL;
                pairs[i / 2] |= bits << (i % 2 * Integer.SIZE);
            }
            return calls.sizes(pairs);
        }
    }
}
