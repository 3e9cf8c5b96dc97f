package dev.millrace.providers.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A program in a JVM of its own, with the class path of this one: what crashes there is a test that fails. */
public final class OwnJvm {
    private static final String NATIVE_ACCESS = "--enable-native-access=ALL-UNNAMED";

    private final String main;
    private final List<String> arguments;
    private final List<String> options = new ArrayList<>(List.of(NATIVE_ACCESS));
    private List<String> launcher = List.of();
    private @Nullable Path folder;
    private @Nullable Duration limit;

    /** @param main the name of the class with the main method */
    public OwnJvm(String main, Object... arguments) {
        this.main = main;
        this.arguments = Arrays.stream(arguments).map(Object::toString).toList();
    }

    public OwnJvm(Class<?> main, Object... arguments) {
        this(main.getName(), arguments);
    }

    /** Adds options of the JVM. */
    public OwnJvm options(String... more) {
        options.addAll(List.of(more));
        return this;
    }

    /** Leaves out the option that allows native access, which it has by default. */
    public OwnJvm withoutNativeAccess() {
        options.remove(NATIVE_ACCESS);
        return this;
    }

    /** Sets the command that starts the JVM, whose own command is its last arguments. */
    public OwnJvm startedBy(String... command) {
        launcher = List.of(command);
        return this;
    }

    /** Sets the folder that it works in; by default that of this JVM. */
    public OwnJvm in(Path place) {
        folder = place;
        return this;
    }

    /** Sets the time after which {@link #output()} ends it; by default it may take as long as it likes. */
    public OwnJvm within(Duration time) {
        limit = time;
        return this;
    }

    /** The process to start, for who talks with it. */
    public ProcessBuilder builder() {
        var command = new ArrayList<>(launcher);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add(main);
        command.addAll(arguments);
        var builder = new ProcessBuilder(command);
        // native libraries may not expect a command line as long as class paths are
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        return folder == null ? builder : builder.directory(folder.toFile());
    }

    /** Runs it to its end, which is a good one and comes in time, and says what it printed on both streams. */
    public String output() throws IOException, InterruptedException {
        Process process = builder().redirectErrorStream(true).start();
        if (limit != null) {
            CompletableFuture.delayedExecutor(limit.toMillis(), TimeUnit.MILLISECONDS)
                    .execute(process::destroyForcibly);
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> main + " ended badly, or late, and had printed:\n" + output);
        return output;
    }
}
