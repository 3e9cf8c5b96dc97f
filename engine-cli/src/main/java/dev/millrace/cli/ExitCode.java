package dev.millrace.cli;

/** What the process ends with. */
public final class ExitCode {
    public static final int OK = 0;
    public static final int NO = 1;
    public static final int USAGE = 2;
    public static final int REFUSED = 3;
    public static final int DEFECT = 4;
    /** Who read what is printed went away: what shells say of a process that ends by SIGPIPE. */
    public static final int READER_GONE = 141;

    private ExitCode() {}
}
