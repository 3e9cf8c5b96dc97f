package dev.millrace.bench.suite;

import dev.millrace.bench.nets.DecoderNet;
import dev.millrace.bench.nets.MobileNet;
import dev.millrace.bench.nets.WeightDraw;
import dev.millrace.cli.model.UsualShapes;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The cases of the suite. */
final class SuiteCases {
    private static final String MINILM = "minilm";
    private static final int PAST = 127;

    private final ModelSources sources;
    private final List<SuiteCase> cases = new ArrayList<>();

    private SuiteCases(ModelSources sources) {
        this.sources = sources;
    }

    static List<SuiteCase> all(ModelSources sources) {
        var suite = new SuiteCases(sources);
        suite.addFloats();
        suite.addBytes();
        suite.addHalfBytes();
        return suite.cases;
    }

    private void addFloats() {
        for (long[] tokens : new long[][] {{1, 8}, {1, 32}, {1, 128}, {1, 512}, {8, 128}}) {
            addFloats(
                    "MiniLM " + tokens[0] + "×" + tokens[1],
                    sources.known(MINILM),
                    UsualShapes.tokens(tokens[0], tokens[1]));
        }
        addFloats("Silero VAD v5", sources.known("silero-vad"), Map.of());
        addFloats("PP-OCR detection 640×640", sources.known("ppocr-det"), UsualShapes.images(1, 640, 640));
        addFloats("PP-OCR recognition 48×320", sources.known("ppocr-rec"), UsualShapes.images(1, 48, 320));
        addFloats("PP-OCR direction", sources.known("ppocr-cls"), Map.of());
        addFloats("BlazeFace", sources.known("blazeface"), Map.of());
        addFloats("M-LSD tiny 320", sources.known("mlsd"), Map.of());
        addFloats("speech embedding", sources.known("speech-embedding"), Map.of());
        addFloats("mel spectrogram 1 s", sources.known("melspectrogram"), Map.of("input", new long[] {1, 16000}));
        for (String name : List.of("resnet50", "squeezenet", "shufflenet", "densenet121", "inception_v2")) {
            addFloats(name, sources.light(name), Map.of());
        }
        addFloats("MobileNet v2 blocks", floatMobileNet(), Map.of());
    }

    private void addFloats(String name, SuiteModel model, Map<String, long[]> shapes) {
        cases.add(new SuiteCase(Group.FP32, name, model, shapes, null));
    }

    private void addBytes() {
        for (long length : new long[] {8, 32, 128}) {
            cases.add(new SuiteCase(
                    Group.INT8,
                    "MiniLM int8 1×" + length,
                    sources.known("minilm-int8"),
                    UsualShapes.tokens(1, length),
                    sources.known(MINILM)));
        }
        SuiteModel even = sources.built("mobilenet-qdq-1", () -> MobileNet.quantised(WeightDraw.EVEN));
        cases.add(new SuiteCase(Group.INT8, "MobileNet v2 blocks QDQ", even, Map.of(), floatMobileNet()));
        SuiteModel bell = sources.built("mobilenet-qdq-bell-1", () -> MobileNet.quantised(WeightDraw.BELL));
        SuiteModel exact = sources.built("mobilenet-bell-1", () -> MobileNet.floats(WeightDraw.BELL));
        cases.add(new SuiteCase(Group.INT8, "MobileNet v2 blocks QDQ by tensor", bell, Map.of(), exact));
    }

    private SuiteModel floatMobileNet() {
        return sources.built("mobilenet-1", () -> MobileNet.floats(WeightDraw.EVEN));
    }

    private void addHalfBytes() {
        Map<String, long[]> shapes = DecoderNet.shapes(PAST);
        SuiteModel plain = sources.built("decoder-1", () -> DecoderNet.bytes(0));
        SuiteModel coarse = sources.built("decoder-level4-1", () -> DecoderNet.bytes(4));
        cases.add(new SuiteCase(Group.INT4, "decoder, 128th token", plain, shapes, null));
        cases.add(new SuiteCase(Group.INT4, "decoder, 128th token, accuracy level 4", coarse, shapes, plain));
    }
}
