package dev.millrace.bench.compare;

import dev.millrace.graph.EngineException;
import dev.millrace.kernels.Kernels;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A Java process that does one thing and prints numbers about it. */
public final class FreshProcess {
    /**
     * The version of the JDK that compiles methods of an AOT cache ahead of their calls, by their
     * training profiles, unless told not to.
     */
    private static final int OF_TRAINING = 25;

    /**
     * The JVM options for a process that answers once and ends, on any engine: little to
     * compile, and little garbage to hold.
     */
    public static final List<String> BRIEF = brief();

    /**
     * The options of {@link #BRIEF} for measurements of time alone: with large pages under the
     * heap, if the system provides any.
     */
    public static final List<String> QUICK = quick();

    private static List<String> brief() {
        var brief = new ArrayList<>(
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-XX:C1MaxInlineSize=16", "-Xmn8m"));
        if (Runtime.version().feature() == OF_TRAINING) {
            brief.addAll(List.of("-XX:+UnlockDiagnosticVMOptions", "-XX:-AOTReplayTraining"));
        }
        return List.copyOf(brief);
    }

    private static List<String> quick() {
        var quick = new ArrayList<>(BRIEF);
        if (givesLargePages()) {
            quick.add("-XX:+UseTransparentHugePages");
        }
        return List.copyOf(quick);
    }

    private static boolean givesLargePages() {
        try {
            return !Files.readString(Path.of("/sys/kernel/mm/transparent_hugepage/enabled"))
                    .contains("[never]");
        } catch (IOException _) {
            return false;
        }
    }

    /** The remark of commands if {@link #cachesWork} returns false. */
    public static final String NO_CACHES = "with AOT caches: not measured, the class path is not of jars only";

    private static final double MILLI = 1e6;

    private final Class<?> main;
    private final List<String> arguments;
    private final List<String> options;

    /**
     * @param main a class with a main method that prints integers, separated by white space
     * @param arguments the arguments of the main method
     */
    public FreshProcess(Class<?> main, Object... arguments) {
        this(main, Arrays.stream(arguments).map(Object::toString).toList(), List.of());
    }

    private FreshProcess(Class<?> main, List<String> arguments, List<String> options) {
        this.main = main;
        this.arguments = arguments;
        this.options = options;
    }

    /** The options of its JVM. */
    public List<String> options() {
        return options;
    }

    /** Returns this process with options of the JVM. */
    public FreshProcess withOptions(List<String> jvmOptions) {
        return new FreshProcess(main, arguments, jvmOptions);
    }

    /**
     * The output of a process.
     *
     * @param firstLineMillis the time from before the process was started to its first line
     * @param numbers the numbers of all lines
     */
    public record Said(double firstLineMillis, List<Long> numbers) {
        /** Returns number {@code index}, converted from nanoseconds to milliseconds. */
        public double millis(int index) {
            return numbers.get(index) / MILLI;
        }
    }

    /** Whether the JVM can store an AOT cache of this class path: it accepts jars, and no folders. */
    public static boolean cachesWork() {
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            if (!entry.endsWith(".jar")) {
                return false;
            }
        }
        return true;
    }

    /** Starts the process and waits for its end. */
    public Said say() throws IOException, InterruptedException {
        long start = System.nanoTime();
        Process process = start(options, ProcessBuilder.Redirect.INHERIT);
        var numbers = new ArrayList<Long>();
        double firstLine = 0;
        try (BufferedReader lines = process.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                firstLine = numbers.isEmpty() ? (System.nanoTime() - start) / MILLI : firstLine;
                for (String number : line.strip().split("\\s+")) {
                    numbers.add(Long.parseLong(number));
                }
            }
        }
        if (process.waitFor() != 0) {
            throw EngineException.invalidArgument(main.getSimpleName() + " ended with " + process.exitValue());
        }
        return new Said(firstLine, numbers);
    }

    /** Runs the process, which prints nanoseconds first, and returns them in milliseconds. */
    public double millis() throws IOException, InterruptedException {
        return say().millis(0);
    }

    /**
     * Runs the process once so that the JVM writes an AOT cache of the classes that it loaded and linked, and so that
     * this engine's kernels, if it has any, keep their code.
     */
    public Cached train() throws IOException, InterruptedException {
        Path cache = Files.createTempFile("millrace-startup", ".aot");
        Path code = Files.createTempFile("millrace-startup", ".code");
        String keeping = "-D" + Kernels.CODE_PROPERTY + "=" + code;
        Process process = start(and("-XX:AOTCacheOutput=" + cache, keeping), ProcessBuilder.Redirect.DISCARD);
        process.getInputStream().readAllBytes();
        if (process.waitFor() != 0 || Files.size(cache) == 0) {
            Files.delete(cache);
            Files.delete(code);
            throw EngineException.invalidArgument("the JVM wrote no cache for " + main.getSimpleName());
        }
        return new Cached(withOptions(and("-XX:AOTCache=" + cache, keeping)), cache, code);
    }

    private List<String> and(String... more) {
        var all = new ArrayList<>(options);
        all.addAll(List.of(more));
        return all;
    }

    private Process start(List<String> more, ProcessBuilder.Redirect errors) throws IOException {
        return ChildJvm.builder(more, main, arguments).redirectError(errors).start();
    }

    /**
     * A process that starts from a cache.
     *
     * @param cache the JVM's file, deleted on close, as is the code of kernels
     */
    public record Cached(FreshProcess process, Path cache, Path code) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            Files.delete(cache);
            Files.delete(code);
        }
    }
}
