package dev.millrace.bench.agree;

import dev.millrace.bench.compare.LineWorker;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;

/** Processes that share the models among them; a row for each comes in the models' order. */
final class ProcessPool implements AutoCloseable {
    private final List<LineWorker> workers = new ArrayList<>();
    private final BlockingQueue<LineWorker> idle = new LinkedBlockingQueue<>();
    private final ExecutorService threads;
    private final Duration limit;

    /** @param heap what a process may take, as {@code -Xmx} says it */
    ProcessPool(int jobs, Settings settings, Duration limit, String heap) {
        this.limit = limit;
        List<String> options = List.of("-Xmx" + heap, "-XX:MaxDirectMemorySize=" + heap, "-XX:+UseSerialGC");
        for (int i = 0; i < jobs; i++) {
            workers.add(new LineWorker(AgreeWorker.class, options, settings.toArguments()));
        }
        idle.addAll(workers);
        threads = Executors.newFixedThreadPool(jobs);
    }

    void run(List<Path> files, Consumer<Row> rows) throws IOException, InterruptedException {
        List<Future<Row>> later = new ArrayList<>();
        files.forEach(file -> later.add(threads.submit(() -> row(file))));
        for (Future<Row> row : later) {
            try {
                rows.accept(row.get());
            } catch (ExecutionException e) {
                if (e.getCause() instanceof IOException failed) {
                    throw failed;
                }
                throw new IllegalStateException(e.getCause());
            }
        }
    }

    private Row row(Path file) throws IOException, InterruptedException {
        LineWorker worker = idle.take();
        try {
            LineWorker.Reply reply = worker.ask(file.toAbsolutePath().toUri().toString(), limit);
            if (reply.end() == LineWorker.End.ANSWERED) {
                return Row.ofLine(file.toString(), reply.text());
            }
            boolean there = reply.text().startsWith(ModelCheck.THERE);
            String how = reply.end() == LineWorker.End.CUT_OFF ? "cut off after " + limit.toSeconds() + " s" : "died";
            return new Row(
                    file.toString(),
                    there ? Verdict.CRASHED_THERE : Verdict.CRASHED_HERE,
                    how + ", " + reply.text(),
                    null);
        } finally {
            idle.add(worker);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        workers.forEach(LineWorker::close);
    }
}
