package dev.millrace.bench.suite;

import dev.millrace.bench.nets.MobileNet;
import dev.millrace.bench.nets.WeightDraw;
import dev.millrace.cli.model.UsualShapes;
import dev.millrace.codegen.code.KernelLevel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A model that has to answer as the plain provider does at each level.
 *
 * @param most the largest distance between two numbers, relative to the largest of their output
 */
record LevelCase(String name, SuiteModel model, Map<String, long[]> shapes, double most) {
    private static final double FLOATS = 1e-4;
    /** A last bit before it decides what a number is rounded to, which is a part of 255. */
    private static final double BYTES = 0.05;

    /** The small cases, and the large ones where they are wanted; else the smallest ones where a level is slow. */
    static List<LevelCase> of(KernelLevel level, boolean withLarge) {
        var all = new ArrayList<>(smallest());
        if (withLarge || level.emitsMachineCode()) {
            all.addAll(small());
        }
        if (withLarge) {
            all.addAll(large());
        }
        return all;
    }

    private static List<LevelCase> smallest() {
        ModelSources sources = ModelSources.of(light());
        return List.of(
                floats("Silero VAD", sources.known("silero-vad"), Map.of()),
                floats("PP-OCR direction", sources.known("ppocr-cls"), Map.of()),
                floats("BlazeFace", sources.known("blazeface"), Map.of()),
                floats("mel spectrogram", sources.known("melspectrogram"), Map.of()));
    }

    private static List<LevelCase> small() {
        ModelSources sources = ModelSources.of(light());
        return List.of(
                floats("MiniLM 2x3", sources.known("minilm"), UsualShapes.tokens(2, 3)),
                new LevelCase("MiniLM int8 1x3", sources.known("minilm-int8"), UsualShapes.tokens(1, 3), BYTES),
                floats("PP-OCR detection 64x96", sources.known("ppocr-det"), UsualShapes.images(1, 64, 96)),
                floats("PP-OCR recognition 48x64", sources.known("ppocr-rec"), UsualShapes.images(1, 48, 64)),
                floats("speech embedding", sources.known("speech-embedding"), Map.of()));
    }

    private static List<LevelCase> large() {
        ModelSources sources = ModelSources.of(light());
        var all = new ArrayList<>(List.of(
                floats("MiniLM 1x128", sources.known("minilm"), UsualShapes.tokens(1, 128)),
                floats("PP-OCR detection 320x320", sources.known("ppocr-det"), UsualShapes.images(1, 320, 320)),
                floats("PP-OCR recognition 48x320", sources.known("ppocr-rec"), UsualShapes.images(1, 48, 320)),
                floats("M-LSD tiny 320", sources.known("mlsd"), Map.of()),
                floats(
                        "MobileNet v2 blocks",
                        sources.built("mobilenet-1", () -> MobileNet.floats(WeightDraw.EVEN)),
                        Map.of()),
                new LevelCase(
                        "MobileNet v2 blocks QDQ",
                        sources.built("mobilenet-qdq-1", () -> MobileNet.quantised(WeightDraw.EVEN)),
                        Map.of(),
                        BYTES),
                new LevelCase(
                        "MobileNet v2 blocks QDQ by tensor",
                        sources.built("mobilenet-qdq-bell-1", () -> MobileNet.quantised(WeightDraw.BELL)),
                        Map.of(),
                        BYTES)));
        for (String name : List.of(
                "bvlc_alexnet",
                "densenet121",
                "inception_v1",
                "inception_v2",
                "resnet50",
                "shufflenet",
                "squeezenet",
                "vgg19",
                "zfnet512")) {
            all.add(floats(name, RandomWeights.in(sources.light(name)), Map.of()));
        }
        return all;
    }

    private static LevelCase floats(String name, SuiteModel model, Map<String, long[]> shapes) {
        return new LevelCase(name, model, shapes, FLOATS);
    }

    /** The folder of the light models, beside the checkout or a folder around it. */
    private static Path light() {
        for (Path place = Path.of("").toAbsolutePath(); place != null; place = place.getParent()) {
            Path folder = place.resolve("shared").resolve("onnx-data").resolve("light");
            if (Files.isDirectory(folder)) {
                return folder;
            }
        }
        return ModelSources.USUAL_LIGHT;
    }
}
