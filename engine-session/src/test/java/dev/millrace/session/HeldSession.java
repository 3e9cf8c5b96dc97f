package dev.millrace.session;

import dev.millrace.epcontext.EpContextOptions;
import dev.millrace.graph.format.FileUse;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A session of MiniLM in a process of its own, which goes one step on whenever it is told to. */
final class HeldSession implements AutoCloseable {
    private final Process process;
    private final BufferedReader from;
    private final PrintStream to;

    /** @param written the context model that the session writes, or empty for one that writes none */
    HeldSession(Path model, String written) throws IOException {
        process = new OwnJvm(HeldSession.class, model, written)
                // a heap that gives back what it does not need, so that only what is held is seen
                .options("-XX:+UseSerialGC", "-Xms8m", "-Xmx256m")
                .options("-XX:MinHeapFreeRatio=5", "-XX:MaxHeapFreeRatio=10")
                .builder()
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        from = process.inputReader(StandardCharsets.UTF_8);
        to = new PrintStream(process.getOutputStream(), true, StandardCharsets.UTF_8);
    }

    long pid() {
        return process.pid();
    }

    /** Waits until the process is where it says that it is. */
    void await(String state) throws IOException {
        for (String line = from.readLine(); !state.equals(line); line = from.readLine()) {
            if (line == null) {
                throw new IOException("the process ended before it was " + state);
            }
        }
    }

    void goOn() {
        to.println();
    }

    @Override
    public void close() {
        to.close();
        try {
            if (!process.waitFor(1, TimeUnit.MINUTES)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            process.destroyForcibly();
        }
    }

    /** Opens, runs, and runs again, and waits for a line in between. */
    public static void main(String[] args) {
        EpContextOptions context = EpContextOptions.builder()
                .enable(!args[1].isEmpty())
                .filePath(Path.of(args[1]))
                .build();
        var options =
                SessionOptions.builder().fileUse(FileUse.MAP).epContext(context).build();
        var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                Session session = engine.session(Path.of(args[0]), options)) {
            say("opened");
            lines.readLine();
            session.run(MiniLm.inputs(1, 8, 1)).close();
            say("run");
            lines.readLine();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void say(String state) {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        System.out.println(state);
    }
}
