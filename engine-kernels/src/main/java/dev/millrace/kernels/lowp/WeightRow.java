package dev.millrace.kernels.lowp;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.gemm.Activation;
import dev.millrace.kernels.gemm.GemmTile;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * f(a, panel, c, bias, blocks, tail): one row of floats, filled up with zeros to whole blocks, times a panel of stored
 * weights; or one that is rounded, as {@link RoundedRow} says. tail is how many lanes of the last vector belong to C.
 */
final class WeightRow implements KernelFamily {
    static final String NAME = "gemm.stored.row";
    /** The most panels that are multiplied in turns. */
    private static final int MOST_PANELS = 2;
    /** Enough chains of additions to hide the latency of one: two per cycle, four cycles each. */
    private static final int CHAINS = 8;

    /**
     * One member of the family.
     *
     * @param panels the panels that are multiplied in turns, block by block; several only where the row is rounded
     * @param rounded whether the row is rounded to bytes, for weights of four bits
     */
    record Variant(WeightFormat format, int vectors, int panels, boolean rounded, boolean bias, Activation activation) {
        KernelKey key() {
            return format.in(KernelKey.of(NAME))
                    .with("vectors", vectors)
                    .with("panels", panels)
                    .with("rounded", rounded ? 1 : 0)
                    .with("bias", bias ? 1 : 0)
                    .with("activation", activation);
        }

        static Variant of(KernelKey key) {
            key.onlyHas("type", "block", "zeros", "scales", "vectors", "panels", "rounded", "bias", "activation");
            WeightFormat format = WeightFormat.of(key);
            boolean rounded = key.number("rounded", 0, format.type() == WeightType.INT4 ? 1 : 0) == 1;
            return new Variant(
                    format,
                    key.number("vectors", 1, GemmTile.MAX_VECTORS),
                    key.number("panels", 1, rounded ? MOST_PANELS : 1),
                    rounded,
                    key.number("bias", 0, 1) == 1,
                    key.oneOf("activation", Activation.values()));
        }
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        return new Writer(key.toString(), target, Variant.of(key)).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Variant variant;
        private final WeightFormat format;
        private final WeightSteps steps;
        private final int vectors;
        private final int bytes;
        /** Independent sums of the same element: a power of two, so that they divide a block. */
        private final int sets;

        private final ScalarVar a;
        private final ScalarVar panel;
        private final ScalarVar c;
        private final ScalarVar bias;
        private final ScalarVar blocks;
        private final ScalarVar tail;
        private final VectorVar[][] totals;
        private final VectorVar[][] sums;
        private final VectorVar sumOfA;

        Writer(String name, Target target, Variant variant) {
            this.variant = variant;
            format = variant.format();
            vectors = variant.vectors();
            bytes = target.vectorBytes();
            sets = Integer.highestOneBit(Math.max(1, Math.min(CHAINS, target.vectors() / 2) / vectors));
            builder = new ProgramBuilder(name, target);
            steps = new WeightSteps(builder, format, vectors);
            a = builder.parameter("a");
            panel = builder.parameter("panel");
            c = builder.parameter("c");
            bias = builder.parameter("bias");
            blocks = builder.parameter("blocks");
            tail = builder.parameter("tail");
            totals = new VectorVar[variant.panels()][vectors];
            sums = new VectorVar[sets][vectors];
            sumOfA = builder.vector("sum of a");
        }

        Program program() {
            for (VectorVar[] ofPanel : totals) {
                clear(ofPanel);
            }
            if (variant.rounded()) {
                roundedBlocks();
            } else {
                floats();
            }
            store();
            return builder.build();
        }

        private void roundedBlocks() {
            RoundedSums ofBlock = new RoundedSums(builder, format, steps, vectors);
            ofBlock.begin();
            ScalarVar[] places = places();
            try (var _ = builder.loop(blocks, 1)) {
                for (int p = 0; p < places.length; p++) {
                    ScalarVar terms = builder.copy(places[p], "terms");
                    builder.advance(places[p], steps.termBytes());
                    ofBlock.block(a, terms, places[p], totals[p]);
                }
                builder.advance(a, RoundedRow.blockBytes(format.block()));
            }
        }

        /** Returns the addresses of the panels, which follow each other. */
        private ScalarVar[] places() {
            ScalarVar[] places = new ScalarVar[variant.panels()];
            places[0] = panel;
            for (int p = 1; p < places.length; p++) {
                places[p] = builder.copy(blocks, "panel");
                builder.scalar(places[p], ScalarOp.MUL, places[p], format.blockBytes() * vectors * bytes / Float.BYTES);
                builder.advance(places[p], places[p - 1]);
            }
            return places;
        }

        private void floats() {
            boolean blocked = format.type().isBlocked();
            for (VectorVar[] set : sums) {
                clear(set);
            }
            try (var _ = builder.loop(blocks, 1)) {
                ScalarVar terms = builder.copy(panel, "terms");
                builder.advance(panel, steps.termBytes());
                if (format.zeros()) {
                    builder.set(sumOfA, Constant.ZERO);
                }
                groups();
                if (blocked) {
                    scale(terms);
                }
            }
            if (!blocked) {
                scale(panel);
            }
        }

        private void clear(VectorVar[] some) {
            for (int i = 0; i < some.length; i++) {
                some[i] = builder.vector("sum");
                builder.set(some[i], Constant.ZERO);
            }
        }

        /** The groups of a block; at least as many weights at a time as there are sets of sums. */
        private void groups() {
            int depth = format.type().group();
            int together = Math.max(1, 2 * sets / depth);
            ScalarVar groups = builder.scalar("groups");
            builder.set(groups, format.block() / depth);
            try (var _ = builder.loop(groups, together)) {
                for (int g = 0; g < together; g++) {
                    group(g, depth);
                }
                builder.advance(a, 4 * depth * together);
                builder.advance(panel, steps.groupBytes() * together);
            }
        }

        private void group(int number, int depth) {
            int at = number * steps.groupBytes();
            VectorVar[] group = new VectorVar[vectors];
            for (int j = 0; j < vectors; j++) {
                group[j] = steps.group(panel, at, j);
            }
            steps.fetch(panel, at);
            for (int i = 0; i < depth; i++) {
                int k = number * depth + i;
                VectorVar element = builder.broadcast(Address.at(a, 4 * k));
                if (format.zeros()) {
                    builder.set(sumOfA, builder.add(sumOfA, element));
                }
                for (int j = 0; j < vectors; j++) {
                    builder.accumulate(sums[k % sets][j], element, steps.weight(group[j], i));
                }
            }
        }

        /** Adds the sums to the totals, with the scales of a block if it has some. */
        private void scale(ScalarVar terms) {
            for (int j = 0; j < vectors; j++) {
                VectorVar sum = sums[0][j];
                for (int set = 1; set < sets; set++) {
                    sum = builder.add(sum, sums[set][j]);
                }
                if (format.zeros()) {
                    sum = builder.multiplySubtract(sumOfA, steps.zero(terms, j), sum);
                }
                if (format.type().isBlocked()) {
                    builder.accumulate(totals[0][j], sum, steps.scale(terms, j));
                } else {
                    builder.set(totals[0][j], sum);
                }
                for (int set = 0; set < sets; set++) {
                    builder.set(sums[set][j], Constant.ZERO);
                }
            }
        }

        private void store() {
            MaskVar mask = builder.prefixMask(tail);
            Expr x = Expr.input(0);
            int count = variant.panels() * vectors;
            for (int j = 0; j < count; j++) {
                @Nullable MaskVar own = j == count - 1 ? mask : null;
                VectorVar sum = totals[j / vectors][j % vectors];
                VectorVar total =
                        variant.bias() ? builder.add(sum, builder.load(Address.at(bias, j * bytes), own)) : sum;
                ExprWriter writer = new ExprWriter(builder, Map.of(x, total));
                builder.store(
                        Address.at(c, j * bytes),
                        writer.write(variant.activation().of(x)),
                        own);
            }
        }
    }
}
