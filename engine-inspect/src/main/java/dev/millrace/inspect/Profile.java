package dev.millrace.inspect;

import dev.millrace.graph.PlainText;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.kernel.Work;
import dev.millrace.scheduler.plan.PlanStep;
import java.io.PrintWriter;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Adds up the time of kernels over runs. Steps that are programs of their own count by what is inside of them. */
public final class Profile implements RunListener {
    private final Map<String, Row> rows = new LinkedHashMap<>();
    /** Steps that told of work inside of them. */
    private final Map<PlanStep, Long> inside = new LinkedHashMap<>();

    private final boolean byNode;
    private int runs;
    private long runNanos;

    /** @param byNode whether each node has a line of its own, rather than each kernel */
    public Profile(boolean byNode) {
        this.byNode = byNode;
    }

    private static final class Row {
        private final String kernel;
        private final String example;
        private long nanos;
        private long calls;
        private long operations;
        private long bytes;

        Row(String kernel, String example) {
            this.kernel = kernel;
            this.example = example;
        }
    }

    /** Forgets what was measured so far. */
    public synchronized void clear() {
        rows.clear();
        inside.clear();
        runs = 0;
        runNanos = 0;
    }

    @Override
    public synchronized void workEnded(String plan, PlanStep step, Work work, long startNanos, long endNanos) {
        inside.merge(step, endNanos - startNanos, Long::sum);
        add(work.kernel(), work.name(), endNanos - startNanos, work.operations(), work.bytes());
    }

    @Override
    public synchronized void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
        Long known = inside.remove(step);
        if (known == null) {
            add(step.provider() + " " + step.node().op().name(), step.node().name(), endNanos - startNanos, 0, 0);
        } else {
            add("between the steps of programs", "", endNanos - startNanos - known, 0, 0);
        }
    }

    @Override
    public synchronized void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
        runs++;
        runNanos += endNanos - startNanos;
    }

    private void add(String kernel, String example, long nanos, long operations, long bytes) {
        Row row = rows.computeIfAbsent(byNode ? kernel + " " + example : kernel, _ -> new Row(kernel, example));
        row.nanos += nanos;
        row.calls++;
        row.operations += operations;
        row.bytes += bytes;
    }

    /** The time of a run, on the average. */
    public synchronized double runMicros() {
        return runs == 0 ? 0 : runNanos / 1e3 / runs;
    }

    /** A row for each kernel, the one that takes the longest first. */
    synchronized List<KernelTime> times() {
        return rows.values().stream()
                .sorted(Comparator.comparingLong((Row row) -> row.nanos).reversed())
                .map(row -> new KernelTime(
                        row.kernel,
                        row.example,
                        row.nanos / 1e3 / runs,
                        (double) row.nanos / runNanos,
                        row.calls / runs,
                        row.operations / runs,
                        row.bytes / runs))
                .toList();
    }

    /** Prints a line for each kernel, the one that takes the longest first. */
    public synchronized void print(PrintWriter out) {
        if (runs == 0) {
            return;
        }
        out.printf(Locale.ROOT, "%n%d runs of %.1f us%n", runs, runMicros());
        out.printf(Locale.ROOT, "%10s %6s %6s %8s %7s  %s%n", "us", "share", "calls", "GFLOP/s", "GB/s", "kernel");
        for (KernelTime time : times()) {
            out.printf(
                    Locale.ROOT,
                    "%10.1f %5.1f%% %6d %8s %7.1f  %s%s%n",
                    time.micros(),
                    100 * time.share(),
                    time.calls(),
                    time.operations() == 0 ? "" : String.format(Locale.ROOT, "%.1f", time.gigaflops()),
                    time.gigabytesPerSecond(),
                    PlainText.line(time.kernel()),
                    time.node().isEmpty() ? "" : " (" + PlainText.line(time.node()) + ")");
        }
        out.flush();
    }
}
