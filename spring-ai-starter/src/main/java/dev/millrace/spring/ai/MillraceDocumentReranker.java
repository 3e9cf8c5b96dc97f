package dev.millrace.spring.ai;

import dev.millrace.pipelines.text.CrossEncoder;
import dev.millrace.pipelines.text.RankedText;
import java.util.List;
import java.util.Objects;
import org.springframework.ai.document.Document;
import org.springframework.ai.rag.Query;
import org.springframework.ai.rag.postretrieval.document.DocumentPostProcessor;

/**
 * Orders retrieved documents by their relevance to the query, as a cross-encoder scores them, and leaves out those beyond a number.
 * Thread-safe.
 */
public final class MillraceDocumentReranker implements DocumentPostProcessor {
    private final CrossEncoder encoder;
    private final int most;

    private MillraceDocumentReranker(CrossEncoder encoder, int most) {
        this.encoder = encoder;
        this.most = most;
    }

    /**
     * Creates a processor that keeps all documents.
     *
     * @param encoder a model whose logits are the scores
     */
    public static MillraceDocumentReranker of(CrossEncoder encoder) {
        return new MillraceDocumentReranker(encoder, Integer.MAX_VALUE);
    }

    /** Returns this processor for the most relevant documents alone. */
    public MillraceDocumentReranker keeping(int documents) {
        if (documents < 1) {
            throw new IllegalArgumentException("At least one document is kept, not " + documents);
        }
        return new MillraceDocumentReranker(encoder, documents);
    }

    @Override
    public List<Document> process(Query query, List<Document> documents) {
        if (documents.isEmpty()) {
            return documents;
        }
        List<String> texts = documents.stream()
                .map(document -> Objects.requireNonNullElse(document.getText(), ""))
                .toList();
        return encoder.rank(query.text(), texts).stream()
                .limit(most)
                .map(ranked -> scored(documents.get(ranked.index()), ranked))
                .toList();
    }

    private static Document scored(Document document, RankedText ranked) {
        return document.mutate().score(ranked.score()).build();
    }
}
