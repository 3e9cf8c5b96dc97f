package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The Java of docs/guide/compiled-models-examples.md compiles and runs. */
class ContextExamplesTest {
    private static final Path DOCUMENT = Path.of("..", "docs", "guide", "compiled-models-examples.md");
    private static final Pattern EXAMPLE = Pattern.compile("## ([^\\n]+)|```java\\n(.*?)```", Pattern.DOTALL);
    private static final int EXAMPLES = 13;
    private static final int WIDTH = 48;

    private static final String AROUND = """
        import dev.millrace.epcontext.*;
        import dev.millrace.graph.*;
        import dev.millrace.graph.format.*;
        import dev.millrace.graph.ir.*;
        import dev.millrace.providers.spi.*;
        import dev.millrace.scheduler.device.*;
        import dev.millrace.scheduler.kernel.*;
        import dev.millrace.session.*;
        import java.io.*;
        import java.lang.foreign.*;
        import java.nio.channels.*;
        import java.nio.file.*;
        import java.util.*;

        public final class Example {
            public static void run(Engine engine, Path folder, Inputs inputs) throws Exception {
        %s
            }
        }
        """;

    static Stream<Arguments> examples() throws IOException {
        var found = Stream.<Arguments>builder();
        Matcher each = EXAMPLE.matcher(Files.readString(DOCUMENT));
        String title = "";
        while (each.find()) {
            if (each.group(1) != null) {
                title = each.group(1);
            } else {
                found.add(Arguments.of(title, each.group(2)));
            }
        }
        List<Arguments> all = found.build().toList();
        assertThat(all).hasSize(EXAMPLES);
        return all.stream();
    }

    /**
     * Writes the files that the examples use: two models, one with its data elsewhere, and the compiled form of both.
     */
    private static void prepare(Engine engine, Path folder) throws IOException {
        byte[] model = TestModels.perceptron(3, WIDTH, 5);
        for (String name : List.of("model1.onnx", "model2.onnx")) {
            Files.write(folder.resolve(name), model);
        }
        Path data = Files.createDirectory(folder.resolve("external_data_folder"));
        Path moved = Files.createDirectory(folder.resolve("model_folder"));
        Models.write(
                Models.read(model, null), data.resolve("model1.onnx"), WriteOptions.externalData("weights.bin", 64));
        Files.copy(data.resolve("model1.onnx"), moved.resolve("model1.onnx"));
        Path compiled = Files.createDirectory(folder.resolve("compiled"));
        for (String name : List.of("model1", "model2")) {
            engine.compiler(CompileOptions.defaults())
                    .compile(
                            ModelInput.file(folder.resolve(name + ".onnx")),
                            ModelOutput.file(compiled.resolve(name + "_ctx.onnx")));
        }
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("examples")
    void theJavaRuns(String title, String text, @TempDir Path folder, @TempDir Path classes) throws Exception {
        compile(title, text, classes);
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                var loader = new URLClassLoader(new URL[] {classes.toUri().toURL()})) {
            prepare(engine, folder);
            long before = files(folder);
            Inputs inputs = Inputs.of("x", Tensor.copyOf(new float[WIDTH], 1, WIDTH));
            loader.loadClass("Example")
                    .getMethod("run", Engine.class, Path.class, Inputs.class)
                    .invoke(null, engine, folder, inputs);
            if (!title.startsWith("Session") && !title.startsWith("A session of")) {
                assertThat(files(folder)).as("%s writes files", title).isGreaterThan(before);
            }
        } catch (InvocationTargetException e) {
            throw new AssertionError(title, e.getCause());
        }
    }

    private static long files(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.filter(Files::isRegularFile).count();
        }
    }

    private static void compile(String title, String text, Path classes) {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        var messages = new StringWriter();
        List<String> options = List.of("-proc:none", "-nowarn", "-d", classes.toString());
        boolean compiled = compiler.getTask(messages, null, null, options, null, List.of(source(text)))
                .call();
        assertThat(compiled).as(title + ": " + messages).isTrue();
    }

    private static JavaFileObject source(String example) {
        String text = AROUND.formatted(example);
        return new SimpleJavaFileObject(URI.create("string:///Example.java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }
}
