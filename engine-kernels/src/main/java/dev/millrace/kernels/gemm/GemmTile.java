package dev.millrace.kernels.gemm;

import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.family.KernelFamily;
import dev.millrace.kernels.family.KernelKey;
import dev.millrace.kernels.program.Address;
import dev.millrace.kernels.program.Constant;
import dev.millrace.kernels.program.MaskVar;
import dev.millrace.kernels.program.Program;
import dev.millrace.kernels.program.ProgramBuilder;
import dev.millrace.kernels.program.ScalarOp;
import dev.millrace.kernels.program.ScalarVar;
import dev.millrace.kernels.program.Target;
import dev.millrace.kernels.program.VectorVar;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A column of tiles: f(A, B, C, bias, strides, sizes). Each tile is {@code rows} of A times one packed panel of B of
 * {@code vectors} width; the kernel goes down the rows.
 *
 * <p>strides is lda | ldc &lt;&lt; 32, in bytes. sizes is depth | tail &lt;&lt; {@value #TAIL_SHIFT} | tiles &lt;&lt;
 * 32: how much of K, how many lanes of the last vector belong to C (masked kernels only), how many tiles.
 */
public final class GemmTile implements KernelFamily {
    public static final int MAX_ROWS = 6;
    public static final int MAX_VECTORS = 4;
    public static final int MAX_DEPTH = (1 << 20) - 1;
    public static final int TAIL_SHIFT = 20;

    private static final int MAX_TAIL = 31;
    private static final String NAME = "gemm.f32";
    /** Enough chains of additions to hide the latency of one: two per cycle, four cycles each. */
    private static final int CHAINS = 8;

    private static final int UNROLL = 4;
    /** For few rows memory is what limits: fetch B this many bytes ahead. */
    private static final int PREFETCH = 1024;

    private static final int PREFETCH_ROWS = 3;

    /**
     * One member of the family.
     *
     * @param rows of a tile, 1 to 6
     * @param vectors in a row of a tile, 1 to 4
     * @param masked whether the last vector is written in part
     * @param accumulate whether the product is added to C
     * @param epilogue what follows; {@link Epilogue#NONE} while K is not done
     */
    public record Variant(int rows, int vectors, boolean masked, boolean accumulate, Epilogue epilogue) {
        public KernelKey key() {
            return KernelKey.of(NAME)
                    .with("rows", rows)
                    .with("vectors", vectors)
                    .with("masked", masked ? 1 : 0)
                    .with("accumulate", accumulate ? 1 : 0)
                    .with("bias", epilogue.bias() ? 1 : 0)
                    .with("activation", epilogue.activation());
        }

        static Variant of(KernelKey key) {
            key.onlyHas("rows", "vectors", "masked", "accumulate", "bias", "activation");
            return new Variant(
                    key.number("rows", 1, MAX_ROWS),
                    key.number("vectors", 1, MAX_VECTORS),
                    key.number("masked", 0, 1) == 1,
                    key.number("accumulate", 0, 1) == 1,
                    new Epilogue(key.number("bias", 0, 1) == 1, key.oneOf("activation", Activation.values())));
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new Writer(key.toString(), target, Variant.of(key)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Variant variant;
        private final int rows;
        private final int vectors;
        private final int bytes;
        /** Independent sums of the same element, for small tiles. */
        private final int sets;

        private final ScalarVar a;
        private final ScalarVar b;
        private final ScalarVar c;
        private final ScalarVar bias;
        private final ScalarVar lda;
        private final ScalarVar ldc;
        private final ScalarVar sizes;
        private final ScalarVar lda3;
        private final ScalarVar lda5;
        private final VectorVar[][] sums;

        Writer(String name, Target target, Variant variant) {
            this.variant = variant;
            rows = variant.rows();
            vectors = variant.vectors();
            bytes = target.vectorBytes();
            sets = sets(rows * vectors);
            builder = new ProgramBuilder(name, target);
            a = builder.parameter("a");
            b = builder.parameter("b");
            c = builder.parameter("c");
            bias = builder.parameter("bias");
            ScalarVar strides = builder.parameter("strides");
            sizes = builder.parameter("sizes");
            lda = builder.low(strides, "lda");
            ldc = builder.high(strides, "ldc");
            lda3 = rows > 3 ? multiple(3) : lda;
            lda5 = rows > 5 ? multiple(5) : lda;
            sums = new VectorVar[sets][rows * vectors];
        }

        private static int sets(int sumsOfTile) {
            int sets = 1;
            while (sumsOfTile * sets < CHAINS && 2 * sets <= UNROLL) {
                sets *= 2;
            }
            return sets;
        }

        private ScalarVar multiple(int factor) {
            ScalarVar product = builder.scalar("lda" + factor);
            builder.scalar(product, ScalarOp.MUL, lda, factor);
            return product;
        }

        private Address row(ScalarVar start, int row, int displacement) {
            return switch (row) {
                case 0 -> Address.at(start, displacement);
                case 3 -> Address.at(start, lda3, 1, displacement);
                case 5 -> Address.at(start, lda5, 1, displacement);
                default -> Address.at(start, lda, row, displacement);
            };
        }

        Program program() {
            ScalarVar tiles = builder.high(sizes, "tiles");
            try (var _ = builder.loop(tiles, 1)) {
                multiply();
                addUp();
                MaskVar mask = variant.masked() ? tail() : null;
                store(mask);
                if (!variant.epilogue().activation().fitsBesideTile()) {
                    activate(mask);
                }
                ScalarVar step = builder.scalar("step");
                builder.scalar(step, ScalarOp.MUL, lda, rows);
                builder.advance(a, step);
                builder.scalar(step, ScalarOp.MUL, ldc, rows);
                builder.advance(c, step);
            }
            return builder.build();
        }

        private MaskVar tail() {
            ScalarVar tail = builder.scalar("tail");
            builder.scalar(tail, ScalarOp.SHR, sizes, TAIL_SHIFT);
            builder.scalar(tail, ScalarOp.AND, tail, MAX_TAIL);
            return builder.firstLanes(tail);
        }

        private void multiply() {
            ScalarVar left = builder.copy(a, "left");
            ScalarVar right = builder.copy(b, "right");
            ScalarVar depth = builder.scalar("depth");
            builder.scalar(depth, ScalarOp.AND, sizes, MAX_DEPTH);
            for (VectorVar[] set : sums) {
                for (int i = 0; i < set.length; i++) {
                    set[i] = builder.vector("sum");
                    builder.set(set[i], Constant.ZERO);
                }
            }
            try (var _ = builder.loop(depth, UNROLL)) {
                columns(left, right, UNROLL);
            }
            try (var _ = builder.loop(depth, 1)) {
                columns(left, right, 1);
            }
        }

        /** Some columns of A times as many rows of B. */
        private void columns(ScalarVar left, ScalarVar right, int count) {
            VectorVar[] rightRow = new VectorVar[vectors];
            for (int k = 0; k < count; k++) {
                for (int j = 0; j < vectors; j++) {
                    int at = (k * vectors + j) * bytes;
                    rightRow[j] = builder.load(Address.at(right, at));
                    if (rows <= PREFETCH_ROWS && at % 64 == 0) {
                        builder.prefetch(Address.at(right, at + PREFETCH));
                    }
                }
                VectorVar[] set = sums[k % sets];
                for (int i = 0; i < rows; i++) {
                    VectorVar element = builder.spread(row(left, i, 4 * k));
                    for (int j = 0; j < vectors; j++) {
                        builder.accumulate(set[i * vectors + j], element, rightRow[j]);
                    }
                }
            }
            builder.advance(left, 4 * count);
            builder.advance(right, count * vectors * bytes);
        }

        private void addUp() {
            for (int half = sets / 2; half > 0; half /= 2) {
                for (int set = 0; set < half; set++) {
                    for (int i = 0; i < rows * vectors; i++) {
                        sums[set][i] = builder.add(sums[set][i], sums[set + half][i]);
                    }
                }
            }
        }

        private @Nullable MaskVar maskOf(int vector, @Nullable MaskVar mask) {
            return vector == vectors - 1 ? mask : null;
        }

        private void store(@Nullable MaskVar mask) {
            ScalarVar to = builder.copy(c, "to");
            for (int j = 0; j < vectors && variant.epilogue().bias(); j++) {
                VectorVar added = builder.load(Address.at(bias, j * bytes), maskOf(j, mask));
                for (int i = 0; i < rows; i++) {
                    sums[0][i * vectors + j] = builder.add(sums[0][i * vectors + j], added);
                }
            }
            for (int i = 0; i < rows; i++) {
                for (int j = 0; j < vectors; j++) {
                    Address at = Address.at(to, j * bytes);
                    VectorVar sum = sums[0][i * vectors + j];
                    if (variant.accumulate()) {
                        sum = builder.add(sum, builder.load(at, maskOf(j, mask)));
                    }
                    if (variant.epilogue().activation() == Activation.RELU) {
                        sum = builder.max(Constant.ZERO, sum);
                    }
                    builder.store(at, sum, maskOf(j, mask));
                }
                if (i < rows - 1) {
                    builder.advance(to, ldc);
                }
            }
        }

        /** Over the tile that was just written, now that its registers are free. */
        private void activate(@Nullable MaskVar mask) {
            ScalarVar at = builder.copy(c, "at");
            ScalarVar left = builder.scalar("left");
            builder.set(left, rows);
            Expr x = Expr.input(0);
            try (var _ = builder.loop(left, 1)) {
                for (int j = 0; j < vectors; j++) {
                    Address place = Address.at(at, j * bytes);
                    ExprWriter writer = new ExprWriter(builder, Map.of(x, builder.load(place, maskOf(j, mask))));
                    builder.store(
                            place, writer.write(variant.epilogue().activation().of(x)), maskOf(j, mask));
                }
                builder.advance(at, ldc);
            }
        }
    }
}
