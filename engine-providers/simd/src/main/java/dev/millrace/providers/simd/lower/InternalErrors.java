package dev.millrace.providers.simd.lower;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Node;
import dev.millrace.kernels.call.TooManyCalls;
import org.jspecify.annotations.Nullable;

/** Tells what goes wrong in rules and kernels from what is wrong with a model or an input. */
public final class InternalErrors {
    private InternalErrors() {}

    /**
     * Whether a failure is of the rules or kernels themselves: what the JDK throws, and what they refuse to make. Another
     * provider may do without.
     */
    public static boolean isOwn(RuntimeException failure) {
        if (failure instanceof EngineException known) {
            return known.status() == Status.EP_FAIL;
        }
        boolean isTooLarge = failure instanceof ArithmeticException;
        return !isTooLarge && failure.getClass().getModule() == Object.class.getModule();
    }

    /** The failure with its node, unless it is none of the rules, or has it. */
    static RuntimeException at(@Nullable Node node, RuntimeException failure) {
        if (node != null && failure instanceof TooManyCalls tooMany) {
            return new NotInProgram(node, String.valueOf(tooMany.getMessage()));
        }
        if (node == null || failure instanceof EngineException || !isOwn(failure)) {
            return failure;
        }
        return EngineException.wrap(Status.EP_FAIL, node.describe(), failure);
    }
}
