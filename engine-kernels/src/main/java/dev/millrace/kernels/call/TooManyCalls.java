package dev.millrace.kernels.call;

/** Thrown where a plan would have more calls than {@link CallPlan#MOST_CALLS}. */
public final class TooManyCalls extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    TooManyCalls() {
        super("it takes more than " + CallPlan.MOST_CALLS + " calls of kernels");
    }
}
