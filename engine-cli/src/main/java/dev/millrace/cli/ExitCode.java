package dev.millrace.cli;

/** The exit codes of the process. */
public final class ExitCode {
    public static final int OK = 0;
    public static final int NO = 1;
    public static final int USAGE = 2;
    public static final int REFUSED = 3;
    public static final int DEFECT = 4;
    /** The code after the reader of standard output has gone: what shells report for a process that ends by SIGPIPE. */
    public static final int READER_GONE = 141;

    private ExitCode() {}
}
