package dev.millrace.kernels.quantise;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import org.jspecify.annotations.Nullable;

/**
 * The writer of kernels f(from, to, count, scales, zeros, rows): rows of {@code count} elements one after another. A
 * float scale and an int zero point belong to each row, or to each position in a row.
 */
abstract class ScaledRows {
    final ProgramBuilder builder;
    final int lanes;
    private final boolean perElement;
    private final int step;
    private final ScalarVar from;
    private final ScalarVar to;
    private final ScalarVar count;
    private final ScalarVar scales;
    private final ScalarVar zeros;
    private final ScalarVar rows;

    /** @param step elements of one iteration: a vector of them, or two */
    ScaledRows(String name, Target target, boolean perElement, int step) {
        this.perElement = perElement;
        this.step = step;
        builder = new ProgramBuilder(name, target);
        lanes = target.lanes();
        from = builder.parameter("from");
        to = builder.parameter("to");
        count = builder.parameter("count");
        scales = builder.parameter("scales");
        zeros = builder.parameter("zeros");
        rows = builder.parameter("rows");
    }

    /**
     * Writes the elements of one iteration. Those behind the first {@code left} of them are masked out if that is
     * given.
     */
    abstract void elements(ScalarVar in, ScalarVar out, Scaling scaling, @Nullable ScalarVar left);

    abstract long bytesIn(int elements);

    abstract long bytesOut(int elements);

    /** The scales and zero points for {@link #elements}, vector by vector. */
    interface Scaling {
        VectorVar scale(int vector, @Nullable MaskVar mask);

        VectorVar zero(int vector, @Nullable MaskVar mask);
    }

    Program program() {
        try (var _ = builder.loop(rows, 1)) {
            ScalarVar left = builder.copy(count, "left");
            if (perElement) {
                ScalarVar scale = builder.copy(scales, "scale");
                ScalarVar zero = builder.copy(zeros, "zero");
                row(left, ofPlaces(scale, zero), scale, zero);
            } else {
                row(left, ofRow(builder.broadcast(Address.at(scales, 0)), builder.broadcast(Address.at(zeros, 0))));
                builder.advance(scales, 4);
                builder.advance(zeros, 4);
            }
        }
        return builder.build();
    }

    private static Scaling ofRow(VectorVar scale, VectorVar zero) {
        return new Scaling() {
            @Override
            public VectorVar scale(int vector, @Nullable MaskVar mask) {
                return scale;
            }

            @Override
            public VectorVar zero(int vector, @Nullable MaskVar mask) {
                return zero;
            }
        };
    }

    private Scaling ofPlaces(ScalarVar scale, ScalarVar zero) {
        return new Scaling() {
            @Override
            public VectorVar scale(int vector, @Nullable MaskVar mask) {
                VectorVar some = builder.load(Address.at(scale, 4 * lanes * vector), mask);
                return mask == null ? some : builder.select(mask, some, Constant.of(1));
            }

            @Override
            public VectorVar zero(int vector, @Nullable MaskVar mask) {
                return builder.load(Address.at(zero, 4 * lanes * vector), mask);
            }
        };
    }

    private void row(ScalarVar left, Scaling scaling, ScalarVar... alongside) {
        try (var _ = builder.loop(left, step)) {
            elements(from, to, scaling, null);
            builder.advance(from, (int) bytesIn(step));
            builder.advance(to, (int) bytesOut(step));
            for (ScalarVar pointer : alongside) {
                builder.advance(pointer, 4 * step);
            }
        }
        try (var _ = builder.ifNotZero(left)) {
            elements(from, to, scaling, left);
            builder.advance(from, tailBytes(left, bytesIn(2)));
            builder.advance(to, tailBytes(left, bytesOut(2)));
        }
    }

    /**
     * Returns the size of the last elements of a row, where {@code ofTwo} is the size of two; half a byte counts as a
     * whole one.
     */
    private ScalarVar tailBytes(ScalarVar left, long ofTwo) {
        ScalarVar bytes = builder.copy(left, "bytes");
        if (ofTwo == 1) {
            halved(bytes);
        } else {
            builder.scalar(bytes, ScalarOp.MUL, bytes, (int) ofTwo / 2);
        }
        return bytes;
    }

    /** Halves a number, rounding up. */
    final void halved(ScalarVar number) {
        builder.scalar(number, ScalarOp.ADD, number, 1);
        builder.scalar(number, ScalarOp.SHR, number, 1);
    }

    /** Returns the mask of the remaining elements in a vector, or null for all of it. */
    final @Nullable MaskVar mask(@Nullable ScalarVar left, int vector) {
        if (left == null) {
            return null;
        }
        ScalarVar own = builder.copy(left, "own");
        builder.scalar(own, ScalarOp.SUB, own, vector * lanes);
        builder.scalar(own, ScalarOp.MAX, own, 0);
        builder.scalar(own, ScalarOp.MIN, own, lanes);
        return builder.prefixMask(own);
    }

    /** Returns the mask of the remaining pairs of elements, or null for all of a vector. */
    final @Nullable MaskVar maskOfPairs(@Nullable ScalarVar left) {
        if (left == null) {
            return null;
        }
        ScalarVar pairs = builder.copy(left, "pairs");
        halved(pairs);
        return builder.prefixMask(pairs);
    }
}
