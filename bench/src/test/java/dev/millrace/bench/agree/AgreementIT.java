package dev.millrace.bench.agree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import ai.onnxruntime.OrtSession.SessionOptions.OptLevel;
import dev.millrace.bench.compare.Answers;
import dev.millrace.bench.compare.Millrace;
import dev.millrace.bench.compare.OnnxRuntime;
import dev.millrace.cli.ModelArgument;
import dev.millrace.cli.model.InputMaker;
import dev.millrace.cli.model.ModelCatalog;
import dev.millrace.cli.model.UsualShapes;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.State;
import dev.millrace.session.StatefulSession;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Tests that real models give ONNX Runtime's answers in five shapes each, optimised and not, and
 * over hundreds of frames with state.
 */
@Tag("reference")
@Tag("slow")
class AgreementIT {
    private static final double FLOATS = 1e-4;
    /** The tolerance of quantised models: one last bit decides the rounding to a step of 1/255. */
    private static final double BYTES = 0.05;
    /**
     * The tolerance of peaks: a peak equals the largest score around it, and among equal neighbours
     * one last bit decides which one it is.
     */
    private static final double PEAKS = 1e-3;

    private static final int FRAMES = 300;
    private static final int SAMPLES = 512;

    /**
     * A model and its inputs.
     *
     * @param most the largest distance between two numbers, relative to the largest of their output
     * @param reference the optimisation level of ONNX Runtime: its answers change with it where it computes with bytes
     * @param pictures whether its inputs are images: if a detector finds nothing, all numbers are nearly 0, and
     *     the largest of them tells little
     * @param shapes the shapes of each run, by input
     */
    record Real(String name, double most, OptLevel reference, boolean pictures, List<Map<String, long[]>> shapes) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Two extents of an input for the run of each shape. */
    private record Pair(long first, long second) {}

    private static Real floats(String name, List<Map<String, long[]>> shapes) {
        return new Real(name, FLOATS, OptLevel.ALL_OPT, false, shapes);
    }

    private static Real detector(String name, double most, List<Map<String, long[]>> shapes) {
        return new Real(name, most, OptLevel.ALL_OPT, true, shapes);
    }

    private static Pair by(long first, long second) {
        return new Pair(first, second);
    }

    private static List<Map<String, long[]>> tokens(Pair... batches) {
        return Arrays.stream(batches)
                .map(batch -> UsualShapes.tokens(batch.first, batch.second))
                .toList();
    }

    private static List<Map<String, long[]>> images(int batch, Pair... sizes) {
        return Arrays.stream(sizes)
                .map(size -> UsualShapes.images(batch, size.first, size.second))
                .toList();
    }

    private static List<Map<String, long[]>> both(List<Map<String, long[]>> some, List<Map<String, long[]>> more) {
        return Stream.concat(some.stream(), more.stream()).toList();
    }

    /** Returns runs without shapes: models of fixed shape get other numbers each time. */
    private static List<Map<String, long[]>> fixed() {
        return List.of(Map.of(), Map.of(), Map.of(), Map.of(), Map.of());
    }

    private static List<Map<String, long[]>> firstInput(String name, long[]... shapes) {
        return Arrays.stream(shapes).map(shape -> Map.of(name, shape)).toList();
    }

    private static List<Map<String, long[]>> voices() {
        return Stream.of(1L, 2L, 3L, 7L, 16L)
                .map(voices -> Map.of("input", new long[] {voices, SAMPLES}, "state", new long[] {2, voices, 128}))
                .toList();
    }

    static List<Real> models() {
        return List.of(
                floats("minilm", tokens(by(1, 1), by(1, 7), by(1, 128), by(3, 33), by(8, 16))),
                new Real(
                        "minilm-int8",
                        BYTES,
                        OptLevel.NO_OPT,
                        false,
                        tokens(by(1, 1), by(1, 7), by(1, 128), by(3, 33), by(8, 16))),
                floats("silero-vad", voices()),
                detector(
                        "ppocr-det",
                        FLOATS,
                        both(images(1, by(32, 32), by(64, 96), by(320, 320)), images(2, by(96, 64), by(160, 32)))),
                floats(
                        "ppocr-rec",
                        both(images(1, by(48, 64), by(48, 101), by(48, 320)), images(3, by(48, 96), by(48, 160)))),
                floats(
                        "ppocr-cls",
                        both(images(1, by(48, 192), by(48, 96), by(64, 128)), images(4, by(48, 192), by(48, 320)))),
                floats("blazeface", fixed()),
                detector("mlsd", PEAKS, fixed()),
                floats(
                        "speech-embedding",
                        firstInput(
                                "input_1",
                                new long[] {1, 76, 32, 1},
                                new long[] {2, 76, 32, 1},
                                new long[] {3, 76, 32, 1},
                                new long[] {7, 76, 32, 1},
                                new long[] {16, 76, 32, 1})),
                floats(
                        "melspectrogram",
                        firstInput(
                                "input",
                                new long[] {1, 512},
                                new long[] {1, 1760},
                                new long[] {1, 3001},
                                new long[] {2, 1280},
                                new long[] {1, 16000})));
    }

    private static ModelArgument model(String name) {
        try {
            return ModelArgument.of(name);
        } catch (EngineException e) {
            return abort("model " + name + " cannot be fetched here: " + e.getMessage());
        }
    }

    private static SessionOptions options(Level level) {
        return SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(level).build())
                .build();
    }

    @Test
    void allModelsOfTheCatalogueAreCompared() {
        assertThat(models().stream().map(Real::name))
                .containsExactlyInAnyOrderElementsOf(
                        ModelCatalog.all().stream().map(known -> known.name()).toList());
        assertThat(models()).allSatisfy(model -> assertThat(model.shapes()).hasSize(5));
    }

    @ParameterizedTest
    @MethodSource("models")
    void theAnswersAgree(Real real) throws Exception {
        ModelArgument model = model(real.name());
        var wrong = new ArrayList<String>();
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                var plain = new Millrace(engine, model.file(), options(Level.DISABLED));
                var optimised = new Millrace(engine, model.file(), options(Level.ALL));
                var onnxRuntime = new OnnxRuntime(model.file(), 1, real.reference())) {
            plain.create();
            optimised.create();
            onnxRuntime.create();
            for (int i = 0; i < real.shapes().size(); i++) {
                Map<String, long[]> shapes = real.shapes().get(i);
                Inputs made = new InputMaker(model.known(), shapes, i + 1).make(plain.inputs());
                Inputs inputs = real.pictures() ? shown(made, i + 1) : made;
                Map<String, Tensor> expected = onnxRuntime.answer(inputs);
                for (Millrace ours : List.of(plain, optimised)) {
                    double off = Answers.relativeDiff(ours.answer(inputs), expected);
                    if (!(off <= real.most())) {
                        wrong.add((ours == plain ? "plain, " : "optimised, ") + inputs + ": off by " + off);
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    private static Inputs shown(Inputs inputs, long seed) {
        var shown = Inputs.empty();
        inputs.asMap().forEach((name, datum) -> shown.and(name, Pictures.of(((Tensor) datum).shape(), seed)));
        return shown;
    }

    /** State that is carried from frame to frame would make differences grow. */
    @ParameterizedTest
    @EnumSource(
            value = Level.class,
            names = {"DISABLED", "ALL"})
    void aVoiceIsHeardAsByOnnxRuntimeFrameAfterFrame(Level level) throws Exception {
        ModelArgument model = model("silero-vad");
        var random = new SplittableRandom(7);
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                Session session = engine.session(model.file(), options(level));
                StatefulSession detector = session.stateful(State.carry("stateN", "state"));
                var onnxRuntime = new OnnxRuntime(model.file(), 1, OptLevel.ALL_OPT)) {
            onnxRuntime.create();
            Tensor state = Tensor.copyOf(new float[2 * 128], 2, 1, 128);
            for (int frame = 0; frame < FRAMES; frame++) {
                Inputs inputs = Inputs.of("input", sound(random, frame)).and("sr", Tensor.scalar(16_000L));
                Map<String, Tensor> expected =
                        onnxRuntime.answer(Inputs.of(inputs.asMap()).and("state", state));
                state = Objects.requireNonNull(expected.get("stateN"));
                try (Outputs heard = detector.sequence("voice").run(inputs)) {
                    assertThat(Answers.relativeDiff(
                                    Map.of("output", heard.get("output")),
                                    Map.of("output", Objects.requireNonNull(expected.get("output")))))
                            .as("speech in frame %d", frame)
                            .isLessThanOrEqualTo(FLOATS);
                }
            }
        }
    }

    /** Returns noise under a tone, both of which come and go. */
    private static Tensor sound(SplittableRandom random, int frame) {
        float[] samples = new float[SAMPLES];
        double loud = Math.abs(Math.sin(frame / 20.0));
        for (int i = 0; i < SAMPLES; i++) {
            double tone = Math.sin((frame * SAMPLES + i) * 2 * Math.PI * 180 / 16_000);
            samples[i] = (float) (loud * 0.6 * tone + 0.2 * (random.nextDouble() - 0.5));
        }
        return Tensor.copyOf(samples, 1, SAMPLES);
    }
}
