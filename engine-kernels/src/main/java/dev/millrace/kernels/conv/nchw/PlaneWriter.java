package dev.millrace.kernels.conv.nchw;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.conv.nchw.PlaneTile.Size;
import dev.millrace.kernels.expression.RegisterNeed;
import dev.millrace.kernels.image.Combination;
import dev.millrace.kernels.image.ImageEpilogues;
import org.jspecify.annotations.Nullable;

/**
 * The writer of the program of one {@link PlaneTile}. Tap by tap, it adds what the tap reads to all outputs of a tile.
 */
final class PlaneWriter {
    private static final int BYTES_OF_TAP = 2 * Long.BYTES;

    private final ProgramBuilder builder;
    private final PlaneTile.Variant variant;
    private final boolean weighted;
    private final int lanes;
    private final int bytes;
    private final ScalarVar in;
    private final ScalarVar weights;
    private final ScalarVar out;
    private final ScalarVar other;
    private final ScalarVar sizes;

    PlaneWriter(String name, Target target, PlaneTile.Variant variant) {
        this.variant = variant;
        weighted = variant.kind() == Combination.WEIGHTED;
        lanes = target.lanes();
        bytes = target.vectorBytes();
        builder = new ProgramBuilder(name, target);
        in = builder.parameter("in");
        weights = builder.parameter("weights");
        out = builder.parameter("out");
        other = builder.parameter("other");
        sizes = builder.parameter("sizes");
    }

    private ScalarVar size(Size size) {
        return builder.loadLong(sizes, size);
    }

    Program program() {
        ScalarVar rows = size(Size.ROWS);
        try (var _ = builder.loop(rows, 1)) {
            row();
            builder.advance(in, size(Size.IN_NEXT));
            builder.advance(out, size(Size.OUT_NEXT));
            builder.advance(other, size(Size.OTHER_NEXT));
            if (variant.averages()) {
                builder.advance(weights, Float.BYTES);
            }
        }
        return builder.build();
    }

    private void row() {
        ScalarVar left = size(Size.COLUMNS);
        try (var _ = builder.loop(left, variant.vectors() * lanes)) {
            new Tile(variant.vectors(), null).write();
            advance(variant.vectors());
        }
        if (variant.rest() > 0) {
            builder.advance(left, -(variant.rest() - 1) * lanes);
            new Tile(variant.rest(), builder.prefixMask(left)).write();
            advance(variant.rest() - 1);
        }
    }

    private void advance(int vectors) {
        builder.advance(in, vectors * bytes);
        builder.advance(out, vectors * bytes);
        builder.advance(other, vectors * bytes);
    }

    /** Outputs side by side, of all channels. */
    private final class Tile {
        private final VectorVar[][] results;
        private final int vectors;
        private final @Nullable MaskVar last;

        /** @param last the mask of the last vector, or null where it is whole */
        Tile(int vectors, @Nullable MaskVar last) {
            this.vectors = vectors;
            this.last = last;
            results = new VectorVar[variant.channels()][vectors];
        }

        private @Nullable MaskVar mask(int vector) {
            return vector == vectors - 1 ? last : null;
        }

        void write() {
            for (VectorVar[] ofChannel : results) {
                for (int vector = 0; vector < vectors; vector++) {
                    ofChannel[vector] = builder.vector("result");
                    builder.set(ofChannel[vector], variant.kind().initial());
                }
            }
            ScalarVar tap = builder.copy(sizes, "tap");
            builder.advance(tap, Long.BYTES * Size.values().length);
            ScalarVar taps = size(Size.TAPS);
            try (var _ = builder.loop(taps, 1)) {
                ScalarVar from = builder.loadLong(Address.at(tap, 0), "from");
                if (weighted) {
                    multiply(from, builder.loadLong(Address.at(tap, Long.BYTES), "factors"));
                } else {
                    take(from);
                }
                builder.advance(tap, BYTES_OF_TAP);
            }
            finish();
        }

        private VectorVar element(ScalarVar from, int vector) {
            return builder.load(Address.at(in, from, 1, vector * bytes), mask(vector));
        }

        private void multiply(ScalarVar from, ScalarVar at) {
            VectorVar[] factors = new VectorVar[variant.channels()];
            for (int channel = 0; channel < factors.length; channel++) {
                factors[channel] = builder.broadcast(Address.at(weights, at, 1, Float.BYTES * channel));
            }
            for (int vector = 0; vector < vectors; vector++) {
                VectorVar element = element(from, vector);
                for (int channel = 0; channel < factors.length; channel++) {
                    builder.accumulate(results[channel][vector], element, factors[channel]);
                }
            }
        }

        private void take(ScalarVar from) {
            for (int vector = 0; vector < vectors; vector++) {
                VectorVar value = variant.kind().value(builder, element(from, vector), variant.each());
                variant.kind().combine(builder, results[0][vector], value);
            }
        }

        /** Finishes a tile. Where the epilogue needs more registers than the sums leave, the sums are stored first. */
        private void finish() {
            int free = builder.target().vectors() - variant.channels() * vectors - 2;
            if (RegisterNeed.of(variant.after()) <= free) {
                pass(true, true);
            } else {
                pass(true, false);
                pass(false, true);
            }
        }

        /**
         * Stores all outputs.
         *
         * @param summed whether the stored values are the sums, not values stored by an earlier pass
         * @param followed whether the epilogue is applied to them
         */
        private void pass(boolean summed, boolean followed) {
            ScalarVar to = builder.copy(out, "to");
            ScalarVar with = builder.copy(other, "with");
            for (int channel = 0; channel < variant.channels(); channel++) {
                if (channel > 0) {
                    builder.advance(to, size(Size.OUT_CHANNEL));
                    builder.advance(with, size(Size.OUT_CHANNEL));
                }
                for (int vector = 0; vector < vectors; vector++) {
                    Address place = Address.at(to, vector * bytes);
                    VectorVar value = summed ? whole(channel, vector, with) : builder.load(place, mask(vector));
                    builder.store(place, followed ? followed(value, with, vector) : value, mask(vector));
                }
            }
        }

        /**
         * Returns a result with its bias, or an average. The bias comes last: sums that begin with a large one lose the
         * last bits of all others.
         */
        private VectorVar whole(int channel, int vector, ScalarVar with) {
            VectorVar result = results[channel][vector];
            if (weighted) {
                return builder.add(result, builder.broadcast(Address.at(weights, Float.BYTES * channel)));
            }
            if (!variant.averages()) {
                return result;
            }
            VectorVar columns = builder.load(Address.at(with, vector * bytes), mask(vector));
            return builder.div(result, builder.mul(columns, builder.broadcast(Address.at(weights, 0))));
        }

        private VectorVar followed(VectorVar result, ScalarVar with, int vector) {
            Address residual = Address.at(with, vector * bytes);
            return ImageEpilogues.write(builder, variant.after(), result, residual, mask(vector));
        }
    }
}
