package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.offset;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.spi.Compatibility;
import dev.millrace.providers.testkit.OwnJvm;
import dev.millrace.providers.testkit.RandomTensors;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Tests of models that were compiled on this machine and run on one with fewer instructions, simulated by a
 * process that is told to do without them.
 */
class OtherMachineIT {
    private static final int WIDTH = 160;
    private static final float CLOSE = 1e-5f;
    private static final Pattern ANSWERS = Pattern.compile("answers ([^/]+)/(\\S+)");
    private static final Pattern OF_SOURCE = Pattern.compile("source: ([^/]+)/(\\S+)");

    @TempDir
    private Path folder = Path.of("");

    private Path source = Path.of("");
    private Path target = Path.of("");

    @BeforeEach
    void write() throws IOException {
        source = Files.write(folder.resolve("net.onnx"), TestModels.perceptron(3, WIDTH, 5));
        target = folder.resolve("net_ctx.onnx");
    }

    /**
     * The main method of the other process, which prints how well a context model suits it, and the
     * answers of that model and its source.
     */
    public static void main(String[] args) {
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build())) {
            System.out.println(engine.compatibility(Path.of(args[0])).getFirst().verdict());
            System.out.println("answers " + answer(engine, Path.of(args[0])));
            System.out.println("source: " + answer(engine, Path.of(args[1])));
        } catch (EngineException e) {
            System.out.println(e.status() + " " + e.getMessage());
        }
    }

    /** Returns the sum of a model's answer to inputs of ones, 0 unless it is of floats, and the hash of its bytes. */
    private static String answer(Engine engine, Path model) {
        try (Session session = engine.session(model)) {
            ValueInfo input = session.inputs().getFirst();
            if (!(input.type() instanceof ValueType.TensorType(var element, var symbolic))) {
                throw new IllegalStateException(input + " is no tensor");
            }
            long[] dims = Objects.requireNonNull(symbolic).dims().stream()
                    .mapToLong(dim -> dim instanceof Dim.Known(long extent) ? extent : 1)
                    .toArray();
            Tensor x = RandomTensors.whole(Objects.requireNonNull(element), Shape.of(dims), () -> 1);
            try (Outputs outputs = session.run(Inputs.of(input.name(), x))) {
                Tensor y = outputs.get(0);
                float sum = 0;
                for (float each : y.type() == ElementType.FLOAT ? y.floats() : new float[0]) {
                    sum += each;
                }
                return sum + "/" + Arrays.hashCode(y.segment().toArray(ValueLayout.JAVA_BYTE));
            }
        }
    }

    /**
     * Returns the output of a process at a level of instructions, which simulates another machine
     * unless this one has no more than AVX2.
     */
    private String elsewhere(String level) throws IOException, InterruptedException {
        String said = new OwnJvm(OtherMachineIT.class, target, source)
                .options("--add-modules=jdk.incubator.vector", "-Dmillrace.kernels.level=" + level)
                .options("-Dmillrace.kernels.vectorbits=128")
                .output();
        assumeFalse("avx2".equals(level) && said.startsWith("OPTIMAL"), "this machine has no more than AVX2");
        return said;
    }

    private void compile(String portable) {
        var simd = SessionOptions.builder()
                .provider("simd", Map.of("portable", portable))
                .provider("cpu");
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build())) {
            engine.compiler(CompileOptions.of(simd.build()).build())
                    .compile(ModelInput.file(source), ModelOutput.file(target));
        }
    }

    private String answer() {
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build())) {
            return answer(engine, source);
        }
    }

    @ParameterizedTest
    @CsvSource({"vector_api, true", "plain, true", "vector_api, false", "plain, false", "avx2, false"})
    void whatSuitsOtherVectorsIsPackedAgainAndSaysSo(String level, String portable)
            throws IOException, InterruptedException {
        compile(portable);
        float wanted = sum(answer());
        String said = elsewhere(level);
        assertThat(said).contains("PREFER_RECOMPILATION", "Recompilation recommended");
        assertThat(ANSWERS.matcher(said).results().map(OtherMachineIT::number))
                .singleElement()
                .satisfies(number -> assertThat(number).isCloseTo(wanted, offset(CLOSE * Math.abs(wanted))));
    }

    /** The reverse case: the model was compiled with vectors of 128 bits. */
    @Test
    void whatAMachineThatCanDoLessHasCompiledIsPackedAgainHere() throws IOException, InterruptedException {
        String said = new OwnJvm(Elsewhere.class, source, target)
                .options("--add-modules=jdk.incubator.vector", "-Dmillrace.kernels.level=vector_api")
                .options("-Dmillrace.kernels.vectorbits=128")
                .output();
        assertThat(said).contains("compiled");
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build())) {
            assertThat(engine.compatibility(target).getFirst().verdict()).isEqualTo(Compatibility.PREFER_RECOMPILATION);
            float wanted = sum(answer(engine, source));
            assertThat(sum(answer(engine, target))).isCloseTo(wanted, offset(CLOSE * Math.abs(wanted)));
        }
    }

    /** The main class of a process that compiles a model. */
    static final class Elsewhere {
        public static void main(String[] args) {
            try (Engine engine =
                    Engine.create(EngineOptions.builder().threads(1).build())) {
                engine.compiler(CompileOptions.defaults())
                        .compile(ModelInput.file(Path.of(args[0])), ModelOutput.file(Path.of(args[1])));
                System.out.println("compiled");
            }
        }
    }

    private static float number(MatchResult found) {
        return Float.parseFloat(found.group(1));
    }

    private static float sum(String answer) {
        return Float.parseFloat(answer.substring(0, answer.indexOf('/')));
    }

    private static String bits(MatchResult found) {
        return found.group(2);
    }

    /**
     * Weights of all types, whose packing differs from that of fp32: answers equal, to the bit,
     * those of the source compiled there.
     */
    @ParameterizedTest
    @CsvSource({
        "FLOAT, vector_api",
        "FLOAT, plain",
        "INT8, vector_api",
        "INT8, plain",
        "UINT8, avx2",
        "FLOAT16, vector_api",
        "FLOAT16, avx2",
        "BFLOAT16, vector_api",
        "BFLOAT16, plain"
    })
    void whatElseIsPackedAnswersAsItsSourceDoesThere(ElementType weights, String level)
            throws IOException, InterruptedException {
        boolean transformed = weights == ElementType.FLOAT;
        Files.write(source, transformed ? TestModels.convolution() : TestModels.product(weights, WIDTH, WIDTH + 3));
        compile("false");
        String said = elsewhere(level);
        assertThat(said).contains("PREFER_RECOMPILATION", "Recompilation recommended");
        String answer = ANSWERS.matcher(said)
                .results()
                .map(OtherMachineIT::bits)
                .findFirst()
                .orElse("none");
        assertThat(OF_SOURCE.matcher(said).results().map(OtherMachineIT::bits))
                .singleElement()
                .isEqualTo(answer);
    }
}
