package dev.millrace.kernels.conv;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.RegisterNeed;
import dev.millrace.kernels.image.ImageEpilogues;
import org.jspecify.annotations.Nullable;

/** The writer of the program of one {@link ConvTile}. */
final class ConvTileWriter {
    /** The positions of the sizes in their block of memory. */
    enum Size {
        TILES,
        BLOCKS,
        ROWS,
        IN_TILE,
        OUT_TILE,
        IN_ROW,
        IN_BLOCK,
        WEIGHT_ROW,
        WEIGHT_BLOCK,
        WEIGHT_OUT_BLOCK,
        OUT_BLOCK,
        AHEAD;

        void put(long[] sizes, long size) {
            sizes[ordinal()] = size;
        }
    }

    /** Enough chains of additions to hide the latency of one: two per cycle, four cycles each. */
    private static final int CHAINS = 8;

    private static final int MAX_SETS = 4;
    /**
     * Channels that are unrolled; those of a block take some iterations, so that there is less code to emit and to
     * read.
     */
    private static final int UNROLLED = 4;
    /**
     * The largest stride of tiles that prefetch all cache lines up to the next tile: with a larger one most of the
     * lines are not read.
     */
    private static final int MAX_FETCHED_STRIDE = 1 << 6;
    /** Bytes of a cache line. */
    private static final int LINE = 64;

    private final ProgramBuilder builder;
    private final ConvTile.Variant variant;
    private final int pixels;
    private final int blocks;
    private final int vectorBytes;
    /** Bytes from pixel to pixel of one channel block in the input. */
    private final int pixelBytes;
    /** The number of independent sums of the same element, more than one for small tiles. */
    private final int sets;

    private final ScalarVar in;
    private final ScalarVar weights;
    private final ScalarVar out;
    private final ScalarVar bias;
    private final ScalarVar residual;
    private final ScalarVar sizes;
    private final VectorVar[][] sums;
    /** The distance from the weights that are read to those that are prefetched meanwhile. */
    private @Nullable ScalarVar ahead;

    ConvTileWriter(String name, Target target, ConvTile.Variant variant) {
        this.variant = variant;
        pixels = variant.pixels();
        blocks = variant.blocks();
        vectorBytes = target.vectorBytes();
        pixelBytes = variant.input().pixelBytes(target.lanes());
        sets = sets(pixels * blocks, target.vectors() - blocks - 1);
        builder = new ProgramBuilder(name, target);
        in = builder.parameter("in");
        weights = builder.parameter("weights");
        out = builder.parameter("out");
        bias = builder.parameter("bias");
        residual = builder.parameter("residual");
        sizes = builder.parameter("sizes");
        sums = new VectorVar[sets][pixels * blocks];
    }

    private static int sets(int sumsOfTile, int registers) {
        int sets = 1;
        while (sumsOfTile * sets < CHAINS && 2 * sets <= MAX_SETS && 2 * sets * sumsOfTile <= registers) {
            sets *= 2;
        }
        return sets;
    }

    private ScalarVar size(Size size) {
        return builder.loadLong(sizes, size);
    }

    Program program() {
        ScalarVar tiles = size(Size.TILES);
        @Nullable ScalarVar weightStride = blocks > 1 ? size(Size.WEIGHT_OUT_BLOCK) : null;
        ahead = variant.fetches() ? size(Size.AHEAD) : null;
        try (var _ = builder.loop(tiles, 1)) {
            begin();
            fetchOutput();
            multiply(weightStride);
            addUp();
            finish();
            builder.advance(in, size(Size.IN_TILE));
            ScalarVar step = size(Size.OUT_TILE);
            builder.advance(out, step);
            builder.advance(residual, step);
            if (ahead != null) {
                builder.advance(ahead, size(Size.WEIGHT_OUT_BLOCK));
            }
        }
        return builder.build();
    }

    private VectorVar sum(int set, int block, int pixel) {
        return sums[set][block * pixels + pixel];
    }

    private Address block(ScalarVar base, @Nullable ScalarVar stride, int block, int displacement) {
        return block == 0 || stride == null
                ? Address.at(base, displacement)
                : Address.at(base, stride, block, displacement);
    }

    private Address place(ScalarVar base, @Nullable ScalarVar stride, int block, int pixel) {
        return block(base, stride, block, pixel * variant.pitch() * vectorBytes);
    }

    private void begin() {
        @Nullable
        ScalarVar outStride = variant.start() == ConvTile.Start.OUTPUT && blocks > 1 ? size(Size.OUT_BLOCK) : null;
        for (int block = 0; block < blocks; block++) {
            for (int pixel = 0; pixel < pixels; pixel++) {
                VectorVar sum = builder.vector("sum");
                sums[0][block * pixels + pixel] = sum;
                if (variant.start() == ConvTile.Start.OUTPUT) {
                    builder.set(sum, builder.load(place(out, outStride, block, pixel)));
                } else {
                    builder.set(sum, Constant.ZERO);
                }
            }
        }
        for (int set = 1; set < sets; set++) {
            for (int i = 0; i < pixels * blocks; i++) {
                sums[set][i] = builder.vector("sum");
                builder.set(sums[set][i], Constant.ZERO);
            }
        }
    }

    /** Prefetches the output and the residual, which are written or read only at the end. */
    private void fetchOutput() {
        boolean writesFresh = variant.start() == ConvTile.Start.ZERO;
        boolean readsResidual = variant.after() != null && ImageEpilogues.readsResidual(variant.after());
        if (!writesFresh && !readsResidual) {
            return;
        }
        @Nullable ScalarVar outStride = blocks > 1 ? size(Size.OUT_BLOCK) : null;
        for (int block = 0; block < blocks; block++) {
            for (int pixel = 0; pixel < pixels; pixel++) {
                if (writesFresh) {
                    builder.prefetch(place(out, outStride, block, pixel));
                }
                if (readsResidual) {
                    builder.prefetch(place(residual, outStride, block, pixel));
                }
            }
        }
    }

    private void multiply(@Nullable ScalarVar weightStride) {
        ScalarVar from = builder.copy(in, "from");
        ScalarVar weight = builder.copy(weights, "weight");
        ScalarVar channelBlocks = size(Size.BLOCKS);
        if (variant.input() == ConvInput.LISTED) {
            listed(channelBlocks, from, weight, weightStride);
            return;
        }
        try (var _ = builder.loop(channelBlocks, 1)) {
            ScalarVar rows = size(Size.ROWS);
            try (var _ = builder.loop(rows, 1)) {
                taps(from, weight, weightStride);
                builder.advance(from, size(Size.IN_ROW));
                builder.advance(weight, size(Size.WEIGHT_ROW));
            }
            builder.advance(from, size(Size.IN_BLOCK));
            builder.advance(weight, size(Size.WEIGHT_BLOCK));
        }
    }

    /** Adds up runs of neighbouring channels, with a single tap. */
    private void listed(ScalarVar runs, ScalarVar from, ScalarVar weight, @Nullable ScalarVar weightStride) {
        ScalarVar run = builder.copy(sizes, "run");
        builder.advance(run, Long.BYTES * ConvTile.SIZES);
        try (var _ = builder.loop(runs, 1)) {
            builder.advance(from, builder.loadLong(Address.at(run, 0), "distance"));
            for (int line = 0; line < linesOfNextTile(); line++) {
                builder.prefetch(Address.at(from, nextTile() + line * linePitch()));
            }
            ScalarVar left = builder.loadLong(Address.at(run, Long.BYTES), "left");
            for (int channels : new int[] {UNROLLED, 1}) {
                try (var _ = builder.loop(left, channels)) {
                    channels(from, weight, weightStride, 0, channels);
                    builder.advance(from, channels * Float.BYTES);
                    builder.advance(weight, channels * vectorBytes);
                }
            }
            builder.advance(run, 2 * Long.BYTES);
        }
    }

    /** Adds up one row of taps over the channels of one block. */
    private void taps(ScalarVar from, ScalarVar weight, @Nullable ScalarVar weightStride) {
        int depth = variant.depth();
        int channels = depth % UNROLLED == 0 ? UNROLLED : depth;
        for (int tap = 0; tap < variant.taps(); tap++) {
            int lines = tap == variant.taps() - 1 ? linesOfNextTile() : 0;
            if (channels == depth) {
                channels(from, weight, weightStride, tap, channels);
                for (int line = 0; line < lines; line++) {
                    builder.prefetch(Address.at(from, nextTile() + line * linePitch()));
                }
                continue;
            }
            int linesOfStep = (lines * channels + depth - 1) / depth;
            int step = Math.max(1, linesOfStep * linePitch());
            // // counts the bytes of the next tile, where there are some to prefetch
            ScalarVar left = builder.scalar("left");
            builder.set(left, depth / channels * step);
            try (var _ = builder.loop(left, step)) {
                channels(from, weight, weightStride, tap, channels);
                for (int line = 0; line < linesOfStep; line++) {
                    builder.prefetch(Address.at(from, left, 1, nextTile() - step + line * linePitch()));
                }
                builder.advance(from, channels * Float.BYTES);
                builder.advance(weight, channels * vectorBytes);
            }
            builder.advance(from, -depth * Float.BYTES);
            builder.advance(weight, -depth * vectorBytes);
        }
    }

    private void channels(ScalarVar from, ScalarVar weight, @Nullable ScalarVar weightStride, int tap, int channels) {
        for (int channel = 0, step = 0; channel < channels; channel++) {
            if (multiplyStep(from, weight, weightStride, tap, channel, step % sets)) {
                step++;
            }
        }
    }

    /**
     * Returns the number of cache lines that the next tile of the row reads and this one does not. A row of a channel
     * block is too short for the hardware prefetcher to predict the start of the next tile.
     */
    private int linesOfNextTile() {
        boolean goesOn = variant.input() != ConvInput.PLAIN && variant.left() == 0 && variant.right() == 0;
        boolean isNear = variant.taps() == 1 || variant.stride() <= MAX_FETCHED_STRIDE;
        return goesOn && isNear ? (pixels * variant.stride() * pixelBytes + linePitch() - 1) / linePitch() : 0;
    }

    /**
     * The distance in bytes from one prefetched line to the next. Tiles with a single tap skip the pixels between
     * strides.
     */
    private int linePitch() {
        return Math.max(LINE, variant.taps() == 1 ? variant.stride() * pixelBytes : pixelBytes);
    }

    /** The distance in bytes from this tile to the lines that only the next one reads. */
    private int nextTile() {
        int tap = Math.max(0, variant.taps() - variant.stride());
        return (pixels * variant.stride() + tap * variant.dilation()) * pixelBytes;
    }

    private boolean multiplyStep(
            ScalarVar from, ScalarVar weight, @Nullable ScalarVar weightStride, int tap, int channel, int set) {
        int channels = pixelBytes / Float.BYTES;
        VectorVar @Nullable [] row = null;
        for (int pixel = 0; pixel < pixels; pixel++) {
            if (!variant.reads(pixel, tap)) {
                continue;
            }
            if (row == null) {
                row = new VectorVar[blocks];
                for (int block = 0; block < blocks; block++) {
                    int displacement = (tap * channels + channel) * vectorBytes;
                    row[block] = builder.load(block(weight, weightStride, block, displacement));
                }
                if (ahead != null) {
                    builder.prefetch(Address.at(weight, ahead, 1, (tap * channels + channel) * vectorBytes));
                }
            }
            int column = pixel * variant.stride() + tap * variant.dilation();
            VectorVar element = builder.broadcast(Address.at(from, column * pixelBytes + channel * Float.BYTES));
            for (int block = 0; block < blocks; block++) {
                builder.accumulate(sum(set, block, pixel), element, row[block]);
            }
        }
        return row != null;
    }

    private void addUp() {
        for (int half = sets / 2; half > 0; half /= 2) {
            for (int set = 0; set < half; set++) {
                for (int i = 0; i < pixels * blocks; i++) {
                    sums[set][i] = builder.add(sums[set][i], sums[set + half][i]);
                }
            }
        }
    }

    private void addBias() {
        for (int block = 0; block < blocks; block++) {
            VectorVar added = builder.load(Address.at(bias, block * vectorBytes));
            for (int pixel = 0; pixel < pixels; pixel++) {
                VectorVar sum = sum(0, block, pixel);
                builder.binary(sum, BinaryOp.ADD, sum, added);
            }
        }
    }

    private void finish() {
        Expr after = variant.after();
        if (after != null) {
            addBias();
        }
        @Nullable ScalarVar outStride = blocks > 1 ? size(Size.OUT_BLOCK) : null;
        int free = builder.target().vectors() - pixels * blocks - 1;
        boolean beside = after != null && RegisterNeed.of(after) <= free;
        for (int block = 0; block < blocks; block++) {
            for (int pixel = 0; pixel < pixels; pixel++) {
                VectorVar sum = sum(0, block, pixel);
                Address to = place(out, outStride, block, pixel);
                VectorVar value =
                        beside && after != null ? apply(after, sum, place(residual, outStride, block, pixel)) : sum;
                builder.store(to, value);
            }
        }
        if (after != null && !beside) {
            overTile(after, outStride);
        }
    }

    private VectorVar apply(Expr after, VectorVar sum, Address residualAt) {
        return ImageEpilogues.write(builder, after, sum, residualAt);
    }

    /** Applies the epilogue to the tile that was just written, now that its registers are free. */
    private void overTile(Expr after, @Nullable ScalarVar outStride) {
        ScalarVar at = builder.copy(out, "at");
        ScalarVar other = builder.copy(residual, "other");
        ScalarVar left = builder.scalar("left");
        builder.set(left, pixels);
        try (var _ = builder.loop(left, 1)) {
            for (int block = 0; block < blocks; block++) {
                Address place = place(at, outStride, block, 0);
                builder.store(place, apply(after, builder.load(place), place(other, outStride, block, 0)));
            }
            builder.advance(at, variant.pitch() * vectorBytes);
            builder.advance(other, variant.pitch() * vectorBytes);
        }
    }
}
