package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the classes that a process loads for its first answer. */
class FirstSessionIT {
    /** The package in which the build leaves lambdas to the JVM. */
    private static final String AS_THEY_ARE = "dev.millrace.providers.cpu.";

    private static final int WIDTH = 64;

    /** The main class of a process that creates a session and runs it once. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) {
            Path model = Path.of(arguments[0]);
            Tensor input = Tensor.copyOf(new float[WIDTH], 1, WIDTH);
            try (Engine engine = Engine.create();
                    Session session = engine.session(model);
                    Outputs outputs = session.run(Inputs.of("x", input))) {
                System.out.println(outputs.get(0).floats().length);
            }
        }
    }

    /**
     * The JVM makes a class for a lambda when the lambda is first reached, in Java code that nothing has compiled yet.
     */
    @Test
    void noLambdaOfTheEngineIsLeftToTheJvm(@TempDir Path folder) throws IOException, InterruptedException {
        Path model = Files.write(folder.resolve("model.onnx"), TestModels.perceptron(3, WIDTH, 1));
        Path loaded = folder.resolve("loaded.txt");
        String printed = new OwnJvm(Main.class, model)
                .options("-Xlog:class+load:file=" + loaded)
                .output();
        assertThat(printed).contains(String.valueOf(WIDTH));
        try (Stream<String> lines = Files.lines(loaded)) {
            List<String> spun = lines.filter(line -> line.contains("dev.millrace.") && line.contains("$$Lambda"))
                    .filter(line -> !line.contains(AS_THEY_ARE))
                    .toList();
            assertThat(spun).isEmpty();
        }
    }
}
