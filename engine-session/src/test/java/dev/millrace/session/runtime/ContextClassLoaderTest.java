package dev.millrace.session.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.OwnJvm;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.TestModels;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that neither the JDK's shared threads nor the engine's classes keep the context class loader of who had an engine. */
class ContextClassLoaderTest {
    private static final int WIDTH = 4;
    private static final Duration MOST = Duration.ofSeconds(60);

    /** The main class of a process that is the first to ask for delayed tasks, with a context class loader of its own. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws Exception {
            WeakReference<ClassLoader> loader = loaderOf(Path.of(arguments[0]));
            long end = System.nanoTime() + MOST.toNanos();
            while (loader.get() != null && System.nanoTime() < end) {
                System.gc();
                synchronized (loader) {
                    loader.wait(50);
                }
            }
            System.out.println(loader.get() == null ? "collected" : "kept");
        }

        private static WeakReference<ClassLoader> loaderOf(Path model) throws IOException {
            Thread thread = Thread.currentThread();
            ClassLoader before = thread.getContextClassLoader();
            try (var loader = new URLClassLoader(new URL[0])) {
                thread.setContextClassLoader(loader);
                try (Engine engine = Engine.create();
                        Session session = engine.session(model);
                        Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(new float[WIDTH], 1, WIDTH)))) {
                    System.out.println(outputs.names());
                }
                return new WeakReference<>(loader);
            } finally {
                thread.setContextClassLoader(before);
            }
        }
    }

    @Test
    void theContextClassLoaderOfTheCallerIsCollected(@TempDir Path folder) throws Exception {
        Path model = Files.write(folder.resolve("model.onnx"), TestModels.perceptron(1, WIDTH, 1));
        String printed =
                new OwnJvm(Main.class, model).within(MOST.plusSeconds(30)).output();
        assertThat(printed).contains("collected");
    }
}
