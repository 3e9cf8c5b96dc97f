package dev.millrace.example.rag;

import dev.langchain4j.data.segment.TextSegment;
import dev.langchain4j.model.embedding.EmbeddingModel;
import dev.langchain4j.model.embedding.onnx.allminilml6v2.AllMiniLmL6V2EmbeddingModel;
import dev.langchain4j.rag.content.retriever.EmbeddingStoreContentRetriever;
import dev.langchain4j.rag.query.Query;
import dev.langchain4j.store.embedding.inmemory.InMemoryEmbeddingStore;
import dev.millrace.langchain4j.MillraceEmbeddingModel;
import java.nio.file.Path;
import java.util.List;

/** An index with LangChain4j's store in memory. */
record LangChain4jIndex(EmbeddingModel model, InMemoryEmbeddingStore<TextSegment> store) implements PassageIndex {
    LangChain4jIndex(EmbeddingModel model) {
        this(model, new InMemoryEmbeddingStore<>());
    }

    /** Creates an index with LangChain4j's own model, over ONNX Runtime or over what takes its place on the class path. */
    static PassageIndex withOwnModel() {
        return new LangChain4jIndex(new AllMiniLmL6V2EmbeddingModel());
    }

    /** Creates an index with this engine's model, which ends with the process. */
    static PassageIndex withMillrace(Path folder) {
        return new LangChain4jIndex(MillraceEmbeddingModel.open(folder));
    }

    @Override
    public void add(List<String> passages) {
        List<TextSegment> segments = passages.stream().map(TextSegment::from).toList();
        store.addAll(model.embedAll(segments).content(), segments);
    }

    @Override
    public List<String> find(String question, int most) {
        var retriever = EmbeddingStoreContentRetriever.builder()
                .embeddingStore(store)
                .embeddingModel(model)
                .maxResults(most)
                .build();
        return retriever.retrieve(Query.from(question)).stream()
                .map(content -> content.textSegment().text())
                .toList();
    }
}
