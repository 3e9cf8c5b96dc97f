package dev.millrace.bench.kernels;

import dev.millrace.graph.EngineException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A Java process that does one thing and prints how many nanoseconds that took. */
final class FreshProcess {
    private static final double MILLI = 1e6;

    private final Class<?> main;
    private final List<String> arguments;
    private final List<String> options;

    /**
     * @param main a class with a main method that prints the nanoseconds
     * @param file its first argument
     * @param numbers the rest of its arguments
     */
    FreshProcess(Class<?> main, Path file, int... numbers) {
        this(main, arguments(file, numbers), List.of());
    }

    private FreshProcess(Class<?> main, List<String> arguments, List<String> options) {
        this.main = main;
        this.arguments = arguments;
        this.options = options;
    }

    private static List<String> arguments(Path file, int... numbers) {
        List<String> arguments = new ArrayList<>(List.of(file.toString()));
        for (int number : numbers) {
            arguments.add(Integer.toString(number));
        }
        return arguments;
    }

    /** Whether the JVM can keep an ahead-of-time cache of this class path: it takes jars, and no folders. */
    static boolean cachesWork() {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.endsWith(".jar")) {
                return false;
            }
        }
        return true;
    }

    /** The milliseconds that a new process says it took. */
    double millis() throws IOException, InterruptedException {
        Process process = start(options, ProcessBuilder.Redirect.INHERIT);
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        if (process.waitFor() != 0) {
            throw EngineException.invalidArgument(main.getSimpleName() + " ended with " + process.exitValue());
        }
        return Long.parseLong(said) / MILLI;
    }

    /** Runs the process once so that the JVM writes a cache of what it loaded and linked. */
    Cached train() throws IOException, InterruptedException {
        Path cache = Files.createTempFile("millrace-startup", ".aot");
        Process process = start(List.of("-XX:AOTCacheOutput=" + cache), ProcessBuilder.Redirect.DISCARD);
        process.getInputStream().readAllBytes();
        if (process.waitFor() != 0 || Files.size(cache) == 0) {
            Files.delete(cache);
            throw EngineException.invalidArgument("the JVM wrote no cache for " + main.getSimpleName());
        }
        return new Cached(new FreshProcess(main, arguments, List.of("-XX:AOTCache=" + cache)), cache);
    }

    private Process start(List<String> more, ProcessBuilder.Redirect errors) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("--enable-native-access=ALL-UNNAMED");
        command.addAll(more);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        return new ProcessBuilder(command).redirectError(errors).start();
    }

    /**
     * A process that starts from a cache.
     *
     * @param cache the file, deleted on close
     */
    record Cached(FreshProcess process, Path cache) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            Files.delete(cache);
        }
    }
}
