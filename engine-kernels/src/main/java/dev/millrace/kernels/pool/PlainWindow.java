package dev.millrace.kernels.pool;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Comparison;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.image.Combination;
import dev.millrace.kernels.image.ImageEpilogues;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One row of windows over one channel of a plain image, a vector of outputs at a time: f(in, out, indices, sizes).
 *
 * <p>{@code indices} gets where in the channel the largest element is, as an int, if the member has them. sizes is memory
 * of longs: outputs, planes of taps, rows of taps, taps in a row; the place of the first row of taps in the channel, from
 * row to row of taps, from plane to plane; columns of the input; from output to output of different vectors; from tap to
 * tap; the end of the columns that count for an average; how many rows of taps count, as a float; then, as ints, where
 * the first tap of each output of a vector is.
 */
final class PlainWindow implements KernelFamily {
    static final String NAME = "window.f32.plain";

    private enum Size {
        OUTPUTS,
        PLANES,
        ROWS,
        TAPS,
        START,
        ROW,
        PLANE,
        COLUMNS,
        VECTOR,
        TAP,
        COUNTED_END,
        COUNTED_ROWS,
        FIRST_TAPS
    }

    /** @param average what the sum is divided by: no, those inside, or those before a column */
    private record Variant(Combination op, Expr each, Expr after, boolean indices, Average average) {}

    private enum Average {
        NONE,
        INSIDE,
        COUNTED
    }

    static KernelKey key(WindowOp op, boolean indices) {
        Average average = !op.averages() ? Average.NONE : op.countedColumns() < 0 ? Average.INSIDE : Average.COUNTED;
        return KernelKey.of(NAME)
                .with("op", op.op())
                .with("each", ExprText.print(op.each()))
                .with("after", ExprText.print(op.after()))
                .with("indices", indices ? 1 : 0)
                .with("average", average);
    }

    private static Expr ofOneInput(KernelKey key, String name) {
        Expr expression = ImageEpilogues.read(key, name);
        if (expression == null || ImageEpilogues.readsResidual(expression)) {
            throw new IllegalArgumentException(
                    "kernel key " + key + ": the parameter " + name + " must be an expression of input 0");
        }
        return expression;
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("op", "each", "after", "indices", "average");
        Combination op = key.oneOf("op", Combination.values());
        boolean indices = key.number("indices", 0, 1) == 1;
        if (op == Combination.WEIGHTED || indices && op != Combination.MAX) {
            throw new IllegalArgumentException("kernel key " + key + ": the parameter op is " + op);
        }
        Variant variant = new Variant(
                op, ofOneInput(key, "each"), ofOneInput(key, "after"), indices, key.oneOf("average", Average.values()));
        return new Writer(key.toString(), target, variant).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final Variant variant;
        private final int lanes;
        private final ScalarVar in;
        private final ScalarVar out;
        private final ScalarVar indices;
        private final ScalarVar sizes;
        private final VectorVar result;
        private final VectorVar best;
        private final VectorVar column;
        private final VectorVar place;

        Writer(String name, Target target, Variant variant) {
            this.variant = variant;
            lanes = target.lanes();
            builder = new ProgramBuilder(name, target);
            in = builder.parameter("in");
            out = builder.parameter("out");
            indices = builder.parameter("indices");
            sizes = builder.parameter("sizes");
            result = builder.vector("result");
            best = builder.vector("best");
            column = builder.vector("column");
            place = builder.vector("place");
        }

        private Address at(Size size) {
            return Address.at(sizes, Long.BYTES * size.ordinal());
        }

        private ScalarVar scalar(Size size) {
            return builder.loadLong(at(size), size.name());
        }

        private VectorVar spread(Size size) {
            return builder.broadcast(at(size));
        }

        Program program() {
            VectorVar first = builder.vector("first");
            builder.set(first, builder.load(at(Size.FIRST_TAPS)));
            ScalarVar outputs = scalar(Size.OUTPUTS);
            try (var _ = builder.loop(outputs, lanes)) {
                vector(first, null);
                builder.advance(out, 4 * lanes);
                builder.advance(indices, 4 * lanes);
                builder.binary(first, BinaryOp.INT_ADD, first, spread(Size.VECTOR));
            }
            try (var _ = builder.ifNotZero(outputs)) {
                vector(first, builder.prefixMask(outputs));
            }
            return builder.build();
        }

        private void vector(VectorVar first, @Nullable MaskVar mask) {
            builder.set(result, variant.op().initial());
            builder.set(best, Constant.ZERO);
            VectorVar planeStart = builder.vector("planeStart");
            builder.set(planeStart, spread(Size.START));
            ScalarVar planes = scalar(Size.PLANES);
            try (var _ = builder.loop(planes, 1)) {
                builder.set(place, planeStart);
                ScalarVar rows = scalar(Size.ROWS);
                try (var _ = builder.loop(rows, 1)) {
                    row(first);
                    builder.binary(place, BinaryOp.INT_ADD, place, spread(Size.ROW));
                }
                builder.binary(planeStart, BinaryOp.INT_ADD, planeStart, spread(Size.PLANE));
            }
            VectorVar value = variant.average() == Average.NONE ? result : builder.div(result, divisor(first));
            Map<Expr, VectorVar> inputs = Map.of(Expr.input(0), value);
            builder.store(Address.at(out, 0), new ExprWriter(builder, inputs).write(variant.after()), mask);
            if (variant.indices()) {
                builder.store(Address.at(indices, 0), best, mask);
            }
        }

        /** A column that is there, the nearest one if the wanted one is not. */
        private VectorVar nearest() {
            VectorVar last = builder.binary(BinaryOp.INT_SUB, spread(Size.COLUMNS), Constant.ofBits(1));
            VectorVar below = builder.binary(BinaryOp.INT_MIN, last, column);
            return builder.binary(BinaryOp.INT_MAX, below, Constant.ZERO);
        }

        private void row(VectorVar first) {
            builder.set(column, first);
            ScalarVar taps = scalar(Size.TAPS);
            try (var _ = builder.loop(taps, 1)) {
                VectorVar inside = nearest();
                MaskVar isThere = builder.compare(Comparison.INT_EQUAL, inside, column);
                VectorVar index = builder.binary(BinaryOp.INT_ADD, inside, place);
                VectorVar element = builder.gather(in, index, null);
                take(element, index, isThere);
                builder.binary(column, BinaryOp.INT_ADD, column, spread(Size.TAP));
            }
        }

        private void take(VectorVar element, VectorVar index, MaskVar isThere) {
            VectorVar value = builder.select(
                    isThere,
                    variant.op().value(builder, element, variant.each()),
                    variant.op().initial());
            if (!variant.indices()) {
                variant.op().combine(builder, result, value);
                return;
            }
            MaskVar isLarger = builder.compare(Comparison.GREATER, value, result);
            MaskVar isNaN = builder.compare(Comparison.UNORDERED, value, value);
            builder.set(best, builder.select(isNaN, index, builder.select(isLarger, index, best)));
            builder.set(result, builder.select(isNaN, value, builder.select(isLarger, value, result)));
        }

        private VectorVar divisor(VectorVar first) {
            VectorVar count = builder.vector("count");
            builder.set(count, Constant.ZERO);
            builder.set(column, first);
            ScalarVar taps = scalar(Size.TAPS);
            try (var _ = builder.loop(taps, 1)) {
                MaskVar counts = variant.average() == Average.INSIDE
                        ? builder.compare(Comparison.INT_EQUAL, nearest(), column)
                        : builder.compare(Comparison.INT_GREATER, spread(Size.COUNTED_END), column);
                builder.binary(count, BinaryOp.ADD, count, builder.select(counts, Constant.of(1), Constant.ZERO));
                builder.binary(column, BinaryOp.INT_ADD, column, spread(Size.TAP));
            }
            return builder.mul(count, spread(Size.COUNTED_ROWS));
        }
    }
}
