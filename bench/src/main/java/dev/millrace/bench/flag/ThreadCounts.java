package dev.millrace.bench.flag;

import dev.millrace.cli.UsageException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** The flag of commands that measure with several numbers of threads. */
public final class ThreadCounts {
    @Option(
            names = "--threads",
            paramLabel = "N",
            split = ",",
            description = "How many threads each side has; several numbers with commas (default: ${DEFAULT-VALUE}).",
            defaultValue = "1")
    private List<Integer> counts = new ArrayList<>();

    public List<Integer> get() {
        for (int count : counts) {
            UsageException.requireAtLeast(1, "--threads", count);
        }
        return counts;
    }
}
