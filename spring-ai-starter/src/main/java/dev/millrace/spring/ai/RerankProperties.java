package dev.millrace.spring.ai;

import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the model that reranks documents, besides those of its session, which have the same prefix.
 *
 * @param session Name of a session of millrace.sessions that scores, in place of millrace.rerank.model.
 * @param tokenizer Path or location of tokenizer.json; beside the model by default.
 * @param maxTokens Tokens after which a pair of texts is cut; 0 for the number in tokenizer.json.
 * @param keep Documents that the document processor keeps; 0 for all.
 */
@ConfigurationProperties("millrace.rerank")
public record RerankProperties(
        @Nullable String session,
        @Nullable String tokenizer,
        @DefaultValue("0") int maxTokens,
        @DefaultValue("0") int keep) {
    public RerankProperties {
        TextSession.count(maxTokens, "max-tokens");
        TextSession.count(keep, "keep");
    }
}
