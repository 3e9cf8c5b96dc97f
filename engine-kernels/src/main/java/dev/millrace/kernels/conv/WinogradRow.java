package dev.millrace.kernels.conv;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.image.Axis;
import org.jspecify.annotations.Nullable;

/**
 * A row of squares, with the parameters by which the keys of both transforms name it.
 *
 * @param in columns of the input
 * @param out columns of the output
 * @param before columns of padding before the input
 */
record WinogradRow(WinogradKind kind, int in, int out, int before) {
    private static final int MAX_SIZE = 1 << 20;

    /** Whether a key can name a row of this width. */
    static boolean canName(Axis width) {
        return Math.max(Math.max(width.in(), width.out()), Math.abs(width.before())) <= MAX_SIZE;
    }

    KernelKey key(String family) {
        return KernelKey.of(family)
                .with("kind", kind)
                .with("in", in)
                .with("out", out)
                .with("before", before);
    }

    static WinogradRow of(KernelKey key) {
        return new WinogradRow(
                key.oneOf("kind", WinogradKind.values()),
                key.number("in", 1, MAX_SIZE),
                key.number("out", 1, MAX_SIZE),
                key.number("before", -MAX_SIZE, MAX_SIZE));
    }

    int squares() {
        return (out + kind.outputs() - 1) / kind.outputs();
    }

    /** The input column of the first column of a square, which may lie outside of the image. */
    private int start(int square) {
        return square * kind.outputs() - before;
    }

    boolean reads(int square, int column) {
        int at = start(square) + column;
        return at >= 0 && at < in;
    }

    /** The number of columns of a square of outputs that lie inside of the image. */
    int writes(int square) {
        return Math.min(kind.outputs(), out - square * kind.outputs());
    }

    /** Whether a square is whole and reads only columns inside of the image, so that all such squares share code. */
    boolean isInside(int square) {
        return start(square) >= 0 && start(square) + kind.inputs() <= in && writes(square) == kind.outputs();
    }

    /** The writer of the code for one square. */
    interface Square {
        void write(int square);
    }

    /** Writes all squares of the row, those inside of the image as a loop. */
    void forEach(ProgramBuilder builder, Square body) {
        int square = 0;
        while (square < squares()) {
            int end = square + 1;
            while (end < squares() && isInside(square) && isInside(end)) {
                end++;
            }
            if (end - square == 1) {
                body.write(square);
            } else {
                ScalarVar left = builder.scalar("squares");
                builder.set(left, end - square);
                try (var _ = builder.loop(left, 1)) {
                    body.write(square);
                }
            }
            square = end;
        }
    }

    /** Returns {@code value}, or zeros where it is null. */
    static VectorVar orZero(ProgramBuilder builder, @Nullable VectorVar value) {
        return value == null ? builder.unary(UnaryOp.COPY, Constant.ZERO) : value;
    }
}
