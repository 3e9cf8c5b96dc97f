package dev.millrace.onnxruntime.programs;

import dev.langchain4j.data.embedding.Embedding;
import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import java.util.List;
import java.util.stream.Stream;

/** Vectors of a short, a middle and a long text, by one of LangChain4j's in-process models. */
final class Embeddings {
    private static final List<TextSegment> SEGMENTS = Stream.of(
                    "A cat sits on the mat.",
                    "An undershot wheel turns where water flows below it, and an overshot wheel where water falls on"
                            + " it.",
                    "stream of words ".repeat(200))
            .map(TextSegment::from)
            .toList();

    private Embeddings() {}

    static Program of(EmbeddingModel model) {
        return () -> {
            List<Embedding> embeddings = model.embedAll(SEGMENTS).content();
            int length = embeddings.getFirst().dimension();
            float[] all = new float[embeddings.size() * length];
            for (int i = 0; i < embeddings.size(); i++) {
                System.arraycopy(embeddings.get(i).vector(), 0, all, i * length, length);
            }
            return all;
        };
    }
}
