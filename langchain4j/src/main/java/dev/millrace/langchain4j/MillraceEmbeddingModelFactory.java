package dev.millrace.langchain4j;

import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.spi.model.embedding.EmbeddingModelFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The embedding model for programs that name none, such as Easy RAG. The system property {@code millrace.embedding.model} is the path of a
 * model or of its folder. {@code tokenizer.json} lies beside the model, unless {@code millrace.embedding.tokenizer} says where.
 */
public final class MillraceEmbeddingModelFactory implements EmbeddingModelFactory {
    private static final String MODEL = "millrace.embedding.model";
    private static final String TOKENIZER = "millrace.embedding.tokenizer";

    @Override
    public EmbeddingModel create() {
        String model = System.getProperty(MODEL);
        if (model == null) {
            throw new IllegalStateException("Set the system property " + MODEL
                    + " to the path of an embedding model or of its folder, or pass an EmbeddingModel to the builder");
        }
        Path path = Path.of(model);
        if (Files.isDirectory(path)) {
            return MillraceEmbeddingModel.open(path);
        }
        String tokenizer = System.getProperty(TOKENIZER);
        return MillraceEmbeddingModel.open(
                path, tokenizer == null ? path.resolveSibling("tokenizer.json") : Path.of(tokenizer));
    }
}
