package dev.millrace.kernels.image;

import dev.millrace.codegen.key.KernelKey;
import dev.millrace.codegen.program.Address;
import dev.millrace.codegen.program.MaskVar;
import dev.millrace.codegen.program.ProgramBuilder;
import dev.millrace.codegen.program.VectorVar;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.expression.ExprInputs;
import dev.millrace.kernels.expression.ExprText;
import dev.millrace.kernels.expression.ExprWriter;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Epilogues of convolutions and pooling as expressions in keys: input 0 is the sum, input 1 the residual. */
public final class ImageEpilogues {
    /** The epilogue that leaves the sum unchanged. */
    public static final Expr NONE = Expr.input(0);

    private static final Expr SUM = Expr.input(0);
    private static final Expr RESIDUAL = Expr.input(1);
    private static final String NOTHING = "nothing";

    private ImageEpilogues() {}

    /** Returns the text of an expression for a key; {@code nothing} if it is null. */
    public static String print(@Nullable Expr after) {
        return after == null ? NOTHING : ExprText.print(after);
    }

    /** Whether an expression reads the residual. */
    public static boolean readsResidual(Expr after) {
        return ExprInputs.of(after).inputs().contains(RESIDUAL);
    }

    /** Returns the expression that {@link #print} wrote as a parameter of a key. */
    public static @Nullable Expr read(KernelKey key, String name) {
        String text = key.text(name);
        if (text.equals(NOTHING)) {
            return null;
        }
        try {
            return checked(ExprText.parse(text));
        } catch (IllegalArgumentException wrong) {
            throw new IllegalArgumentException("the parameter " + name + " is wrong: " + wrong.getMessage(), wrong);
        }
    }

    /** Writes the steps of an expression. The residual is loaded only if it is used. */
    public static VectorVar write(ProgramBuilder builder, Expr after, VectorVar sum, Address residual) {
        return write(builder, after, sum, residual, null);
    }

    /**
     * Writes the steps of an expression. The residual is loaded only if it is used.
     *
     * @param mask the lanes of the residual that are read, or null for all of them
     */
    public static VectorVar write(
            ProgramBuilder builder, Expr after, VectorVar sum, Address residual, @Nullable MaskVar mask) {
        Map<Expr, VectorVar> values = new HashMap<>();
        values.put(SUM, sum);
        if (readsResidual(after)) {
            values.put(RESIDUAL, builder.load(residual, mask));
        }
        return new ExprWriter(builder, values).write(after);
    }

    /**
     * Returns the expression itself.
     *
     * @throws IllegalArgumentException if it reads anything but inputs 0 and 1
     */
    public static Expr checked(Expr after) {
        ExprInputs reads = ExprInputs.of(after);
        for (Expr.Input input : reads.inputs()) {
            if (!input.equals(SUM) && !input.equals(RESIDUAL)) {
                throw new IllegalArgumentException("what follows a sum reads input " + input.index() + ", not 0 or 1");
            }
        }
        if (!reads.singles().isEmpty()) {
            throw new IllegalArgumentException("what follows a sum reads a single element");
        }
        return after;
    }
}
