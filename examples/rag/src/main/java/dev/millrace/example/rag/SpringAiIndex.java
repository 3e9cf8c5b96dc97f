package dev.millrace.example.rag;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.transformers.TransformersEmbeddingModel;
import org.springframework.ai.vectorstore.SearchRequest;
import org.springframework.ai.vectorstore.SimpleVectorStore;
import org.springframework.core.io.FileSystemResource;

/** An index with Spring AI's store in memory. */
record SpringAiIndex(SimpleVectorStore store) implements PassageIndex {
    SpringAiIndex(EmbeddingModel model) {
        this(SimpleVectorStore.builder(model).build());
    }

    /** Creates an index with Spring AI's own model, over ONNX Runtime and PyTorch or over what takes their place on the class path. */
    static PassageIndex withOwnModel(Path folder) throws Exception {
        var model = new TransformersEmbeddingModel();
        model.setModelResource(new FileSystemResource(folder.resolve("model.onnx")));
        model.setTokenizerResource(new FileSystemResource(folder.resolve("tokenizer.json")));
        model.setTokenizerOptions(Map.of("padding", "true"));
        model.setDisableCaching(true);
        model.afterPropertiesSet();
        return new SpringAiIndex(model);
    }

    @Override
    public void add(List<String> passages) {
        store.add(passages.stream().map(Document::new).toList());
    }

    @Override
    public List<String> find(String question, int most) {
        var request = SearchRequest.builder().query(question).topK(most).build();
        return store.similaritySearch(request).stream()
                .map(document -> Objects.requireNonNull(document.getText()))
                .toList();
    }
}
