package dev.millrace.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A program that runs with the class path of this one in a JVM of its own, which may crash. */
public final class ChildJvm {
    private ChildJvm() {}

    /** Runs a program and returns its output; fails unless it ends with exit code 0 in time. */
    public static String output(Class<?> main, List<String> options, int seconds, Object... arguments)
            throws IOException, InterruptedException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.add("-XX:-CreateCoredumpOnCrash");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add(main.getName());
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        Process process = builder.start();
        CompletableFuture.delayedExecutor(seconds, TimeUnit.SECONDS).execute(process::destroyForcibly);
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> main.getSimpleName() + " ended badly, or late:\n" + output);
        return output;
    }
}
