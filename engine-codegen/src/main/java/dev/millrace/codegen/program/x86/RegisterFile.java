package dev.millrace.codegen.program.x86;

/** The registers of one kind: which are free, and how many were in use at most. */
final class RegisterFile {
    private final String kind;
    private final int size;
    private long free;
    private int most;

    /** @param registers a set of numbers */
    RegisterFile(String kind, long registers) {
        this.kind = kind;
        this.size = Long.bitCount(registers);
        this.free = registers;
    }

    /**
     * Takes a free register, if possible one of the preferred.
     *
     * @param kernel for the error
     */
    int take(long preferred, String kernel) {
        if (free == 0) {
            throw new IllegalArgumentException("kernel " + kernel + " needs more than the " + size + " " + kind
                    + " registers that there are: make its tile smaller");
        }
        long choice = (free & preferred) == 0 ? free : free & preferred;
        int register = Long.numberOfTrailingZeros(choice);
        claim(register);
        return register;
    }

    void claim(int register) {
        free &= ~(1L << register);
        most = Math.max(most, size - Long.bitCount(free));
    }

    void release(int register) {
        free |= 1L << register;
    }

    /** How many could have been held from start to end without another being missed. */
    int neverUsed() {
        return size - most;
    }
}
