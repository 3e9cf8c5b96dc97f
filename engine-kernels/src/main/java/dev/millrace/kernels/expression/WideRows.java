package dev.millrace.kernels.expression;

import dev.millrace.codegen.key.KernelFamily;
import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.Element;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.cast.LanePairs;
import dev.millrace.kernels.cast.NumberType;
import dev.millrace.kernels.rows.RowLoops;
import org.jspecify.annotations.Nullable;

/**
 * f(block): in each row, a function of two numbers of 64 bits. The operands of the rows are the output, then both inputs, of
 * which one or both may be the same number all along.
 */
final class WideRows implements KernelFamily {
    static final String NAME = "elementwise.wide";
    private static final int BYTES = Long.BYTES;
    /** Vectors of results in a step, each of two vectors of numbers. */
    private static final int STEP = 2;

    private static final NumberType[] TYPES = {NumberType.F64, NumberType.S64};

    static KernelKey key(WideFunction function, NumberType type, boolean isLeftSingle, boolean isRightSingle) {
        return KernelKey.of(NAME)
                .with("function", function)
                .with("type", type)
                .with("left", isLeftSingle ? 0 : 1)
                .with("right", isRightSingle ? 0 : 1);
    }

    @Override
    public Program describe(KernelKey key, Target target) {
        key.onlyHas("function", "type", "left", "right");
        NumberType type = key.oneOf("type", TYPES);
        WideFunction function = key.oneOf("function", WideFunction.values());
        if (!function.takes(type)) {
            throw new IllegalArgumentException("there is no " + function + " of " + type);
        }
        boolean[] singles = {key.number("left", 0, 1) == 0, key.number("right", 0, 1) == 0};
        return new Writer(new ProgramBuilder(key.toString(), target), function, type, singles).program();
    }

    private static final class Writer {
        private final ProgramBuilder builder;
        private final WideFunction function;
        private final LanePairs pairs;
        private final WideSteps steps;
        private final RowLoops rows;
        private final boolean[] singles;
        private final @Nullable VectorVar[] spread = new VectorVar[2];
        private final int half;

        Writer(ProgramBuilder builder, WideFunction function, NumberType type, boolean[] singles) {
            this.builder = builder;
            this.function = function;
            this.singles = singles;
            pairs = new LanePairs(builder);
            steps = new WideSteps(builder, type);
            rows = new RowLoops(builder, 1 + singles.length);
            half = builder.target().lanes() / 2;
        }

        Program program() {
            return rows.program(() -> {
                for (int i = 0; i < singles.length; i++) {
                    spread[i] = singles[i] ? spread(rows.start(1 + i)) : null;
                }
                rows.start();
                ScalarVar left = rows.count();
                rows.over(
                        left,
                        STEP,
                        (mask, number) ->
                                vector(mask, left, number * builder.target().lanes()));
            });
        }

        private VectorVar spread(ScalarVar number) {
            VectorVar low = builder.broadcast(Address.at(number, 0));
            return builder.binary(BinaryOp.INTERLEAVE_LOW, low, builder.broadcast(Address.at(number, Integer.BYTES)));
        }

        private void vector(@Nullable MaskVar mask, ScalarVar left, int plus) {
            LanePairs.Masks masks = mask == null ? null : pairs.masks(left);
            VectorVar first = result(masks == null ? null : masks.first(), plus);
            VectorVar second = result(masks == null ? null : masks.second(), plus + half);
            if (function.isComparison()) {
                VectorVar truths = builder.binary(BinaryOp.AND, pairs.lower(first, second), Constant.ofBits(1));
                builder.store(Element.U8, rows.at(0, 1, plus), truths, mask);
            } else {
                builder.store(rows.at(0, BYTES, plus), first, masks == null ? null : masks.first());
                builder.store(rows.at(0, BYTES, plus + half), second, masks == null ? null : masks.second());
            }
        }

        private VectorVar result(@Nullable MaskVar mask, int plus) {
            return steps.of(function, operand(0, mask, plus), operand(1, mask, plus));
        }

        private VectorVar operand(int index, @Nullable MaskVar mask, int plus) {
            VectorVar single = spread[index];
            return single != null ? single : builder.load(rows.at(1 + index, BYTES, plus), mask);
        }
    }
}
