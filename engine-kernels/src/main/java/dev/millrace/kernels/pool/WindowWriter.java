package dev.millrace.kernels.pool;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.RegisterNeed;
import dev.millrace.kernels.image.Axis;
import dev.millrace.kernels.image.Combination;
import dev.millrace.kernels.image.ImageEpilogues;

/**
 * Writes one member of {@link WindowTile}: a row is cut into tiles of pixels; an input that is read serves all windows
 * of the tile that it lies in.
 */
final class WindowWriter {
    /** The places of the sizes in their memory. */
    private enum Size {
        ROWS,
        TAP_ROWS,
        IN_ROW,
        OUT_ROW,
        IN_TAP_ROW,
        WEIGHT_ROW,
        COUNTED_ROWS
    }

    /** Enough chains of additions to hide the latency of one. */
    private static final int CHAINS = 8;

    private static final int MAX_SETS = 4;
    /** Beside the results: an input, and two of a step. */
    private static final int WORKING = 3;

    private final ProgramBuilder builder;
    private final WindowTile.Variant variant;
    private final Axis width;
    private final int bytes;
    private final boolean weightsInRegisters;
    private final int mostPixels;

    private final ScalarVar in;
    private final ScalarVar weights;
    private final ScalarVar bias;
    private final ScalarVar out;
    private final ScalarVar residual;
    private final ScalarVar sizes;

    WindowWriter(String name, Target target, WindowTile.Variant variant) {
        this.variant = variant;
        width = variant.width();
        bytes = target.vectorBytes();
        int taps = variant.endTap() - variant.firstTap();
        boolean weighted = variant.op() == Combination.WEIGHTED;
        weightsInRegisters = weighted && taps + WORKING <= target.vectors() / 2;
        int each = RegisterNeed.of(variant.each());
        int beside = weightsInRegisters ? taps + 1 : Math.max(WORKING, each + 1);
        mostPixels = Math.max(1, target.vectors() - beside - 1);
        builder = new ProgramBuilder(name, target);
        in = builder.parameter("in");
        weights = builder.parameter("weights");
        bias = builder.parameter("bias");
        out = builder.parameter("out");
        residual = builder.parameter("residual");
        sizes = builder.parameter("sizes");
    }

    private ScalarVar size(Size size) {
        return builder.loadLong(sizes, size);
    }

    Program program() {
        ScalarVar rows = size(Size.ROWS);
        try (var _ = builder.loop(rows, 1)) {
            row();
            builder.advance(in, size(Size.IN_ROW));
            ScalarVar step = size(Size.OUT_ROW);
            builder.advance(out, step);
            builder.advance(residual, step);
        }
        return builder.build();
    }

    /** Tiles of nearly equal width; those that lie inside of the row, or see nothing of it, are done in a loop. */
    private void row() {
        int tiles = (width.out() + mostPixels - 1) / mostPixels;
        int wide = width.out() % tiles;
        int column = 0;
        for (int tile = 0; tile < tiles; ) {
            int pixels = width.out() / tiles + (tile < wide ? 1 : 0);
            int same = tile < wide ? wide - tile : tiles - tile;
            int run = 1;
            while (run < same && areAlike(column, (run + 1) * pixels)) {
                run++;
            }
            run(column, pixels, run);
            column += run * pixels;
            tile += run;
        }
        builder.advance(in, -column * width.stride() * bytes);
        builder.advance(out, -column * bytes);
        builder.advance(residual, -column * bytes);
    }

    /** Whether pixels read all of their taps, or none: one that is no average does not depend on its place then. */
    private boolean areAlike(int column, int pixels) {
        int firstRead = width.start(column);
        int endRead = width.start(column + pixels - 1) + (width.taps() - 1) * width.dilation();
        boolean readNothing = endRead < 0 || firstRead >= width.in();
        return firstRead >= 0 && endRead < width.in()
                || readNothing && variant.counted() == WindowTile.Variant.NO_AVERAGE;
    }

    private void run(int column, int pixels, int tiles) {
        if (tiles == 1) {
            tile(column, pixels);
            return;
        }
        ScalarVar left = builder.scalar("tiles");
        builder.set(left, tiles);
        try (var _ = builder.loop(left, 1)) {
            tile(column, pixels);
        }
    }

    private void tile(int column, int pixels) {
        new Tile(column, pixels).write();
        builder.advance(in, pixels * width.stride() * bytes);
        builder.advance(out, pixels * bytes);
        builder.advance(residual, pixels * bytes);
    }

    /** Pixels side by side. The pointers are at its first pixel, that of the input as if nothing were before it. */
    private final class Tile {
        private final int column;
        private final int pixels;
        /** Independent results of the same pixel, for small tiles. */
        private final int sets;

        private final VectorVar[][] results;

        Tile(int column, int pixels) {
            this.column = column;
            this.pixels = pixels;
            int most = variant.endTap() - variant.firstTap();
            int number = 1;
            while (number * pixels < CHAINS
                    && 2 * number <= Math.min(MAX_SETS, most)
                    && 2 * number * pixels <= mostPixels) {
                number *= 2;
            }
            sets = number;
            results = new VectorVar[sets][pixels];
        }

        void write() {
            begin();
            ScalarVar from = builder.copy(in, "from");
            ScalarVar weight = builder.copy(weights, "weight");
            ScalarVar tapRows = size(Size.TAP_ROWS);
            try (var _ = builder.loop(tapRows, 1)) {
                taps(from, weight);
                builder.advance(from, size(Size.IN_TAP_ROW));
                if (variant.op() == Combination.WEIGHTED) {
                    builder.advance(weight, size(Size.WEIGHT_ROW));
                }
            }
            for (int half = sets / 2; half > 0; half /= 2) {
                for (int set = 0; set < half; set++) {
                    for (int pixel = 0; pixel < pixels; pixel++) {
                        combine(results[set][pixel], results[set + half][pixel]);
                    }
                }
            }
            finish();
        }

        private void combine(VectorVar result, VectorVar value) {
            variant.op().combine(builder, result, value);
        }

        private void begin() {
            for (int set = 0; set < sets; set++) {
                for (int pixel = 0; pixel < pixels; pixel++) {
                    VectorVar result = builder.vector("result");
                    results[set][pixel] = result;
                    if (set == 0 && variant.start() == WindowTile.Start.OUTPUT) {
                        builder.set(result, builder.load(Address.at(out, pixel * bytes)));
                    } else {
                        builder.set(result, variant.op().initial());
                    }
                }
            }
        }

        private Address weight(ScalarVar start, int tap) {
            return Address.at(start, tap * bytes);
        }

        /** One row of taps, by the columns of the input. */
        private void taps(ScalarVar from, ScalarVar weight) {
            VectorVar[] held = new VectorVar[variant.endTap()];
            for (int tap = variant.firstTap(); weightsInRegisters && tap < variant.endTap(); tap++) {
                held[tap] = builder.load(weight(weight, tap));
            }
            int first = variant.firstTap() * width.dilation();
            int last = (pixels - 1) * width.stride() + (variant.endTap() - 1) * width.dilation();
            for (int offset = first; offset <= last; offset++) {
                VectorVar value = null;
                for (int tap = variant.firstTap(); tap < variant.endTap(); tap++) {
                    int distance = offset - tap * width.dilation();
                    int pixel = distance / width.stride();
                    if (distance < 0
                            || distance % width.stride() != 0
                            || pixel >= pixels
                            || !variant.reads(column + pixel, tap)) {
                        continue;
                    }
                    if (value == null) {
                        value = value(Address.at(from, (offset - width.before()) * bytes));
                    }
                    VectorVar result = results[(tap - variant.firstTap()) % sets][pixel];
                    if (variant.op() == Combination.WEIGHTED) {
                        VectorVar factor = weightsInRegisters ? held[tap] : builder.load(weight(weight, tap));
                        builder.accumulate(result, value, factor);
                    } else {
                        combine(result, value);
                    }
                }
            }
        }

        private VectorVar value(Address at) {
            return variant.op().value(builder, builder.load(at), variant.each());
        }

        private void finish() {
            Expr after = variant.after();
            int free = builder.target().vectors() - pixels - 1;
            boolean beside = after != null && RegisterNeed.of(after) <= free;
            if (after != null && variant.counted() != WindowTile.Variant.NO_AVERAGE) {
                average();
            }
            if (after != null && variant.op() == Combination.WEIGHTED) {
                addBias();
            }
            for (int pixel = 0; pixel < pixels; pixel++) {
                VectorVar result = results[0][pixel];
                VectorVar value = beside && after != null
                        ? ImageEpilogues.write(builder, after, result, Address.at(residual, pixel * bytes))
                        : result;
                builder.store(Address.at(out, pixel * bytes), value);
            }
            for (int pixel = 0; after != null && !beside && pixel < pixels; pixel++) {
                Address place = Address.at(out, pixel * bytes);
                Address other = Address.at(residual, pixel * bytes);
                builder.store(place, ImageEpilogues.write(builder, after, builder.load(place), other));
            }
        }

        /** Last: sums that begin with a large one lose the last bits of all others. */
        private void addBias() {
            VectorVar added = builder.load(Address.at(bias, 0));
            for (int pixel = 0; pixel < pixels; pixel++) {
                combine(results[0][pixel], added);
            }
        }

        private void average() {
            VectorVar rows = builder.broadcast(Address.at(sizes, Long.BYTES * Size.COUNTED_ROWS.ordinal()));
            VectorVar divisor = rows;
            int counted = 1;
            for (int pixel = 0; pixel < pixels; pixel++) {
                int count = variant.count(column + pixel);
                if (count != counted) {
                    divisor = builder.mul(rows, Constant.of(count));
                    counted = count;
                }
                results[0][pixel] = builder.div(results[0][pixel], divisor);
            }
        }
    }
}
