package dev.millrace.spring.ai;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.spring.boot.MillraceAutoConfiguration;
import dev.millrace.spring.boot.MillraceSessions;
import dev.millrace.spring.boot.SessionProperties;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.ai.document.Document;
import org.springframework.ai.embedding.EmbeddingModel;
import org.springframework.ai.embedding.EmbeddingOptions;
import org.springframework.ai.embedding.EmbeddingRequest;
import org.springframework.ai.embedding.EmbeddingResponse;
import org.springframework.ai.vectorstore.SearchRequest;
import org.springframework.ai.vectorstore.SimpleVectorStore;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests vectors, and when there is an embedding model. */
class EmbeddingModelTest {
    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(MillraceAutoConfiguration.class, MillraceEmbeddingAutoConfiguration.class));

    @TempDir
    private Path folder = Path.of("");

    private String model = "";

    @BeforeEach
    void write() {
        model = "millrace.embedding.model=" + TestModels.embedding(folder);
    }

    @Test
    void vectorsAreMeansOfTokensOfLengthOne() {
        runner.withPropertyValues(model).run(context -> {
            EmbeddingModel embeddings = context.getBean(EmbeddingModel.class);
            EmbeddingResponse response = embeddings.embedForResponse(List.of("mill race", "race"));
            assertThat(response.getResults().getFirst().getOutput()).containsExactly(0.6f, 0.8f);
            assertThat(response.getResults().getLast().getOutput()).containsExactly(1, 0);
            assertThat(response.getResults().getLast().getIndex()).isEqualTo(1);
            assertThat(response.getMetadata().getUsage().getPromptTokens()).isEqualTo(3);
            assertThat(response.getMetadata().getModel()).isEqualTo("embedding");
            assertThat(embeddings.dimensions()).isEqualTo(2);
            assertThat(embeddings.embed("water")).containsExactly(0.8f, 0.6f);
            var request = new EmbeddingRequest(
                    List.of("mill"), EmbeddingOptions.builder().dimensions(3).build());
            assertThatThrownBy(() -> embeddings.call(request))
                    .hasMessage("Model 'embedding' has vectors of 2 numbers, not 3");
        });
    }

    @Test
    void propertiesChooseTheVectors() {
        runner.withPropertyValues(model, "millrace.embedding.normalise=false").run(context -> {
            // a batch, whose padding is in no mean
            List<float[]> vectors = context.getBean(EmbeddingModel.class).embed(List.of("mill race", "race"));
            assertThat(vectors.getFirst()).containsExactly(1.5f, 2);
            assertThat(vectors.getLast()).containsExactly(3, 0);
        });
        runner.withPropertyValues(model, "millrace.embedding.normalise=false", "millrace.embedding.pooling=first")
                .run(context -> assertThat(context.getBean(EmbeddingModel.class).embed("mill race"))
                        .containsExactly(0, 4));
        runner.withPropertyValues(model, "millrace.embedding.normalise=false", "millrace.embedding.max-tokens=1")
                .run(context -> assertThat(context.getBean(EmbeddingModel.class).embed("race mill mill"))
                        .containsExactly(3, 0));
        runner.withPropertyValues(
                        model,
                        "millrace.embedding.normalise=false",
                        "millrace.embedding.part-tokens=1",
                        "millrace.embedding.metadata-mode=embed")
                .run(context -> {
                    EmbeddingModel embeddings = context.getBean(EmbeddingModel.class);
                    var document = new Document("mill", Map.of("race", "race"));
                    assertThat(embeddings.getEmbeddingContent(document)).contains("race: race", "mill");
                    assertThat(embeddings.embed("race mill")).containsExactly(1.5f, 2);
                });
    }

    @Test
    void aVectorStoreFindsTheNearestDocument() {
        runner.withPropertyValues(model, "millrace.embedding.batch.padded=true").run(context -> {
            SimpleVectorStore store = SimpleVectorStore.builder(context.getBean(EmbeddingModel.class))
                    .build();
            store.add(List.of(new Document("mill"), new Document("race race"), new Document("water")));
            assertThat(store.similaritySearch(
                            SearchRequest.builder().query("water").topK(1).build()))
                    .extracting(Document::getText)
                    .containsExactly("water");
        });
    }

    @Test
    void aReloadedSessionHasTheNewVectors() {
        runner.withPropertyValues("millrace.sessions.words.model=" + folder, "millrace.embedding.session=words")
                .run(context -> {
                    EmbeddingModel embeddings = context.getBean(EmbeddingModel.class);
                    assertThat(embeddings.embed("mill")).containsExactly(0, 1);
                    TestModels.embedding(folder, 0, 0, 9, 0, 0, 0, 0, 0);
                    context.getBean(MillraceSessions.class).reload("words");
                    assertThat(embeddings.embed("mill")).containsExactly(1, 0);
                });
    }

    /** The model of another engine. */
    private static final class OtherModel implements EmbeddingModel {
        @Override
        public EmbeddingResponse call(EmbeddingRequest request) {
            return new EmbeddingResponse(List.of());
        }

        @Override
        public float[] embed(Document document) {
            return new float[0];
        }
    }

    @Test
    void thereIsNoModelBesideAnother() {
        runner.run(context -> assertThat(context).doesNotHaveBean(EmbeddingModel.class));
        runner.withPropertyValues(model, "spring.ai.model.embedding=transformers")
                .run(context -> assertThat(context).doesNotHaveBean(EmbeddingModel.class));
        runner.withPropertyValues(model, "spring.ai.model.embedding=millrace")
                .run(context -> assertThat(context).hasSingleBean(EngineEmbeddingModel.class));
        runner.withPropertyValues(model)
                .withBean("other", EmbeddingModel.class, OtherModel::new)
                .run(context -> assertThat(context)
                        .hasSingleBean(EmbeddingModel.class)
                        .doesNotHaveBean(EngineEmbeddingModel.class));
    }

    @Test
    void whatIsMissingIsNamed() {
        runner.withPropertyValues("spring.ai.model.embedding=millrace")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("session 'embedding' has no model"));
        runner.withPropertyValues(model, "millrace.embedding.tokenizer=gone.json")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining(
                                "The model 'gone.json' of millrace.embedding.tokenizer does not open: "));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        output=nothing  | Invalid output name: nothing
        max-tokens=-1   | max-tokens is -1
        part-tokens=-1  | part-tokens is -1
        session=nothing | There is no session 'nothing'
        pooling=medium  | millrace.embedding.pooling
        """)
    void aWrongPropertyFailsTheStart(String property, String reason) {
        runner.withPropertyValues(model, "millrace.embedding." + property)
                .run(context -> assertThat(context).getFailure().hasStackTraceContaining(reason));
    }

    @Test
    void textsOfEveryLengthHaveVectors() {
        runner.withPropertyValues(model).run(context -> {
            EmbeddingModel embeddings = context.getBean(EmbeddingModel.class);
            assertThat(embeddings.embedForResponse(List.of()).getResults()).isEmpty();
            for (String text : List.of("", "  ", "👩‍🚀", "mill ".repeat(5000))) {
                assertThat(embeddings.embed(text)).hasSize(2).doesNotContain(Float.NaN);
            }
            List<Document> documents = List.of(new Document("mill"), new Document("race"), new Document("mill"));
            List<float[]> vectors = embeddings.embed(
                    documents,
                    EmbeddingOptions.builder().dimensions(2).build(),
                    all -> List.of(all.subList(0, 1), all.subList(1, 3)));
            assertThat(vectors).containsExactly(new float[] {0, 1}, new float[] {1, 0}, new float[] {0, 1});
        });
    }

    @Test
    void editorsKnowTheProperties() throws Exception {
        try (var in = Objects.requireNonNull(
                EmbeddingProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            String known = new String(in.readAllBytes(), StandardCharsets.UTF_8);
            for (RecordComponent each : SessionProperties.class.getRecordComponents()) {
                String name = DataObjectPropertyName.toDashedForm(each.getName());
                assertThat(known).contains("\"millrace.embedding." + name + "\"", "\"millrace.rerank." + name + "\"");
            }
            assertThat(known).contains("\"millrace.embedding.pooling\"", "\"millrace.chat.temperature\"");
        }
    }
}
