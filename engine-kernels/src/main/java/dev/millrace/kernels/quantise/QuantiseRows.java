package dev.millrace.kernels.quantise;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of {@link ScaledRows} that quantises: floats divided by a scale, or ints multiplied by one, are rounded to
 * nearest even, plus a zero point, saturated. NaN becomes the least element.
 */
final class QuantiseRows implements KernelFamily {
    static final String NAME = "quantise";

    static KernelKey key(boolean ints, QuantisedType to, boolean perElement) {
        return KernelKey.of(NAME).with("ints", ints ? 1 : 0).with("to", to).with("perelement", perElement ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("ints", "to", "perelement");
        boolean ints = key.number("ints", 0, 1) == 1;
        QuantisedType to = key.oneOf("to", QuantisedType.values());
        boolean perElement = key.number("perelement", 0, 1) == 1;
        return new Writer(key.toString(), target, ints, to, perElement).program();
    }

    private static final class Writer extends ScaledRows {
        private final boolean ints;
        private final QuantisedType type;

        Writer(String name, Target target, boolean ints, QuantisedType type, boolean perElement) {
            super(name, target, perElement, type.isHalfByte() ? 2 * target.lanes() : target.lanes());
            this.ints = ints;
            this.type = type;
        }

        @Override
        long bytesIn(int elements) {
            return 4L * elements;
        }

        @Override
        long bytesOut(int elements) {
            return type.bytes(elements);
        }

        @Override
        void elements(ScalarVar in, ScalarVar out, Scaling scaling, @Nullable ScalarVar left) {
            VectorVar first = quantised(in, scaling, 0, mask(left, 0));
            if (!type.isHalfByte()) {
                builder.store(type.stored(), Address.at(out, 0), first, mask(left, 0));
                return;
            }
            VectorVar second = quantised(in, scaling, 1, mask(left, 1));
            VectorVar even = builder.binary(BinaryOp.OR, everyOther(first, 0, 0), everyOther(second, 0, lanes / 2));
            VectorVar odd = builder.binary(BinaryOp.OR, everyOther(first, 1, 0), everyOther(second, 1, lanes / 2));
            VectorVar pairs =
                    builder.binary(BinaryOp.OR, even, builder.binary(BinaryOp.SHIFT_LEFT, odd, Constant.ofBits(4)));
            builder.store(type.stored(), Address.at(out, 0), pairs, maskOfPairs(left));
        }

        /** Returns every other lane, moved together to lane {@code start}; zero elsewhere. */
        private VectorVar everyOther(VectorVar from, int first, int start) {
            int[] order = new int[lanes];
            for (int i = 0; i < lanes; i++) {
                int source = i - start;
                order[i] = source >= 0 && source < lanes / 2 ? 2 * source + first : Step.Permute.ZERO_LANE;
            }
            return builder.permute(from, order);
        }

        private VectorVar quantised(ScalarVar in, Scaling scaling, int vector, @Nullable MaskVar mask) {
            VectorVar x = builder.load(Address.at(in, 4 * lanes * vector), mask);
            VectorVar scale = scaling.scale(vector, mask);
            VectorVar zero = scaling.zero(vector, mask);
            VectorVar scaled = ints ? builder.mul(builder.unary(UnaryOp.TO_FLOAT, x), scale) : builder.div(x, scale);
            VectorVar clamped = builder.max(scaled, bound(type.least(), zero));
            VectorVar within = builder.min(clamped, bound(type.most(), zero));
            VectorVar number = builder.binary(BinaryOp.INT_ADD, builder.unary(UnaryOp.TO_INT, within), zero);
            if (!type.isHalfByte()) {
                return number;
            }
            VectorVar half = builder.binary(BinaryOp.AND, number, Constant.ofBits(15));
            return mask == null ? half : builder.select(mask, half, Constant.ZERO);
        }

        /** Returns a bound minus the zero point. */
        private VectorVar bound(int bound, VectorVar zero) {
            return builder.unary(UnaryOp.TO_FLOAT, builder.binary(BinaryOp.INT_SUB, Constant.ofBits(bound), zero));
        }
    }
}
