package dev.millrace.cli;

import dev.millrace.models.FetchListener;
import dev.millrace.models.FetchProgress;
import org.jspecify.annotations.Nullable;

/** A progress bar for each download that takes long. */
final class FetchBar implements FetchListener, AutoCloseable {
    private String file = "";
    private @Nullable Progress bar;

    @Override
    public synchronized void onProgress(FetchProgress progress) {
        if (progress.total() <= 0) {
            return;
        }
        if (bar == null || !file.equals(progress.file())) {
            close();
            file = progress.file();
            bar = Progress.of(file, progress.total());
        }
        bar.stepTo(progress.bytes());
    }

    @Override
    public synchronized void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
