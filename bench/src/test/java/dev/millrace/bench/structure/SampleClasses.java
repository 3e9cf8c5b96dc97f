package dev.millrace.bench.structure;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.StringWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;

/** A folder of classes that a test compiles, for the tools of the build. */
record SampleClasses(Path folder) {
    private static final Path SOURCES = Path.of("src/test/resources/dev/millrace/bench");

    /** Compiles the sources in a folder of the resources. */
    static SampleClasses compile(String name, Path folder) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var messages = new StringWriter();
        List<String> options = List.of("-proc:none", "-nowarn", "-g", "-d", folder.toString());
        try (Stream<Path> all = Files.walk(SOURCES.resolve(name));
                var files = compiler.getStandardFileManager(null, null, null)) {
            List<Path> sources = all.filter(each -> each.toString().endsWith(".java"))
                    .sorted()
                    .toList();
            var units = files.getJavaFileObjectsFromPaths(sources);
            boolean compiled = compiler.getTask(messages, files, null, options, null, units)
                    .call();
            assertThat(compiled).as(messages.toString()).isTrue();
        }
        return new SampleClasses(folder);
    }

    SampleClasses copyTo(Path target) throws IOException {
        for (var each : files().entrySet()) {
            Path file = target.resolve(each.getKey());
            Files.createDirectories(file.getParent());
            Files.write(file, each.getValue());
        }
        return new SampleClasses(target);
    }

    /** Returns the content of each class file. */
    Map<String, byte[]> files() throws IOException {
        var files = new TreeMap<String, byte[]>();
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                files.put(folder.relativize(file).toString(), Files.readAllBytes(file));
            }
        }
        return files;
    }

    /** Returns a loader of these classes, which the JVM verifies. */
    URLClassLoader loader() throws IOException {
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, ClassLoader.getPlatformClassLoader());
    }
}
