package dev.millrace.spring.ai;

import dev.millrace.text.Pooling;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.document.MetadataMode;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the embedding model, besides those of its session, which have the same prefix.
 *
 * @param session Name of a session of millrace.sessions that computes the embeddings, in place of millrace.embedding.model.
 * @param tokenizer Path or location of tokenizer.json; beside the model by default.
 * @param pooling Way from the vectors of tokens to the vector of a text.
 * @param normalise Whether vectors have length one.
 * @param output Name of the output of the model; the first one by default.
 * @param maxTokens Tokens after which a text is cut; 0 for the number in tokenizer.json.
 * @param partTokens Tokens of the parts in which long texts are embedded whole, as the mean of their parts; 0 for one part.
 * @param metadataMode Metadata of documents that are embedded with their text.
 */
@ConfigurationProperties("millrace.embedding")
public record EmbeddingProperties(
        @Nullable String session,
        @Nullable String tokenizer,
        @DefaultValue("MEAN") Pooling pooling,
        @DefaultValue("true") boolean normalise,
        @Nullable String output,
        @DefaultValue("0") int maxTokens,
        @DefaultValue("0") int partTokens,
        @DefaultValue("NONE") MetadataMode metadataMode) {
    public EmbeddingProperties {
        TextSession.count(maxTokens, "max-tokens");
        TextSession.count(partTokens, "part-tokens");
    }
}
