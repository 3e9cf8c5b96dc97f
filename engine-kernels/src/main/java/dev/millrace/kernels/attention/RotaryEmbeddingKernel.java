package dev.millrace.kernels.attention;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Step;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * f(in, out, cosines, sines, sizes): turns the pairs of rows by angles, and copies what is behind them. {@code sizes} is
 * memory of longs: rows, pairs of a row, elements behind them; then how many bytes rows are apart in the input, in the
 * output and in the angles. The parameter {@code neighbours} is 1 if a pair lies side by side, 0 if the second ones
 * follow all first ones.
 */
final class RotaryEmbeddingKernel implements KernelFamily {
    static final String NAME = "attention.turn";

    private enum Size {
        ROWS,
        PAIRS,
        BEHIND,
        IN_ROW,
        OUT_ROW,
        ANGLE_ROW
    }

    static KernelKey key(boolean neighbours) {
        return KernelKey.of(NAME).with("neighbours", neighbours ? 1 : 0);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("neighbours");
        return new Writer(key.toString(), target, key.number("neighbours", 0, 1) == 1).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final boolean neighbours;
        private final int lanes;
        private final ScalarVar in;
        private final ScalarVar out;
        private final ScalarVar cosines;
        private final ScalarVar sines;
        private final ScalarVar sizes;

        Writer(String name, Target target, boolean neighbours) {
            this.neighbours = neighbours;
            lanes = target.lanes();
            builder = new ProgramBuilder(name, target);
            in = builder.parameter("in");
            out = builder.parameter("out");
            cosines = builder.parameter("cosines");
            sines = builder.parameter("sines");
            sizes = builder.parameter("sizes");
        }

        private ScalarVar size(Size size) {
            return builder.loadLong(sizes, size);
        }

        Program program() {
            ScalarVar rows = size(Size.ROWS);
            try (var _ = builder.loop(rows, 1)) {
                ScalarVar from = builder.copy(in, "from");
                ScalarVar to = builder.copy(out, "to");
                if (neighbours) {
                    sideBySide(from, to);
                } else {
                    oneAfterTheOther(from, to);
                }
                behind(from, to);
                builder.advance(in, size(Size.IN_ROW));
                builder.advance(out, size(Size.OUT_ROW));
                builder.advance(cosines, size(Size.ANGLE_ROW));
                builder.advance(sines, size(Size.ANGLE_ROW));
            }
            return builder.build();
        }

        private void oneAfterTheOther(ScalarVar from, ScalarVar to) {
            ScalarVar half = size(Size.PAIRS);
            builder.scalar(half, ScalarOp.SHL, half, 2);
            ScalarVar cosine = builder.copy(cosines, "cosine");
            ScalarVar sine = builder.copy(sines, "sine");
            ScalarVar second = builder.copy(from, "second");
            builder.advance(second, half);
            ScalarVar secondTo = builder.copy(to, "secondTo");
            builder.advance(secondTo, half);
            ScalarVar left = size(Size.PAIRS);
            ScalarVar[] pointers = {from, to, second, secondTo, cosine, sine};
            try (var _ = builder.loop(left, lanes)) {
                turn(pointers, null);
                for (ScalarVar pointer : pointers) {
                    builder.advance(pointer, 4 * lanes);
                }
            }
            try (var _ = builder.ifNotZero(left)) {
                turn(pointers, builder.prefixMask(left));
                builder.scalar(left, ScalarOp.SHL, left, 2);
                builder.advance(from, left);
                builder.advance(to, left);
            }
            builder.advance(from, half);
            builder.advance(to, half);
        }

        private void turn(ScalarVar[] pointers, @Nullable MaskVar some) {
            VectorVar x = builder.load(Address.at(pointers[0], 0), some);
            VectorVar y = builder.load(Address.at(pointers[2], 0), some);
            VectorVar cosine = builder.load(Address.at(pointers[4], 0), some);
            VectorVar sine = builder.load(Address.at(pointers[5], 0), some);
            VectorVar turnedX = builder.sub(builder.mul(x, cosine), builder.mul(y, sine));
            VectorVar turnedY = builder.add(builder.mul(x, sine), builder.mul(y, cosine));
            builder.store(Address.at(pointers[1], 0), turnedX, some);
            builder.store(Address.at(pointers[3], 0), turnedY, some);
        }

        private void sideBySide(ScalarVar from, ScalarVar to) {
            int pairs = lanes / 2;
            ScalarVar cosine = builder.copy(cosines, "cosine");
            ScalarVar sine = builder.copy(sines, "sine");
            ScalarVar left = size(Size.PAIRS);
            ScalarVar some = builder.scalar("some");
            builder.set(some, pairs);
            MaskVar half = builder.prefixMask(some);
            try (var _ = builder.loop(left, pairs)) {
                turnNeighbours(from, to, new Angles(cosine, sine, half), null);
                builder.advance(from, 4 * lanes);
                builder.advance(to, 4 * lanes);
                builder.advance(cosine, 4 * pairs);
                builder.advance(sine, 4 * pairs);
            }
            try (var _ = builder.ifNotZero(left)) {
                MaskVar last = builder.prefixMask(left);
                builder.scalar(left, ScalarOp.SHL, left, 1);
                turnNeighbours(from, to, new Angles(cosine, sine, last), builder.prefixMask(left));
                builder.scalar(left, ScalarOp.SHL, left, 2);
                builder.advance(from, left);
                builder.advance(to, left);
            }
        }

        private record Angles(ScalarVar cosines, ScalarVar sines, MaskVar some) {}

        private void turnNeighbours(ScalarVar from, ScalarVar to, Angles angles, @Nullable MaskVar some) {
            int[] twice = new int[lanes];
            int[] odd = new int[lanes];
            int[] even = new int[lanes];
            int[] exchanged = new int[lanes];
            for (int i = 0; i < lanes; i++) {
                twice[i] = i / 2;
                odd[i] = i % 2 == 1 ? i / 2 : Step.Permute.ZERO_LANE;
                even[i] = i % 2 == 0 ? i / 2 : Step.Permute.ZERO_LANE;
                exchanged[i] = i ^ 1;
            }
            VectorVar pair = builder.load(Address.at(from, 0), some);
            VectorVar sine = builder.load(Address.at(angles.sines(), 0), angles.some());
            VectorVar cosine = builder.permute(builder.load(Address.at(angles.cosines(), 0), angles.some()), twice);
            VectorVar signed = builder.sub(builder.permute(sine, odd), builder.permute(sine, even));
            VectorVar turned =
                    builder.add(builder.mul(pair, cosine), builder.mul(builder.permute(pair, exchanged), signed));
            builder.store(Address.at(to, 0), turned, some);
        }

        private void behind(ScalarVar from, ScalarVar to) {
            ScalarVar left = size(Size.BEHIND);
            try (var _ = builder.loop(left, lanes)) {
                builder.store(Address.at(to, 0), builder.load(Address.at(from, 0)));
                builder.advance(from, 4 * lanes);
                builder.advance(to, 4 * lanes);
            }
            try (var _ = builder.ifNotZero(left)) {
                MaskVar some = builder.prefixMask(left);
                builder.store(Address.at(to, 0), builder.load(Address.at(from, 0), some), some);
            }
        }
    }
}
