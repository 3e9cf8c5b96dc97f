package dev.millrace.scheduler.kernel;

/**
 * Thrown by {@link ShapedKernel#bind} where some of the kernel's work has to be done before the rest of it can be bound.
 */
public final class PartsNeeded extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient Parts parts;

    /** @param reason why the kernel cannot be bound at once */
    public PartsNeeded(String reason, Parts parts) {
        super(reason, null, false, false);
        this.parts = parts;
    }

    public Parts parts() {
        return parts;
    }
}
