package dev.millrace.cli;

import java.util.function.LongSupplier;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A progress bar for work that turns out to take longer than two seconds, on a terminal only. */
public final class Progress implements AutoCloseable {
    private static final long PATIENCE_NANOS = 2_000_000_000L;

    private final String what;
    private final long steps;
    private final boolean terminal;
    private final LongSupplier clock;
    private final long start;
    private long done;
    private @Nullable ProgressBar bar;

    Progress(String what, long steps, boolean terminal, LongSupplier clock) {
        this.what = what;
        this.steps = steps;
        this.terminal = terminal;
        this.clock = clock;
        this.start = clock.getAsLong();
    }

    public static Progress of(String what, long steps) {
        boolean terminal = System.console() != null && System.console().isTerminal();
        return new Progress(what, steps, terminal, System::nanoTime);
    }

    public synchronized void step() {
        stepTo(done + 1);
    }

    synchronized void stepTo(long place) {
        done = place;
        if (bar == null && terminal && done < steps && clock.getAsLong() - start > PATIENCE_NANOS) {
            bar = new ProgressBarBuilder()
                    .setTaskName(what)
                    .setInitialMax(steps)
                    .setStyle(ProgressBarStyle.ASCII)
                    .setUpdateIntervalMillis(200)
                    .build();
        }
        if (bar != null) {
            bar.stepTo(done);
        }
    }

    @Override
    public synchronized void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
