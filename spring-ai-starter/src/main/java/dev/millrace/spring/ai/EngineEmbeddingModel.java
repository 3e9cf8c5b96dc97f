package dev.millrace.spring.ai;

import dev.millrace.text.Embedder;
import dev.millrace.text.Tokenizer;
import io.micrometer.observation.ObservationRegistry;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.ai.chat.metadata.DefaultUsage;
import org.springframework.ai.chat.metadata.EmptyUsage;
import org.springframework.ai.chat.metadata.Usage;
import org.springframework.ai.document.Document;
import org.springframework.ai.document.MetadataMode;
import org.springframework.ai.embedding.Embedding;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.embedding.EmbeddingResponseMetadata;
import org.springframework.ai.embedding.observation.DefaultEmbeddingModelObservationConvention;
import org.springframework.ai.embedding.observation.EmbeddingModelObservationContext;
import org.springframework.ai.embedding.observation.EmbeddingModelObservationConvention;
import org.springframework.ai.embedding.observation.EmbeddingModelObservationDocumentation;

/** An embedding model. Texts of similar length share runs of the model. The embedder stays the caller's. Thread-safe. */
public final class EngineEmbeddingModel implements EmbeddingModel {
    private static final String DIMENSION_TEXT = "dimension";

    private final Embedder embedder;
    private final @Nullable Tokenizer tokenizer;
    private final String name;
    private final MetadataMode metadataMode;
    private final ObservationRegistry registry;
    private final EmbeddingModelObservationConvention convention;
    private volatile int dimensions;

    private EngineEmbeddingModel(Builder builder) {
        this.embedder = builder.embedder;
        this.tokenizer = builder.tokenizer == null ? null : builder.tokenizer.unbounded();
        this.name = builder.name;
        this.metadataMode = builder.metadataMode;
        this.registry = builder.registry;
        this.convention = builder.convention;
    }

    /** Returns a builder of a model of an embedder, which may stand around a batched or replaceable session. */
    public static Builder builder(Embedder embedder) {
        return new Builder(embedder);
    }

    @Override
    public EmbeddingResponse call(EmbeddingRequest request) {
        EmbeddingModelObservationContext context = EmbeddingModelObservationContext.builder()
                .embeddingRequest(request)
                .provider(ObservedModels.PROVIDER)
                .build();
        return EmbeddingModelObservationDocumentation.EMBEDDING_MODEL_OPERATION
                .observation(convention, new DefaultEmbeddingModelObservationConvention(), () -> context, registry)
                .observe(() -> {
                    EmbeddingResponse response = respond(request.getInstructions(), request.getOptions());
                    context.setResponse(response);
                    return response;
                });
    }

    private EmbeddingResponse respond(List<String> texts, @Nullable EmbeddingOptions options) {
        requireDimensions(options);
        List<float[]> vectors = embedder.embedAll(texts);
        var embeddings = new ArrayList<Embedding>(vectors.size());
        for (int i = 0; i < vectors.size(); i++) {
            embeddings.add(new Embedding(vectors.get(i), i));
        }
        return new EmbeddingResponse(embeddings, new EmbeddingResponseMetadata(name, usage(texts)));
    }

    private void requireDimensions(@Nullable EmbeddingOptions options) {
        Integer wanted = options == null ? null : options.getDimensions();
        if (wanted != null && wanted != dimensions()) {
            throw new IllegalArgumentException(
                    "Model '" + name + "' has vectors of " + dimensions() + " numbers, not " + wanted);
        }
    }

    private Usage usage(List<String> texts) {
        if (tokenizer == null) {
            return new EmptyUsage();
        }
        int tokens = texts.stream()
                .mapToInt(text -> tokenizer.tokens(text).size() + tokenizer.specialTokens(false))
                .sum();
        return new DefaultUsage(tokens, 0);
    }

    @Override
    public float[] embed(Document document) {
        return embed(getEmbeddingContent(document));
    }

    @Override
    public String getEmbeddingContent(Document document) {
        return document.getFormattedContent(metadataMode);
    }

    @Override
    public int dimensions() {
        int known = dimensions;
        if (known == 0) {
            known = embedder.embed(DIMENSION_TEXT).length;
            dimensions = known;
        }
        return known;
    }

    /** A builder of an embedding model. */
    public static final class Builder {
        private final Embedder embedder;
        private @Nullable Tokenizer tokenizer;
        private String name = ObservedModels.PROVIDER;
        private MetadataMode metadataMode = MetadataMode.NONE;
        private ObservationRegistry registry = ObservationRegistry.NOOP;
        private EmbeddingModelObservationConvention convention = new DefaultEmbeddingModelObservationConvention();

        private Builder(Embedder embedder) {
            this.embedder = embedder;
        }

        /** Sets the tokenizer that counts the tokens of a request. Without it the usage is empty. */
        public Builder tokenizer(@Nullable Tokenizer value) {
            tokenizer = value;
            return this;
        }

        /** Sets the name of the model in responses. */
        public Builder name(String value) {
            name = value;
            return this;
        }

        /** Sets the metadata of documents that are embedded with their text; none by default. */
        public Builder metadataMode(MetadataMode value) {
            metadataMode = value;
            return this;
        }

        /** Sets the registry of observations. */
        public Builder observationRegistry(ObservationRegistry value) {
            registry = value;
            return this;
        }

        /** Sets the names and keys of observations. */
        public Builder observationConvention(EmbeddingModelObservationConvention value) {
            convention = value;
            return this;
        }

        public EngineEmbeddingModel build() {
            return new EngineEmbeddingModel(this);
        }
    }
}
