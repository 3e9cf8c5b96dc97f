package dev.millrace.onnxruntime.programs;

import dev.langchain4j.model.embedding.onnx.allminilml6v2.AllMiniLmL6V2EmbeddingModel;
import dev.langchain4j.model.embedding.onnx.allminilml6v2q.AllMiniLmL6V2QuantizedEmbeddingModel;
import dev.langchain4j.model.embedding.onnx.bgesmallenv15q.BgeSmallEnV15QuantizedEmbeddingModel;
import dev.langchain4j.model.embedding.onnx.e5smallv2q.E5SmallV2QuantizedEmbeddingModel;

/** The programs. */
enum KnownProgram {
    LANGCHAIN4J_MINILM("LangChain4j all-MiniLM-L6-v2", true, () -> Embeddings.of(new AllMiniLmL6V2EmbeddingModel())),
    LANGCHAIN4J_MINILM_INT8(
            "LangChain4j all-MiniLM-L6-v2 int8",
            false,
            () -> Embeddings.of(new AllMiniLmL6V2QuantizedEmbeddingModel())),
    LANGCHAIN4J_BGE_INT8(
            "LangChain4j BGE small int8", false, () -> Embeddings.of(new BgeSmallEnV15QuantizedEmbeddingModel())),
    LANGCHAIN4J_E5_INT8(
            "LangChain4j E5 small int8", false, () -> Embeddings.of(new E5SmallV2QuantizedEmbeddingModel())),
    TRIBUO("Tribuo ONNXExternalModel", true, TribuoLabels::new),
    DJL("DJL engine OnnxRuntime", true, DjlClasses::new),
    DIGITS("classification of images by the documentation", true, DigitClassifier::new),
    SILERO("Silero VAD, plain Java", true, HubPrograms::voice),
    OCR("PP-OCR, plain Java", true, HubPrograms::page);

    private final String title;
    private final boolean isExact;
    private final Program.Maker maker;

    KnownProgram(String title, boolean isExact, Program.Maker maker) {
        this.title = title;
        this.isExact = isExact;
        this.maker = maker;
    }

    /** The name of the program in tables. */
    String title() {
        return title;
    }

    /** Whether answers are near each other in each number; those of dynamically quantised models point in one direction. */
    boolean isExact() {
        return isExact;
    }

    Program make() throws Exception {
        return maker.make();
    }
}
