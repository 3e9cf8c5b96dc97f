package dev.millrace.kernels.expression;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.cast.LaneNumbers;
import dev.millrace.kernels.rows.RowLoops;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/** Writes the values of an expression along rows, whose operands are a result and then the inputs of the expression. */
public final class ExprRows {
    /** An expression that wants no more registers than this is little more than its loads. */
    private static final int CHEAP = 4;

    private final ProgramBuilder builder;
    private final Expr expression;
    private final ExprInputs used;
    private final RowLoops rows;
    private final Map<Expr, VectorVar> singles = new HashMap<>();

    public ExprRows(ProgramBuilder builder, Expr expression) {
        this.builder = builder;
        this.expression = expression;
        used = ExprInputs.of(expression);
        rows = new RowLoops(builder, 1 + used.operands());
    }

    /** Returns the program that runs {@code row} for each row. */
    public Program program(Runnable row) {
        return rows.program(() -> {
            start();
            row.run();
        });
    }

    /** Goes over a row in steps of {@code vectors} vectors, then of one, then does the rest under a mask. */
    public void overRow(int vectors, ObjIntConsumer<@Nullable MaskVar> body) {
        rows.overRow(vectors, body);
    }

    /** The address of the result's row. */
    public Address resultRow() {
        return Address.at(rows.start(0), 0);
    }

    /** The address of the result at the place that the loops have come to, plus {@code plus} elements. */
    public Address result(int elementBytes, int plus) {
        return rows.at(0, elementBytes, plus);
    }

    /** Whether several vectors at a time are better than one. */
    public boolean isCheap() {
        return isCheap(expression);
    }

    static boolean isCheap(Expr expression) {
        return RegisterNeed.of(expression) <= CHEAP;
    }

    private void start() {
        for (Expr.Single single : used.singles()) {
            singles.put(
                    single,
                    LaneNumbers.spread(
                            builder, single.type().numbers(), Address.at(rows.start(1 + single.index()), 0)));
        }
    }

    /** The vector at the place that the loops have come to, plus so many vectors. */
    public VectorVar value(@Nullable MaskVar mask, int number) {
        int plus = number * builder.target().lanes();
        Map<Expr, VectorVar> values = new HashMap<>(singles);
        for (Expr.Input input : used.inputs()) {
            DataType type = input.type();
            values.put(
                    input,
                    LaneNumbers.load(builder, type.numbers(), rows.at(1 + input.index(), type.bytes(), plus), mask));
        }
        return new ExprWriter(builder, values).write(expression);
    }
}
