package dev.millrace.kernels.image;

import dev.millrace.codegen.program.BinaryOp;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.expression.Largest;
import java.util.Map;

/** The combination of the elements of a window in convolutions and pooling. Keys have its name. */
public enum Combination {
    /** The sum of products with the weights of their taps, and the bias. */
    WEIGHTED,
    MAX,
    SUM;

    private static final Expr ELEMENT = Expr.input(0);

    /** The result of a window without elements. */
    public Constant initial() {
        return this == MAX ? Constant.of(Float.NEGATIVE_INFINITY) : Constant.ZERO;
    }

    /** Writes the steps that combine a result with a further value. */
    public void combine(ProgramBuilder builder, VectorVar result, VectorVar value) {
        if (this == MAX) {
            Largest.keep(builder, result, value);
        } else {
            builder.binary(result, BinaryOp.ADD, result, value);
        }
    }

    /** Returns the value of an element that was read: {@code each} of it in a sum, otherwise itself. */
    public VectorVar value(ProgramBuilder builder, VectorVar element, Expr each) {
        return this == SUM ? new ExprWriter(builder, Map.of(ELEMENT, element)).write(each) : element;
    }
}
