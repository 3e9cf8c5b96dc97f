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

/** The rows of {@link ScaledRows}: elements less a zero point, times a scale. */
final class DequantiseRows implements KernelFamily {
    static final String NAME = "dequantise";

    static KernelKey key(QuantisedType from, boolean perElement) {
        return KernelKey.of(NAME).with("from", from).with("perelement", perElement ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("from", "perelement");
        QuantisedType from = key.oneOf("from", QuantisedType.values());
        return new Writer(key.toString(), target, from, key.number("perelement", 0, 1) == 1).program();
    }

    private static final class Writer extends ScaledRows {
        private final QuantisedType type;

        Writer(String name, Target target, QuantisedType type, boolean perElement) {
            super(name, target, perElement, type.isHalfByte() ? 2 * target.lanes() : target.lanes());
            this.type = type;
        }

        @Override
        long bytesIn(int elements) {
            return type.bytes(elements);
        }

        @Override
        long bytesOut(int elements) {
            return 4L * elements;
        }

        @Override
        void elements(ScalarVar in, ScalarVar out, Scaling scaling, @Nullable ScalarVar left) {
            if (!type.isHalfByte()) {
                store(builder.load(type.loaded(), Address.at(in, 0), mask(left, 0)), out, scaling, 0, left);
                return;
            }
            VectorVar pairs = builder.load(type.loaded(), Address.at(in, 0), maskOfPairs(left));
            VectorVar low = half(pairs, 28);
            VectorVar high = half(pairs, 24);
            for (int vector = 0; vector < 2; vector++) {
                int start = vector * lanes / 2;
                VectorVar both = builder.binary(BinaryOp.OR, apart(low, start, 0), apart(high, start, 1));
                store(both, out, scaling, vector, left);
            }
        }

        /** Four bits, moved to the left end and back to the right one, with or without sign. */
        private VectorVar half(VectorVar pairs, int distance) {
            VectorVar left = builder.binary(BinaryOp.SHIFT_LEFT, pairs, Constant.ofBits(distance));
            BinaryOp back = type.least() < 0 ? BinaryOp.SHIFT_RIGHT_SIGNED : BinaryOp.SHIFT_RIGHT;
            return builder.binary(back, left, Constant.ofBits(28));
        }

        /** Half of the lanes, spread out to every other one; zero elsewhere. */
        private VectorVar apart(VectorVar from, int start, int first) {
            int[] order = new int[lanes];
            for (int i = 0; i < lanes; i++) {
                order[i] = i % 2 == first ? start + i / 2 : Step.Permute.ZERO_LANE;
            }
            return builder.permute(from, order);
        }

        private void store(VectorVar x, ScalarVar out, Scaling scaling, int vector, @Nullable ScalarVar left) {
            MaskVar mask = mask(left, vector);
            VectorVar number = builder.binary(BinaryOp.INT_SUB, x, scaling.zero(vector, mask));
            VectorVar y = builder.mul(builder.unary(UnaryOp.TO_FLOAT, number), scaling.scale(vector, mask));
            builder.store(Address.at(out, 4 * lanes * vector), y, mask);
        }
    }
}
