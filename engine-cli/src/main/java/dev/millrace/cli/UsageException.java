package dev.millrace.cli;

/** A command line that can be read and makes no sense all the same. The process ends with {@link ExitCode#USAGE}. */
public final class UsageException extends RuntimeException {
    private static final long serialVersionUID = 1;

    public UsageException(String message) {
        super(message);
    }

    /** Refuses a number that is below the least that makes sense. */
    public static void requireAtLeast(int least, String option, int count) {
        if (count < least) {
            throw new UsageException(option + " is " + count + "; it is at least " + least);
        }
    }
}
