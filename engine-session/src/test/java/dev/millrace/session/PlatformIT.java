package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of engines, and of their platform reports, in processes with fewer instructions than this one. */
class PlatformIT {
    private static final int WIDTH = 64;

    @TempDir
    private Path folder = Path.of("");

    private Path model = Path.of("");

    @BeforeEach
    void write() throws IOException {
        model = Files.write(folder.resolve("net.onnx"), TestModels.perceptron(3, WIDTH, 5));
    }

    /** The main class of a process that creates two sessions, runs them, and prints their reports and the log. */
    static final class Main {
        /** The logger, strongly referenced because its handler is collected with it. */
        private static final Logger LOG = Logger.getLogger("dev.millrace");

        private Main() {}

        public static void main(String[] arguments) throws InterruptedException {
            var told = new CountDownLatch(1);
            LOG.addHandler(new Handler() {
                @Override
                public void publish(LogRecord heard) {
                    System.out.println("log " + heard.getLevel() + " " + heard.getMessage());
                    told.countDown();
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            });
            var alone = SessionOptions.builder().alone(true).build();
            try (Engine engine =
                            Engine.create(EngineOptions.builder().threads(1).build());
                    Session session = engine.session(Path.of(arguments[0]), alone);
                    Session second = engine.session(Path.of(arguments[0]), alone);
                    Outputs outputs = session.run(Inputs.of("x", ones()))) {
                System.out.println("answer " + Arrays.hashCode(outputs.get(0).floats()));
                System.out.println("providers " + session.label().providers());
                System.out.println("notes " + session.report().notes());
                System.out.println("second " + second.report().notes());
                System.out.println("health " + session.health());
                System.out.println("condition " + engine.health().condition());
                System.out.println("simd alone " + alone(engine, Path.of(arguments[0])));
                told.await(1, TimeUnit.MINUTES);
            }
        }

        /** Returns the outcome of creating a session without {@code cpu}. */
        private static String alone(Engine engine, Path model) {
            try (Session session = engine.session(
                    model, SessionOptions.builder().provider("simd").build())) {
                return "runs on " + session.label().providers();
            } catch (EngineException e) {
                return String.valueOf(e.getMessage());
            }
        }

        private static Tensor ones() {
            var ones = new float[WIDTH];
            Arrays.fill(ones, 1);
            return Tensor.copyOf(ones, 1, WIDTH);
        }
    }

    private String said(String... options) throws IOException, InterruptedException {
        return new OwnJvm(Main.class, model).options(options).output();
    }

    private String saidWithoutNativeAccess(String... options) throws IOException, InterruptedException {
        return new OwnJvm(Main.class, model)
                .withoutNativeAccess()
                .options("--illegal-native-access=deny")
                .options(options)
                .output();
    }

    private static void assertLeftToCpu(String said, String reason, String remedy) {
        assertThat(said)
                .contains("providers [cpu]", "notes [provider 'simd'", "second [provider 'simd'", "DEGRADED")
                .contains("condition DEGRADED")
                .containsPattern("simd alone .*is implemented by none of the providers \\[simd]; add 'cpu'.*" + remedy)
                .contains(reason, remedy)
                .containsOnlyOnce("log ")
                .containsOnlyOnce("log WARNING provider 'simd' is at level 'plain'");
    }

    @ParameterizedTest
    @ValueSource(strings = {"-Da=b", "--add-modules=jdk.incubator.vector"})
    void whereNativeAccessIsDeniedModelsAreLeftToCpu(String option) throws IOException, InterruptedException {
        assertLeftToCpu(
                saidWithoutNativeAccess(option),
                "native access is denied",
                "To make it faster, start Java with --enable-native-access=ALL-UNNAMED");
    }

    @Test
    void withoutTheVectorApiModelsAreLeftToCpu() throws IOException, InterruptedException {
        assertLeftToCpu(
                said("-Dmillrace.kernels.level=vector_api"),
                "the Vector API is not there",
                "To make it faster, start Java with --add-modules jdk.incubator.vector");
    }

    @Test
    void onTheVectorApiModelsAreCompiled() throws IOException, InterruptedException {
        assertThat(said("-Dmillrace.kernels.level=vector_api", "--add-modules=jdk.incubator.vector"))
                .contains("providers [simd]", "notes []", "condition UP")
                .containsOnlyOnce("log ")
                .contains("log INFO", "provider 'simd' is at level 'vector_api'");
    }

    @Test
    void theInterpreterComputesWhereItIsForced() throws IOException, InterruptedException {
        assertThat(said("-Dmillrace.kernels.level=plain"))
                .contains("providers [simd]", "notes []", "condition UP")
                .contains("log INFO", "is at level 'plain': forced by millrace.kernels.level");
    }

    /** The flag concerns the JVM's own compilers; kernels' machine code is assembled and run as ever. */
    @Test
    void whatTheJvmsCompilersMayUseChangesNoAnswer() throws IOException, InterruptedException {
        String said = said();
        assumeTrue(said.contains("'avx"), "no machine code runs here");
        assertThat(said)
                .contains("providers [simd]", "notes []", "condition UP")
                .contains("log INFO");
        String held = said("-XX:UseAVX=1");
        assertThat(held).contains("providers [simd]", "notes []", "condition UP");
        assertThat(answer(held)).isEqualTo(answer(said));
    }

    /** A process that makes a session by way of a context cache, and prints what the cache did for it. */
    static final class Cached {
        private Cached() {}

        public static void main(String[] arguments) {
            var cache = ContextCache.in(Path.of(arguments[1]));
            try (Engine engine = Engine.create(EngineOptions.builder()
                            .threads(1)
                            .contextCache(cache)
                            .build());
                    Session session = engine.session(Path.of(arguments[0]))) {
                System.out.println(
                        session.report().cache() + " for " + session.label().providers());
            }
        }
    }

    private String cached(String... options) throws IOException, InterruptedException {
        return new OwnJvm(Cached.class, model, folder.resolve("cache"))
                .options(options)
                .output();
    }

    @Test
    void aProcessAtAnotherLevelLeavesWhatWasCachedAsItIs() throws IOException, InterruptedException {
        assertThat(cached()).contains("FILLED for [simd]");
        assertThat(cached("-Dmillrace.kernels.level=vector_api")).contains("NONE for [cpu]");
        assertThat(cached("-Dmillrace.kernels.level=plain")).contains("FILLED for [simd]");
        assertThat(cached("-Dmillrace.kernels.level=vector_api")).contains("NONE for [cpu]");
        assertThat(cached()).contains("HIT for [simd]");
        assertThat(cached("-Dmillrace.kernels.level=plain")).contains("HIT for [simd]");
    }

    private static String answer(String said) {
        return said.lines()
                .filter(line -> line.startsWith("answer "))
                .findFirst()
                .orElseThrow();
    }
}
