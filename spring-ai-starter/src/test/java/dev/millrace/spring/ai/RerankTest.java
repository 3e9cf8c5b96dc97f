package dev.millrace.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.pipelines.text.CrossEncoder;
import dev.millrace.spring.boot.MillraceAutoConfiguration;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.ai.document.Document;
import org.springframework.ai.rag.Query;
import org.springframework.ai.rag.postretrieval.document.DocumentPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests the order of documents. */
class RerankTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(MillraceAutoConfiguration.class, MillraceRerankAutoConfiguration.class));

    @TempDir
    private Path folder = Path.of("");

    @Test
    void theMostRelevantDocumentsAreKeptInOrder() {
        String model = "millrace.rerank.model=" + TestModels.ranking(folder);
        runner.withPropertyValues(model, "millrace.rerank.keep=2").run(context -> {
            DocumentPostProcessor processor = context.getBean(DocumentPostProcessor.class);
            List<Document> documents =
                    List.of(new Document("mill"), new Document("water race"), new Document("water water"));
            List<Document> kept = processor.process(new Query("water"), documents);
            assertThat(kept).extracting(Document::getText).containsExactly("water water", "water race");
            assertThat(kept).extracting(Document::getScore).containsExactly(3.0, 2.0);
            assertThat(kept.getFirst().getId()).isEqualTo(documents.getLast().getId());
            assertThat(processor.process(new Query("water"), List.of())).isEmpty();
        });
        assertThatThrownBy(() -> runner.withPropertyValues(model)
                        .run(context -> MillraceDocumentReranker.of(context.getBean(CrossEncoder.class))
                                .keeping(0)))
                .hasMessageContaining("At least one document is kept, not 0");
    }

    @Test
    void withoutRetrievalThereIsTheCrossEncoderAlone() {
        runner.withClassLoader(new FilteredClassLoader("org.springframework.ai.rag"))
                .withPropertyValues("millrace.rerank.model=" + TestModels.ranking(folder))
                .run(context -> assertThat(context.getBean(CrossEncoder.class).scores("mill", List.of("water")))
                        .containsExactly(1.0));
        runner.run(context -> assertThat(context).doesNotHaveBean(CrossEncoder.class));
    }
}
