package dev.millrace.kernels.gemm;

import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.millrace.codegen.asm.FeatureSet;
import dev.millrace.codegen.program.Target;
import dev.millrace.codegen.program.x86.X86Lowering;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.Kind;
import dev.millrace.kernels.expression.Operator;
import java.util.List;
import org.junit.jupiter.api.Test;

class EpilogueRegistersTest {
    /** An ELU of a sum with a bias, and what its sign makes of it: masks, and values that are used again. */
    private static Epilogue choices() {
        Expr x = Expr.input(0).combine(Operator.ADD, Expr.input(1));
        Expr positive = x.combine(Operator.GREATER, Expr.number(0));
        Expr elu = positive.choose(x, x.apply(FloatFunction.EXPM1));
        Expr sign = positive.to(Kind.FLOAT);
        Expr negative = x.combine(Operator.LESS_OR_EQUAL, Expr.number(0)).to(Kind.FLOAT);
        Expr all = sign.times(elu).plus(elu.times(Expr.number(0.98f)).times(negative));
        return Epilogue.of(all, List.of(EpilogueOperand.COLUMN));
    }

    @Test
    void choicesLeaveTheTileWhereItsRegistersAreTaken() {
        int vectors = GemmShape.of(Target.AVX2).vectors();
        for (int rows = 1; rows <= GemmShape.of(Target.AVX2).rows(); rows++) {
            for (boolean masked : new boolean[] {false, true}) {
                var variant = new GemmTile.Variant(rows, vectors, masked, false, choices());
                var program = new GemmTile().describe(variant.key(), Target.AVX2);
                assertTrue(
                        X86Lowering.assemble(program, FeatureSet.all(), false).finish().length > 0);
            }
        }
    }
}
