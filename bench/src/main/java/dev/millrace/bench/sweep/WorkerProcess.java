package dev.millrace.bench.sweep;

import dev.millrace.bench.sweep.SweepRow.Outcome;
import dev.millrace.cli.conformance.BackendCase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Holds a {@link SweepWorker}, and starts another one when it hangs or dies. */
final class WorkerProcess implements AutoCloseable {
    private final List<String> arguments;
    private final long limitSeconds;
    private @Nullable Running running;

    /** A worker and what it printed; an empty answer is its end. */
    private record Running(Process process, PrintWriter cases, BlockingQueue<Optional<String>> answers) {}

    WorkerProcess(List<String> arguments, long limitSeconds) {
        this.arguments = arguments;
        this.limitSeconds = limitSeconds;
    }

    SweepRow run(BackendCase test) throws IOException, InterruptedException {
        Running worker = running();
        worker.cases().println(test.folder());
        Optional<String> answer = worker.answers().poll(limitSeconds, TimeUnit.SECONDS);
        if (answer != null && answer.isPresent()) {
            return SweepRow.ofLine(answer.get());
        }
        close();
        String note = answer == null ? "cut off after " + limitSeconds + " s" : "the process crashed";
        return SweepRow.unmeasured(test.name(), "", "", Outcome.CUT_OFF, note);
    }

    private Running running() throws IOException {
        if (running == null) {
            running = start();
        }
        return running;
    }

    private Running start() throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), SweepWorker.class.getName()));
        command.addAll(arguments);
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var answers = new ArrayBlockingQueue<Optional<String>>(16);
        Thread.ofVirtual().start(() -> read(process, answers));
        var cases = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true);
        return new Running(process, cases, answers);
    }

    private static void read(Process process, BlockingQueue<Optional<String>> answers) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                // what runs there may print, too
                if (SweepRow.isLine(line)) {
                    answers.put(Optional.of(line));
                }
            }
            answers.put(Optional.empty());
        } catch (IOException | InterruptedException end) {
            answers.offer(Optional.empty());
        }
    }

    @Override
    public void close() {
        if (running != null) {
            running.process().destroyForcibly();
            running = null;
        }
    }
}
