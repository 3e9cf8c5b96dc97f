package dev.millrace.spring.ai;

import dev.millrace.pipelines.text.CrossEncoder;
import dev.millrace.spring.boot.MillraceAutoConfiguration;
import dev.millrace.spring.boot.MillraceSessions;
import org.springframework.ai.rag.postretrieval.document.DocumentPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.ResourceLoader;

/** Configures the cross-encoder of the properties {@code millrace.rerank}, and a document processor for retrieval if Spring AI has these. */
@AutoConfiguration(after = MillraceAutoConfiguration.class)
@Conditional(OnModel.Rerank.class)
@EnableConfigurationProperties(RerankProperties.class)
public final class MillraceRerankAutoConfiguration {
    static final String PREFIX = "millrace.rerank";

    @Bean
    @ConditionalOnMissingBean
    CrossEncoder millraceCrossEncoder(
            RerankProperties properties, MillraceSessions sessions, ResourceLoader resources) {
        TextSession opened =
                TextSession.open(sessions, resources, PREFIX, properties.session(), properties.tokenizer());
        return CrossEncoder.of(opened.inference(), opened.cutTo(properties.maxTokens()));
    }

    /** The processor of documents, for programs with Spring AI's retrieval. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(DocumentPostProcessor.class)
    static class Retrieval {
        @Bean
        @ConditionalOnMissingBean
        MillraceDocumentReranker millraceDocumentReranker(CrossEncoder encoder, RerankProperties properties) {
            MillraceDocumentReranker all = MillraceDocumentReranker.of(encoder);
            return properties.keep() > 0 ? all.keeping(properties.keep()) : all;
        }
    }
}
