package dev.millrace.spring.ai;

import dev.millrace.spring.boot.MillraceAutoConfiguration;
import dev.millrace.spring.boot.MillraceSessions;
import dev.millrace.text.Embedder;
import io.micrometer.observation.ObservationRegistry;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.observation.EmbeddingModelObservationConvention;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.AutoConfigureOrder;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.Ordered;
import org.springframework.core.io.ResourceLoader;

/** Configures the embedding model of the properties {@code millrace.embedding}, unless there is another one. */
@AutoConfiguration(after = MillraceAutoConfiguration.class)
@AutoConfigureOrder(Ordered.LOWEST_PRECEDENCE)
@Conditional(OnModel.Embedding.class)
@ConditionalOnMissingBean(EmbeddingModel.class)
@EnableConfigurationProperties(EmbeddingProperties.class)
public final class MillraceEmbeddingAutoConfiguration {
    static final String PREFIX = "millrace.embedding";

    @Bean
    EngineEmbeddingModel millraceEmbeddingModel(
            EmbeddingProperties properties,
            MillraceSessions sessions,
            ResourceLoader resources,
            ObjectProvider<ObservationRegistry> registry,
            ObjectProvider<EmbeddingModelObservationConvention> convention) {
        TextSession opened =
                TextSession.open(sessions, resources, PREFIX, properties.session(), properties.tokenizer());
        EngineEmbeddingModel.Builder model = EngineEmbeddingModel.builder(
                        opened.used(PREFIX, () -> embedder(opened, properties)))
                .tokenizer(opened.tokenizer())
                .name(opened.name())
                .metadataMode(properties.metadataMode());
        registry.ifUnique(model::observationRegistry);
        convention.ifUnique(model::observationConvention);
        return model.build();
    }

    private static Embedder embedder(TextSession opened, EmbeddingProperties properties) {
        Embedder embedder = Embedder.of(opened.inference(), opened.cutTo(properties.maxTokens()))
                .pooling(properties.pooling())
                .normalising(properties.normalise());
        String output = properties.output();
        if (output != null) {
            embedder = embedder.output(output);
        }
        return properties.partTokens() > 0 ? embedder.inParts(properties.partTokens()) : embedder;
    }
}
