package dev.millrace.bench.compare;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The start of a Java process that has the class path of this one. */
final class ChildJvm {
    private ChildJvm() {}

    static ProcessBuilder builder(List<String> options, Class<?> main, List<String> arguments) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
        command.addAll(options);
        command.add(main.getName());
        command.addAll(arguments);
        var builder = new ProcessBuilder(command);
        // ONNX Runtime crashes where the command line is longer than 4 KB, as class paths may be
        builder.environment().put("CLASSPATH", System.getProperty("java.class.path"));
        return builder;
    }
}
