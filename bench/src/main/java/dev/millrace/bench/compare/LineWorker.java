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
 * A Java process that answers lines with lines, so that what hangs or crashes takes nothing else with it: another process
 * is started then. For one thread.
 */
public final class LineWorker implements AutoCloseable {
    /** What the process says is marked, as what runs in it may print, too. */
    private static final String ANSWER = "\u0001answer ";

    private static final String STAGE = "\u0001stage ";
    private static final String READY = "\u0001ready";
    private static final String END = "\u0001end";

    /** A process that has not started by then will not. */
    private static final long START_SECONDS = 300;

    private final Class<?> main;
    private final List<String> options;
    private final List<String> arguments;
    private @Nullable Running running;

    private record Running(Process process, PrintWriter questions, BlockingQueue<String> said) {}

    /** What a process does with a line; it says what it is about to do, for whoever has to tell where it ended. */
    @FunctionalInterface
    public interface Service {
        String answer(String line, Consumer<String> stages) throws Exception;
    }

    /** How a question ended. */
    public enum End {
        ANSWERED,
        CUT_OFF,
        CRASHED
    }

    /** @param text the answer, or the last thing that the process said it was about to do */
    public record Reply(End end, String text) {}

    /**
     * @param main a class whose main method calls {@link #serve}
     * @param options of the JVM
     * @param arguments of the main method
     */
    public LineWorker(Class<?> main, List<String> options, List<String> arguments) {
        this.main = main;
        this.options = List.copyOf(options);
        this.arguments = List.copyOf(arguments);
    }

    /** Answers what comes in, line by line, until there is no more. */
    public static void serve(Service service) throws Exception {
        var out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        var questions = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        out.println("\n" + READY);
        for (String line = questions.readLine(); line != null; line = questions.readLine()) {
            String answer = service.answer(line, stage -> out.println("\n" + STAGE + stage));
            out.println("\n" + ANSWER + answer);
        }
    }

    /** Asks a question, whose time begins when the process has started. */
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
            // the process ended while it spoke
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
