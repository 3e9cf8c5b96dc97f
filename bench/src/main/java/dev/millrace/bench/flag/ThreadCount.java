package dev.millrace.bench.flag;

import dev.millrace.cli.UsageException;
import picocli.CommandLine.Option;

/** The flag of commands that measure or compare with one number of threads. */
public final class ThreadCount {
    @Option(
            names = "--threads",
            paramLabel = "N",
            description = "How many threads each side has (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private int count;

    public int get() {
        UsageException.requireAtLeast(1, "--threads", count);
        return count;
    }
}
