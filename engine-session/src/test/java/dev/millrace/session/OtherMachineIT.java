package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What was compiled here, on a machine that can do less: in a process that is told to do without. */
class OtherMachineIT {
    private static final int WIDTH = 160;
    private static final float CLOSE = 1e-5f;
    private static final Pattern ANSWERS = Pattern.compile("answers (\\S+)");

    @TempDir
    private Path folder = Path.of("");

    private Path source = Path.of("");
    private Path target = Path.of("");

    @BeforeEach
    void write() throws IOException {
        source = Files.write(folder.resolve("net.onnx"), TestModels.perceptron(3, WIDTH, 5));
        target = folder.resolve("net_ctx.onnx");
    }

    /** The other process: says how well a context model suits it, and what that answers. */
    public static void main(String[] args) {
        try (Engine engine = Engine.create(EngineOptions.defaults().withThreads(1))) {
            System.out.println(engine.compatibility(Path.of(args[0])).getFirst().verdict());
            System.out.println("answers " + answer(engine, Path.of(args[0])));
        } catch (EngineException e) {
            System.out.println(e.status() + " " + e.getMessage());
        }
    }

    /** The sum of what a model answers. */
    private static String answer(Engine engine, Path model) {
        float[] x = new float[WIDTH];
        Arrays.fill(x, 0.25f);
        try (Session session = engine.session(model);
                Outputs outputs = session.run(Inputs.of("x", Tensor.copyOf(x, 1, WIDTH)))) {
            float sum = 0;
            for (float each : outputs.get(0).floats()) {
                sum += each;
            }
            return Float.toString(sum);
        }
    }

    private String elsewhere(String level) throws IOException, InterruptedException {
        return new OwnJvm(OtherMachineIT.class, target)
                .options("-Dmillrace.kernels.level=" + level)
                .options("-Dmillrace.kernels.vectorbits=128")
                .output();
    }

    private void compile(String portable) {
        var simd = SessionOptions.builder()
                .provider("simd", Map.of("portable", portable))
                .provider("cpu");
        try (Engine engine = Engine.create(EngineOptions.defaults().withThreads(1))) {
            engine.compiler(CompileOptions.of(simd.build()).build())
                    .compile(ModelInput.file(source), ModelOutput.file(target));
        }
    }

    private String answer() {
        try (Engine engine = Engine.create(EngineOptions.defaults().withThreads(1))) {
            return answer(engine, source);
        }
    }

    @ParameterizedTest
    @CsvSource({"vector_api, true", "plain, true", "vector_api, false", "plain, false", "avx2, false"})
    void whatSuitsOtherVectorsIsPackedAgainAndSaysSo(String level, String portable)
            throws IOException, InterruptedException {
        compile(portable);
        float wanted = Float.parseFloat(answer());
        String said = elsewhere(level);
        assertThat(said).contains("PREFER_RECOMPILATION", "Recompilation recommended");
        assertThat(ANSWERS.matcher(said).results().map(OtherMachineIT::number))
                .singleElement()
                .satisfies(number -> assertThat(number).isCloseTo(wanted, offset(CLOSE * Math.abs(wanted))));
    }

    /** The other way round: what was compiled by vectors of 128 bits. */
    @Test
    void whatAMachineThatCanDoLessHasCompiledIsPackedAgainHere() throws IOException, InterruptedException {
        String said = new OwnJvm(Elsewhere.class, source, target)
                .options("-Dmillrace.kernels.level=vector_api")
                .options("-Dmillrace.kernels.vectorbits=128")
                .output();
        assertThat(said).contains("compiled");
        try (Engine engine = Engine.create(EngineOptions.defaults().withThreads(1))) {
            assertThat(engine.compatibility(target).getFirst().verdict()).isEqualTo(Compatibility.PREFER_RECOMPILATION);
            float wanted = Float.parseFloat(answer(engine, source));
            assertThat(Float.parseFloat(answer(engine, target))).isCloseTo(wanted, offset(CLOSE * Math.abs(wanted)));
        }
    }

    /** A machine that compiles a model. */
    static final class Elsewhere {
        public static void main(String[] args) {
            try (Engine engine = Engine.create(EngineOptions.defaults().withThreads(1))) {
                engine.compiler(CompileOptions.defaults())
                        .compile(ModelInput.file(Path.of(args[0])), ModelOutput.file(Path.of(args[1])));
                System.out.println("compiled");
            }
        }
    }

    private static float number(MatchResult found) {
        return Float.parseFloat(found.group(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"vector_api", "plain"})
    void whatCannotBePutBackIsRefusedAndSaysSo(String level) throws IOException, InterruptedException {
        Files.write(source, TestModels.convolution());
        compile("false");
        assertThat(elsewhere(level))
                .contains("UNSUPPORTED", "FAIL", "not supported")
                .doesNotContain("answers");
    }
}
