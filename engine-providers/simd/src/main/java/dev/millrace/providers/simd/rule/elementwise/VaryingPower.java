package dev.millrace.providers.simd.rule.elementwise;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.expression.DataType;
import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.Operator;
import dev.millrace.providers.simd.lower.LoweringContext;
import dev.millrace.providers.simd.lower.ValueState;
import dev.millrace.providers.simd.program.ProgramStep;
import dev.millrace.providers.simd.program.View;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;

/** Powers of many numbers by one that only a run knows: squares and cubes are seen by looking at it. */
final class VaryingPower {
    /** Fewer numbers are better left to be fused with what is around them. */
    private static final long MANY = 1 << 12;

    private static final Expr BASE = Expr.input(0);

    private final Elementwise square;
    private final Elementwise cube;
    private final Elementwise any;

    private VaryingPower(KernelSet kernels) {
        square = new Elementwise(kernels, BASE.times(BASE), DataType.F32);
        cube = new Elementwise(kernels, BASE.times(BASE).times(BASE), DataType.F32);
        any = new Elementwise(kernels, BASE.combine(Operator.POWER, Expr.single(1)), DataType.F32);
    }

    private Elementwise of(float exponent) {
        if (exponent == 2) {
            return square;
        }
        return exponent == 3 ? cube : any;
    }

    static boolean lower(LoweringContext op) {
        if (op.node().inputs().size() != 2) {
            return false;
        }
        ValueState base = op.in(0);
        ValueState exponent = op.in(1);
        boolean floats = base.isFloat() && exponent.isFloat();
        if (!floats || exponent.isKnown() || exponent.elements() != 1 || base.elements() < MANY) {
            return false;
        }
        if (!base.shape().equals(op.out().shape())) {
            return false;
        }
        var powers = new VaryingPower(op.environment().kernels());
        View from = op.lowering().dense(base);
        View by = op.lowering().dense(exponent);
        View to = op.lowering().allocate(op.out());
        long count = base.elements();
        op.lowering()
                .add(ProgramStep.of("power by what is looked at", op.node().name())
                        .reading(from, by)
                        .writing(to)
                        .calling(memory -> {
                            MemorySegment number = memory.segment(by);
                            List<MemorySegment> operands = List.of(memory.segment(from), number);
                            MemorySegment output = memory.segment(to);
                            return crew -> powers.of(number.get(ValueLayout.JAVA_FLOAT_UNALIGNED, 0))
                                    .run(operands, output, count, crew);
                        }));
        return true;
    }
}
