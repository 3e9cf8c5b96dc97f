package dev.millrace.bench.compare;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A Java process that answers lines with lines, so that a hang or a crash takes nothing else with it: another process
 * is started then. For use by one thread.
 */
public final class LineWorker implements AutoCloseable {
    /** The mark of the process's own lines, because the code that runs in it may print, too. */
    private static final String ANSWER = "\u0001answer ";

    private static final String STAGE = "\u0001stage ";
    private static final String READY = "\u0001ready";
    private static final String END = "\u0001end";

    /** The time limit of a start, in seconds; a process that has not started by then never will. */
    private static final long START_SECONDS = 300;

    private final Class<?> main;
    private final List<String> options;
    private final List<String> arguments;
    private @Nullable Running running;

    private record Running(Process process, PrintWriter questions, BlockingQueue<String> said) {}

    /** The answer to a line. It reports its stages, which tell where a process ended. */
    @FunctionalInterface
    public interface Service {
        String answer(String line, Consumer<String> stages) throws Exception;
    }

    /** The end of a question. */
    public enum End {
        ANSWERED,
        CUT_OFF,
        CRASHED
    }

    /** @param text the answer, or the last stage that the process reported */
    public record Reply(End end, String text) {}

    /**
     * @param main a class whose main method calls {@link #serve}
     * @param options the options of the JVM
     * @param arguments the arguments of the main method
     */
    public LineWorker(Class<?> main, List<String> options, List<String> arguments) {
        this.main = main;
        this.options = List.copyOf(options);
        this.arguments = List.copyOf(arguments);
    }

    /** Answers the lines of standard input until there are no more. */
    public static void serve(Service service) throws Exception {
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        var questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        out.println("\n" + READY);
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String answer = service.answer(line, stage -> out.println("\n" + STAGE + stage));
            out.println("\n" + ANSWER + answer);
        }
    }

    /** Asks a question. Its time limit begins when the process has started. */
    public Reply ask(String line, Duration limit) throws IOException, InterruptedException {
        Running worker = running();
        worker.questions().println(line);
        long end = System.nanoTime() + limit.toNanos();
        String stage = "";
        while (true) {
            String said = worker.said().poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            if (said == null || said.equals(END)) {
                close();
                return new Reply(said == null ? End.CUT_OFF : End.CRASHED, stage);
            }
            if (said.startsWith(ANSWER)) {
                return new Reply(End.ANSWERED, said.substring(ANSWER.length()));
            }
            stage = said.substring(STAGE.length());
        }
    }

    private Running running() throws IOException, InterruptedException {
        if (running == null || !running.process().isAlive()) {
            Running started = start();
            running = started;
            if (!READY.equals(started.said().poll(START_SECONDS, TimeUnit.SECONDS))) {
                close();
                throw new IOException("the process of " + main.getSimpleName() + " does not start");
            }
            return started;
        }
        return running;
    }

    private Running start() throws IOException {
        var all = new ArrayList<>(List.of("-XX:+SuppressFatalErrorMessage", "-XX:-CreateCoredumpOnCrash"));
        all.addAll(options);
        Process process = ChildJvm.builder(all, main, arguments)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        var said = new LinkedBlockingQueue<String>();
        Thread.ofVirtual().start(() -> read(process, said));
        return new Running(process, new PrintWriter(process.outputWriter(StandardCharsets.UTF_8), true), said);
    }

    private static void read(Process process, BlockingQueue<String> said) {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                if (line.startsWith(ANSWER) || line.startsWith(STAGE) || line.equals(READY)) {
                    said.add(line);
                }
            }
        } catch (IOException gone) {
            // the process ended while it wrote
        } finally {
            said.add(END);
        }
    }

    /** Ends the process; a later question starts another one. */
    @Override
    public void close() {
        if (running != null) {
            running.process().destroyForcibly();
            running = null;
        }
    }
}
