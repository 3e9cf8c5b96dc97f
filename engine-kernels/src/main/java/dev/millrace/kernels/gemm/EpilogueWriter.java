package dev.millrace.kernels.gemm;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.Constant;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ProgramValue;
import dev.millrace.codegen.program.ScalarOp;
import dev.millrace.codegen.program.ScalarVar;
import dev.millrace.codegen.program.UnaryOp;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprWriter;
import dev.millrace.kernels.expression.FloatFunction;
import dev.millrace.kernels.expression.RegisterNeed;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The writer of an epilogue for a vector of sums, including the store of its result. */
final class EpilogueWriter {
    /**
     * The offset of the operands of an epilogue in the block of arguments: a pointer and a stride in bytes for each.
     */
    static final int OPERANDS = 40;

    static final int BYTES_PER_OPERAND = 16;

    static final int STRIDE = 8;
    /** More registers than a tile ever leaves. */
    private static final int MANY_REGISTERS = 64;

    private final ProgramBuilder builder;
    private final Epilogue epilogue;
    private final ScalarVar arguments;

    EpilogueWriter(ProgramBuilder builder, Epilogue epilogue, ScalarVar arguments) {
        this.builder = builder;
        this.epilogue = epilogue;
        this.arguments = arguments;
    }

    /** Whether operands depend on the row. */
    boolean needsRow() {
        return epilogue.operands().contains(EpilogueOperand.ROW)
                || epilogue.operands().contains(EpilogueOperand.ELEMENT);
    }

    /** Whether the epilogue can run while the sums of a tile stay in their registers. */
    boolean fitsBeside(int registersInUse) {
        return epilogue.output() == Output.F32
                && registers(epilogue.expression()) < builder.target().vectors() - registersInUse;
    }

    /** Returns the most registers that an expression needs, its result included. */
    private static int registers(Expr expression) {
        if (expression instanceof Expr.Apply apply) {
            return light(apply.function()) ? Math.max(2, registers(apply.argument())) : MANY_REGISTERS;
        }
        boolean masks = expression instanceof Expr.Choose || expression instanceof Expr.Convert;
        if (expression instanceof Expr.Combine combine) {
            if (!RegisterNeed.isOneStep(combine.operator())) {
                return MANY_REGISTERS;
            }
            int left = registers(combine.left());
            int right = registers(combine.right());
            return left == right ? left + 1 : Math.max(left, right);
        }
        return masks ? MANY_REGISTERS : 1;
    }

    private static boolean light(FloatFunction function) {
        return switch (function) {
            case RELU, NEGATE, ABS, SQRT, ROUND, FLOOR, CEIL, TRUNCATE -> true;
            default -> false;
        };
    }

    /**
     * Writes the epilogue of one vector.
     *
     * @param row the row of the product, counted from the first row of the call, where {@link #needsRow}
     * @param vector number of the vector in its row
     */
    void write(VectorVar sum, @Nullable ScalarVar row, int vector, Address to, @Nullable MaskVar mask) {
        if (epilogue.isPlain()) {
            builder.store(to, sum, mask);
            return;
        }
        Map<Expr, ProgramValue> values = new HashMap<>();
        values.put(Expr.input(0), sum);
        List<EpilogueOperand> operands = epilogue.operands();
        for (int i = 0; i < operands.size(); i++) {
            values.put(Expr.input(i + 1), operand(operands.get(i), i, row, vector, mask));
        }
        VectorVar result = new ExprWriter(builder, values).write(epilogue.expression());
        Output output = epilogue.output();
        if (output != Output.F32) {
            VectorVar within = builder.min(Constant.of(output.most()), result);
            result = builder.max(within, Constant.of(output.least()));
            result = builder.unary(UnaryOp.TO_INT, result);
        }
        builder.store(output.element(), to, result, mask);
    }

    private VectorVar operand(
            EpilogueOperand operand, int index, @Nullable ScalarVar row, int vector, @Nullable MaskVar mask) {
        int slot = OPERANDS + index * BYTES_PER_OPERAND;
        ScalarVar pointer = builder.loadLong(Address.at(arguments, slot), "operand");
        int offset = vector * builder.target().vectorBytes();
        if (row != null && operand == EpilogueOperand.ROW) {
            return builder.broadcast(Address.at(pointer, row, 4, 0));
        }
        if (row != null && operand == EpilogueOperand.ELEMENT) {
            ScalarVar stride = builder.loadLong(Address.at(arguments, slot + STRIDE), "stride");
            builder.scalar(stride, ScalarOp.MUL, stride, row);
            return builder.load(Address.at(pointer, stride, 1, offset), mask);
        }
        return operand == EpilogueOperand.SINGLE
                ? builder.broadcast(Address.at(pointer, 0))
                : builder.load(Address.at(pointer, offset), mask);
    }
}
