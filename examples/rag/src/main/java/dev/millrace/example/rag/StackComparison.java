package dev.millrace.example.rag;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;

/** Runs the stacks in turns, each in a process of its own, and prints a table. */
final class StackComparison {
    private static final List<String> NUMBERS = List.of("start", "index", "cpu", "median", "p99", "memory");
    /** The jar without which Spring AI's own model needs a download at its first use. */
    private static final String PYTORCH = "pytorch-native-cpu";

    private final String classPath;
    private final Path folder;
    private final List<String> options;

    /**
     * @param classPath the class path of all stacks
     * @param folder the folder of the model
     * @param options further options of the JVM
     */
    StackComparison(String classPath, Path folder, List<String> options) {
        this.classPath = classPath;
        this.folder = folder;
        this.options = options;
    }

    /** @param arguments the numbers of passages, questions and turns; by default 5,000, 500 and 3 */
    public static void main(String[] arguments) throws Exception {
        int passages = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 5_000;
        int questions = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 500;
        int turns = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 3;
        Path folder = Files.createTempDirectory("minilm");
        MiniLmFiles.write(folder);
        var comparison = new StackComparison(System.getProperty("java.class.path"), folder, List.of());
        List<Stack> stacks = comparison.stacks();
        var results = new EnumMap<Stack, List<Map<String, String>>>(Stack.class);
        for (int turn = 0; turn < turns; turn++) {
            for (Stack stack : stacks) {
                results.computeIfAbsent(stack, _ -> new ArrayList<>()).add(comparison.run(stack, passages, questions));
            }
        }
        System.out.println("| framework | model | start ms | index s | index processor s | question median ms | p99 ms"
                + " | memory MiB | jars MB | same passages |");
        System.out.println("|---|---|---|---|---|---|---|---|---|---|");
        String expected =
                printed(Objects.requireNonNull(results.get(stacks.getFirst())).getFirst(), "found");
        for (Stack stack : stacks) {
            List<Map<String, String>> runs = Objects.requireNonNull(results.get(stack));
            double[] of =
                    NUMBERS.stream().mapToDouble(name -> median(runs, name)).toArray();
            System.out.printf(
                    "| %s | %s | %.0f | %.1f | %.1f | %.2f | %.2f | %.0f | %.1f | %.1f%% |%n",
                    stack.framework(),
                    stack.title(),
                    of[0],
                    of[1] / 1e3,
                    of[2] / 1e3,
                    of[3] / 1e3,
                    of[4] / 1e3,
                    of[5],
                    comparison.jarBytes(stack) / 1e6,
                    100 * shared(expected, printed(runs.getFirst(), "found")));
        }
    }

    private static String printed(Map<String, String> run, String name) {
        return Objects.requireNonNull(run.get(name));
    }

    private static double median(List<Map<String, String>> runs, String name) {
        double[] sorted = runs.stream()
                .mapToDouble(run -> Double.parseDouble(printed(run, name)))
                .sorted()
                .toArray();
        return sorted[sorted.length / 2];
    }

    /** Returns the share of places at which two lists of passages are equal. */
    private static double shared(String one, String other) {
        String[] first = one.split(" ");
        String[] second = other.split(" ");
        int same = 0;
        for (int i = 0; i < first.length; i++) {
            same += i < second.length && first[i].equals(second[i]) ? 1 : 0;
        }
        return (double) same / first.length;
    }

    /** Returns the stacks that the class path has all of. */
    List<Stack> stacks() {
        return Arrays.stream(Stack.values())
                .filter(stack -> stack != Stack.SPRING_AI_STOCK || classPath.contains(PYTORCH))
                .toList();
    }

    private List<String> entries(Stack stack) {
        return Arrays.stream(classPath.split(File.pathSeparator))
                .filter(stack::has)
                .toList();
    }

    /** Returns the size of all jars of a stack. */
    private long jarBytes(Stack stack) throws IOException {
        long sum = 0;
        for (String entry : entries(stack)) {
            sum += entry.endsWith(".jar") ? Files.size(Path.of(entry)) : 0;
        }
        return sum;
    }

    /** Runs a stack in a process, and returns what it prints by the first words of the lines. */
    Map<String, String> run(Stack stack, int passages, int questions) throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "-Xmx2g"));
        command.addAll(options);
        command.addAll(List.of(IndexProcess.class.getName(), stack.name(), folder.toString()));
        command.addAll(List.of(String.valueOf(passages), String.valueOf(questions)));
        var builder = new ProcessBuilder(command);
        Map<String, String> environment = builder.environment();
        environment.put("CLASSPATH", entries(stack).stream().collect(Collectors.joining(File.pathSeparator)));
        environment.put("ORT_DISABLE_TELEMETRY", "1");
        environment.put("OPT_OUT_TRACKING", "true");
        environment.put("DJL_CACHE_DIR", folder.resolve("djl").toString());
        environment.put("DJL_OFFLINE", "true");
        Path errors = Files.createTempFile(folder, "errors", ".txt");
        Process process = builder.redirectError(errors.toFile()).start();
        var lines = new HashMap<String, String>();
        try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
            for (String line = reader.readLine(); line != null; line = reader.readLine()) {
                String[] words = line.split(" ", 2);
                if (words.length == 2) {
                    lines.put(words[0], words[1]);
                }
            }
        }
        if (process.waitFor() != 0) {
            throw new IllegalStateException(
                    stack + " ended with " + process.exitValue() + ": " + Files.readString(errors));
        }
        return lines;
    }
}
