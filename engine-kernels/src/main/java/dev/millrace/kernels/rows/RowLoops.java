package dev.millrace.kernels.rows;

import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.Program;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.ScalarVar;
import java.util.function.ObjIntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a kernel f(block) that goes over rows, the block being what {@link RowNest} fills. In a row, the elements of
 * all operands are addressed by one number.
 */
public final class RowLoops {
    private final ProgramBuilder builder;
    private final ScalarVar block;
    private final ScalarVar[] operands;
    private final ScalarVar offset;

    /** @param operands as many as the nest has */
    public RowLoops(ProgramBuilder builder, int operands) {
        this.builder = builder;
        block = builder.parameter("block");
        this.operands = new ScalarVar[operands];
        for (int i = 0; i < operands; i++) {
            this.operands[i] = builder.loadLong(Address.at(block, RowBlock.pointer(i)), "operand" + i);
        }
        offset = builder.scalar("offset");
    }

    /** The program that does this for each row. */
    public Program program(Runnable row) {
        ScalarVar planes = builder.loadLong(Address.at(block, RowBlock.PLANES), "planes");
        try (var _ = builder.loop(planes, 1)) {
            ScalarVar rows = builder.loadLong(Address.at(block, RowBlock.ROWS), "rows");
            try (var _ = builder.loop(rows, 1)) {
                row.run();
                for (int i = 0; i < operands.length; i++) {
                    advance(i, RowBlock.rowStride(operands.length, i));
                }
            }
            for (int i = 0; i < operands.length; i++) {
                advance(i, RowBlock.planeStep(operands.length, i));
            }
        }
        return builder.build();
    }

    private void advance(int operand, int at) {
        builder.advance(operands[operand], builder.loadLong(Address.at(block, at), "step"));
    }

    /** The elements of a row, in a variable of its own. */
    public ScalarVar count() {
        return builder.loadLong(Address.at(block, RowBlock.COUNT), "count");
    }

    /** The start of an operand's row. */
    public ScalarVar start(int operand) {
        return operands[operand];
    }

    /** The place that the loops over a row have come to, plus some elements. */
    public Address at(int operand, int elementBytes, int plus) {
        return Address.at(operands[operand], offset, elementBytes, plus * elementBytes);
    }

    /** One of the numbers that the nest was given for the kernel. */
    public ScalarVar extra(int index, String name) {
        return builder.loadLong(Address.at(block, RowBlock.extra(operands.length, index)), name);
    }

    /**
     * Goes over a row in steps of some vectors, then of one, then does the rest under a mask.
     *
     * @param body what to do with a vector under a mask or none; the number says which one of a step it is
     */
    public void overRow(int vectors, ObjIntConsumer<@Nullable MaskVar> body) {
        start();
        over(count(), vectors, body);
    }

    /** Goes on from the place that was come to, over as many elements as a variable says, which is used up. */
    public void over(ScalarVar left, int vectors, ObjIntConsumer<@Nullable MaskVar> body) {
        VectorLoop.over(builder, left, vectors, offset, 1, body);
        builder.advance(offset, left);
    }

    /** Begins a row, for {@link #over}. */
    public void start() {
        builder.set(offset, 0);
    }
}
