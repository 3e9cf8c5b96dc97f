package dev.millrace.kernels.expression;

/** Estimates how many vector registers an expression wants beyond those of its inputs, rather too many than too few. */
public final class RegisterNeed {
    /** More than any target has. */
    private static final int MANY = 64;
    /** A result, a mask of NaN, a constant. */
    private static final int OF_ONE_STEP = 3;

    private RegisterNeed() {}

    public static int of(Expr expression) {
        if (expression instanceof Expr.Apply apply) {
            return isOneStep(apply.function()) ? Math.max(OF_ONE_STEP, of(apply.argument())) : MANY;
        }
        if (expression instanceof Expr.Convert || expression instanceof Expr.Choose) {
            return MANY;
        }
        if (expression instanceof Expr.Combine combine) {
            if (!isOneStep(combine.operator())) {
                return MANY;
            }
            int held = isLeaf(combine.left()) || isLeaf(combine.right()) ? 0 : 1;
            return Math.max(OF_ONE_STEP, Math.max(of(combine.left()), of(combine.right())) + held);
        }
        return 0;
    }

    private static boolean isLeaf(Expr expression) {
        return expression instanceof Expr.Input
                || expression instanceof Expr.Single
                || expression instanceof Expr.Literal;
    }

    /** Whether an operator takes no mask on its way and nothing beside its operands. */
    public static boolean isOneStep(Operator operator) {
        return switch (operator) {
            case ADD, SUB, MUL, DIV, MAX, MIN -> true;
            default -> false;
        };
    }

    private static boolean isOneStep(FloatFunction function) {
        return switch (function) {
            case NEGATE, ABS, SQRT, RECIPROCAL, ROUND, FLOOR, CEIL, TRUNCATE, RELU -> true;
            default -> false;
        };
    }
}
