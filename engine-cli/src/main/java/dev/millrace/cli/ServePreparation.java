package dev.millrace.cli;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.server.ModelServer;
import dev.millrace.server.ServerOptions;
import dev.millrace.session.EngineOptions;
import java.io.IOException;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The preparation of a server's caches in a folder: compiled models, the machine code of kernels, and the JVM's
 * ahead-of-time cache of classes. The last two need options of the JVM, so a JVM of its own does the work.
 *
 * @param folder the folder of the caches
 * @param models the models, of which a JVM of its own prepares what {@code arguments} name
 * @param arguments the folders and names of the same models on a command line
 * @param threads the threads of the engine; 0 for all processors
 */
record ServePreparation(Path folder, ServerOptions.Builder models, List<String> arguments, int threads) {
    private static final String AOT_OUTPUT = "-XX:AOTCacheOutput=";
    private static final String AOT_INPUT = "-XX:AOTCache=";
    private static final String CODE = "-Dmillrace.code=";

    /** The context cache in a folder of caches. */
    static Path contexts(Path folder) {
        return folder.resolve("contexts");
    }

    private Path classes() {
        return folder.toAbsolutePath().resolve("classes.aot");
    }

    private Path code() {
        return folder.toAbsolutePath().resolve("kernels.code");
    }

    /** Prepares the caches, and returns the exit code. */
    int run(PrintWriter out) throws IOException, InterruptedException {
        return jvmOptions().contains(AOT_OUTPUT + classes()) ? fill(out) : inOwnJvm(out);
    }

    private static List<String> jvmOptions() {
        return ManagementFactory.getRuntimeMXBean().getInputArguments();
    }

    private int fill(PrintWriter out) {
        var engine = EngineOptions.builder()
                .threads(threads)
                .contextCache(ContextCache.in(contexts(folder)))
                .build();
        List<String> failures = ModelServer.prepare(models.engine(engine).build());
        failures.forEach(out::println);
        out.flush();
        return failures.isEmpty() ? ExitCode.OK : ExitCode.REFUSED;
    }

    private int inOwnJvm(PrintWriter out) throws IOException, InterruptedException {
        Files.createDirectories(folder);
        Files.deleteIfExists(classes());
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        jvmOptions().stream()
                .filter(each -> !each.startsWith("-XX:AOT") && !each.startsWith(CODE) && !each.startsWith("-agentlib"))
                .forEach(command::add);
        command.add(AOT_OUTPUT + classes());
        command.add(CODE + code());
        command.add("-Xlog:aot*=off,cds*=off");
        command.add(Main.class.getName());
        command.addAll(List.of("serve", "--prepare=" + folder.toAbsolutePath(), "--threads=" + threads));
        command.addAll(arguments);
        // the JVM writes pages about the classes that it leaves out
        Path log = folder.resolve("prepare.log");
        var process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        process.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        int code = process.start().waitFor();
        if (code != ExitCode.OK || !Files.exists(classes())) {
            Files.readAllLines(log).forEach(out::println);
            out.flush();
            return code == ExitCode.OK ? ExitCode.REFUSED : code;
        }
        Files.delete(log);
        Files.writeString(folder.resolve("java.options"), AOT_INPUT + classes() + "\n" + CODE + code() + "\n");
        letOthersRead();
        out.printf(
                "prepared %s: start the server with java @%s … serve --context-cache %s%n",
                folder, folder.resolve("java.options"), contexts(folder));
        return ExitCode.OK;
    }

    /** Lets other users read the caches, such as the user of a container. Nobody else may write them. */
    private void letOthersRead() throws IOException {
        if (!folder.getFileSystem().supportedFileAttributeViews().contains("posix")) {
            return;
        }
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.toList()) {
                String mode = Files.isDirectory(each) ? "rwxr-xr-x" : "rw-r--r--";
                Files.setPosixFilePermissions(each, PosixFilePermissions.fromString(mode));
            }
        }
    }
}
