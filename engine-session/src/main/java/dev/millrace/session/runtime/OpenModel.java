package dev.millrace.session.runtime;

import dev.millrace.epcontext.binary.FileState;
import dev.millrace.graph.MappedFile;
import dev.millrace.providers.guard.ProviderGuard;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.run.PlanRunner;
import dev.millrace.session.SessionReport;
import dev.millrace.session.prepare.OpenProviders;
import dev.millrace.session.request.ModelFace;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A model that was prepared: its plan, with all that was compiled for it. Sessions of one file may have it together; it
 * goes with the last of them. Thread-safe.
 */
public final class OpenModel {
    private final PlanRunner runner;
    private final List<MappedFile> mapped;
    private final ModelFace face;
    private final OpenProviders providers;
    private final SessionReport report;
    private final List<FileState> data;
    private final boolean shareable;
    private final Runnable release;
    /** The turns of runs where a provider wants one at a time; null where it does not. */
    private final @Nullable RunTurns turns;

    private final RunHooks hooks;

    private int sessions = 1;
    private Runnable whenGone = () -> {};

    /**
     * @param report how it came to be
     * @param data the files of external data, as they were
     * @param shareable whether a second session could not tell it from one of its own
     * @param release called once the last session has gone
     */
    OpenModel(
            PlanRunner runner,
            List<MappedFile> mapped,
            ModelFace face,
            OpenProviders providers,
            SessionReport report,
            List<FileState> data,
            boolean shareable,
            Runnable release) {
        this.runner = runner;
        this.mapped = mapped;
        this.face = face;
        this.providers = providers;
        this.report = report;
        this.data = data;
        this.shareable = shareable;
        this.release = release;
        boolean oneAtATime = providers.all().stream()
                .anyMatch(each -> !ProviderGuard.call(each.name(), each::isConcurrentRunSupported));
        this.turns = oneAtATime ? new RunTurns() : null;
        this.hooks = RunHooks.of(providers.all());
    }

    PlanRunner runner() {
        return runner;
    }

    List<MappedFile> mapped() {
        return mapped;
    }

    ModelFace face() {
        return face;
    }

    List<ExecutionProvider> providers() {
        return providers.all();
    }

    SessionReport report() {
        return report;
    }

    @Nullable
    public RunTurns turns() {
        return turns;
    }

    RunHooks hooks() {
        return hooks;
    }

    boolean isShareable() {
        return shareable && providers.all().stream().allMatch(ExecutionProvider::isSharedBySessions);
    }

    /** Whether any of its files of external data was written so late before a time that a change could not be seen. */
    boolean isOfYoungDataAt(long nanos) {
        return data.stream().anyMatch(each -> each.isYoungAt(nanos));
    }

    /** Whether its files of external data are what they were, as far as can be seen. */
    boolean isOfSameData() {
        try {
            for (FileState each : data) {
                if (!each.equals(FileState.of(each.path()))) {
                    return false;
                }
            }
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    /** Adds what is to happen once the last session has gone. */
    synchronized void whenGone(Runnable task) {
        whenGone = task;
    }

    /** One session more; false where the last one has gone already. */
    synchronized boolean enter() {
        if (sessions == 0) {
            return false;
        }
        sessions++;
        return true;
    }

    /** One session less. */
    void leave() {
        Runnable last = leaving();
        if (last == null) {
            return;
        }
        last.run();
        runner.close();
        try {
            providers.close();
        } finally {
            release.run();
        }
    }

    private synchronized @Nullable Runnable leaving() {
        sessions--;
        return sessions == 0 ? whenGone : null;
    }
}
