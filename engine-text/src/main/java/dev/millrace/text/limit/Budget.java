package dev.millrace.text.limit;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import org.jspecify.annotations.Nullable;

/**
 * The steps that one call may take and the elements that it may make. Both follow from the length of its input, so the cost
 * of a call is linear in its input whatever a tokenizer's file says. Each call has its own; not for several threads.
 */
public final class Budget {
    private static final long LEAST_STEPS = 1L << 26;
    private static final long STEPS_PER_CHAR = 1000;
    private static final long LEAST_LENGTH = 1L << 18;
    private static final long BETWEEN_CHECKS = 1 << 12;

    private final long input;
    private final long mostSteps;
    private final long mostLength;
    private final @Nullable Cancellation cancellation;
    private long steps;
    private long nextCheck;

    private Budget(long input, long mostLength, @Nullable Cancellation cancellation) {
        this.input = input;
        this.mostSteps = Math.max(LEAST_STEPS, STEPS_PER_CHAR * input);
        this.mostLength = mostLength;
        this.cancellation = cancellation;
    }

    /**
     * A budget for an input of so many chars or tokens.
     *
     * @param growth how many times as long as the input a result may be
     * @param cancellation ends the call; null for none
     */
    public static Budget of(long input, long growth, @Nullable Cancellation cancellation) {
        return new Budget(input, Math.min(Integer.MAX_VALUE - 8, LEAST_LENGTH + growth * input), cancellation);
    }

    /** Counts steps; throws where there were too many, or the call was cancelled. */
    public void spend(long more) {
        steps += more;
        if (steps >= nextCheck) {
            check();
        }
    }

    private void check() {
        nextCheck = steps + BETWEEN_CHECKS;
        if (cancellation != null) {
            cancellation.check();
        }
        if (steps > mostSteps) {
            throw EngineException.invalidArgument("the tokenizer took " + mostSteps + " steps for an input of length "
                    + input + " and found no end; its file has an expression with repetitions inside of repetitions,"
                    + " or too many components");
        }
    }

    /** Refuses a result that is longer than the input makes credible, before there is memory for it. */
    public void requireLength(long length) {
        if (length > mostLength) {
            throw EngineException.invalidArgument("the tokenizer makes more than " + mostLength
                    + " characters or tokens of an input of length " + input
                    + "; a component of its file lets texts grow without bound");
        }
    }
}
