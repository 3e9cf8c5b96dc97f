package dev.millrace.models.packages;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The registries' own clients, {@code mvn} and {@code npm}, as they are set up on this machine. */
public final class PackageClient {
    private static final String COPY_GOAL = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy";
    private static final Pattern MAVEN = Pattern.compile("mvn:[\\w.-]+(:[\\w.-]+){2,4}");
    /** Names and versions of the registry alone: other texts would let the client run what a package says. */
    private static final Pattern NPM = Pattern.compile("npm:(@\\w[\\w.-]*/)?\\w[\\w.-]*@\\d[\\w.+-]*");

    private static final Pattern COLOUR = Pattern.compile("\u001b\\[[0-9;]*m");
    private static final int LINES_OF_REASON = 2;

    private PackageClient() {}

    /** A use of a package, which is deleted afterwards. */
    @FunctionalInterface
    public interface Use {
        void of(PackageArchive archive) throws IOException;
    }

    /**
     * Downloads a package and lets it be used.
     *
     * @param source {@code mvn:GROUP:ARTIFACT:VERSION} or {@code npm:NAME@VERSION}
     * @param folder the folder in which the package lies meanwhile
     * @param offline whether the client may only take what it has already
     */
    public static void fetch(String source, Path folder, boolean offline, Use use) throws IOException {
        Files.createDirectories(folder);
        Path work = Files.createTempDirectory(folder, "fetch-");
        try {
            use.of(new PackageArchive(source, download(source, work, offline)));
        } finally {
            delete(work);
        }
    }

    private static Path download(String source, Path work, boolean offline) throws IOException {
        List<String> command = command(source, work.toAbsolutePath(), offline);
        run(source, command, work);
        try (var files = Files.list(work)) {
            return files.filter(file ->
                            file.toString().endsWith(".jar") || file.toString().endsWith(".tgz"))
                    .findFirst()
                    .orElseThrow(() -> new IOException(String.join(" ", command) + " brought no package"));
        }
    }

    static List<String> command(String source, Path work, boolean offline) {
        String coordinates = source.substring(source.indexOf(':') + 1);
        if (MAVEN.matcher(source).matches()) {
            var command = new ArrayList<>(List.of("mvn", "-B", "-q", "-ntp"));
            if (offline) {
                command.add("-o");
            }
            command.addAll(List.of(COPY_GOAL, "-Dartifact=" + coordinates, "-DoutputDirectory=" + work));
            return command;
        }
        if (NPM.matcher(source).matches()) {
            var command = new ArrayList<>(List.of("npm", "pack", coordinates, "--loglevel=error", "--ignore-scripts"));
            if (offline) {
                command.add("--offline");
            }
            command.addAll(List.of("--pack-destination", work.toString()));
            return command;
        }
        throw EngineException.invalidArgument("'" + source
                + "' names no package; names are mvn:GROUP:ARTIFACT:VERSION and npm:NAME@VERSION with a fixed version");
    }

    private static void run(String source, List<String> command, Path work) throws IOException {
        Path log = work.resolve("log");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .directory(work.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
        } catch (IOException e) {
            throw new EngineException(
                    Status.FAIL,
                    source + " comes with the program '" + command.getFirst()
                            + "', which is not on the PATH; install it, or name a file of the model",
                    e);
        }
        try {
            process.getOutputStream().close();
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " failed: " + reason(Files.readString(log)));
            }
        } catch (InterruptedException e) {
            process.destroy();
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        }
    }

    /** Returns the first lines of what a client has said, without colours. */
    static String reason(String log) {
        return COLOUR.matcher(log)
                .replaceAll("")
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .limit(LINES_OF_REASON)
                .collect(Collectors.joining(" "));
    }

    private static void delete(Path tree) throws IOException {
        try (var files = Files.walk(tree)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
