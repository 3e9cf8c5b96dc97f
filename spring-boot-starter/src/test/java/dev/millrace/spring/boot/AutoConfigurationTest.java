package dev.millrace.spring.boot;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.SessionOption;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.core.io.support.SpringFactoriesLoader.FailureHandler;

/** Tests which beans the properties make, and which not. */
class AutoConfigurationTest {
    private final ApplicationContextRunner runner =
            new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(MillraceAutoConfiguration.class));

    @TempDir
    private Path folder = Path.of("");

    private String model = "";

    @BeforeEach
    void write() {
        model = "millrace.sessions.triple.model=" + TestModels.write(folder.resolve("triple.onnx"), 3);
    }

    @Test
    void nothingIsOpenedWithoutConfiguration() {
        runner.run(context -> {
            assertThat(context).hasNotFailed().doesNotHaveBean(Inference.class);
            assertThat(context.getBean(MillraceSessions.class).names()).isEmpty();
            assertThat(new EngineInUse(context.getBeanFactory()).get()).isEmpty();
            assertThat(context.getBean(Engine.class).health().isAnswering()).isTrue();
            assertThat(new EngineInUse(context.getBeanFactory()).get()).isPresent();
        });
    }

    @Test
    void aModelIsFoundByItsNameAtAHub() throws IOException {
        String commit = "0123456789abcdef0123456789abcdef01234567";
        Path repository = Path.of(System.getenv("HF_HUB_CACHE"), "models--org--numbers");
        Path models = Files.createDirectories(repository.resolve("snapshots/" + commit + "/onnx"));
        Files.writeString(Files.createDirectories(repository.resolve("refs")).resolve("main"), commit);
        TestModels.write(models.resolve("model.onnx"), 6);
        Files.writeString(models.resolveSibling("tokenizer.json"), "{}");
        String name = "hf:org/numbers/onnx/model.onnx";
        runner.withPropertyValues("millrace.sessions.numbers.model=" + name).run(context -> {
            assertThat(TestModels.answer(context.getBean(ServedSession.class), 2))
                    .isEqualTo(12);
            assertThat(ModelLocation.of(name, context).beside("tokenizer.json").getContentAsString(UTF_8))
                    .isEqualTo("{}");
        });
        runner.withPropertyValues("millrace.sessions.numbers.model=hf:org/nothing/onnx/model.onnx")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessageContaining("hf:org/nothing@main/onnx/model.onnx was not fetched before"));
    }

    @Configuration(proxyBeanMethods = false)
    static class Consumer {
        @Bean
        Float six(@Qualifier("triple") Inference inference) {
            return TestModels.answer(inference, 2);
        }
    }

    @Test
    void aSessionIsABeanOfItsName() {
        TestModels.write(folder.resolve("double.onnx"), 2);
        runner.withUserConfiguration(Consumer.class)
                .withPropertyValues(model, "millrace.sessions.double.model=file:" + folder.resolve("double.onnx"))
                .run(context -> {
                    assertThat(context.getBean(Float.class)).isEqualTo(6);
                    MillraceSessions sessions = context.getBean(MillraceSessions.class);
                    assertThat(sessions.names()).containsExactlyInAnyOrder("double", "triple");
                    assertThat(sessions.get("double")).isSameAs(context.getBean("double"));
                    assertThat(TestModels.answer(sessions.get("double"), 5)).isEqualTo(10);
                    assertThat(sessions.get("triple").session().label().version())
                            .isEqualTo("3");
                    assertThatThrownBy(() -> sessions.get("quarter"))
                            .hasMessage("There is no session 'quarter'; there are [double, triple]");
                });
    }

    @Test
    void propertiesAreOptions() {
        Map<String, Object> seen = new HashMap<>();
        runner.withBean(EngineOptionsCustomizer.class, () -> options -> seen.put("engine", options.build()))
                .withBean(SessionOptionsCustomizer.class, () -> (name, options) -> {
                    seen.put("bindings", options.get(SessionOption.MAX_BINDINGS));
                    seen.put("queue", options.get(SessionOption.QUEUE));
                    seen.put(
                            "providers",
                            options.get(SessionOption.PROVIDERS).getFirst().name());
                    seen.put(
                            "cache",
                            Objects.requireNonNull(options.get(SessionOption.CONTEXT_CACHE))
                                    .folder());
                })
                .withPropertyValues(
                        model,
                        "millrace.engine.threads=2",
                        "millrace.engine.memory-budget=64MB",
                        "millrace.engine.context-cache=" + folder.resolve("cache"),
                        "millrace.engine.context-cache-size=1MB",
                        "millrace.sessions.triple.options.max-bindings=5",
                        "millrace.sessions.triple.options.queue=7",
                        "millrace.sessions.triple.providers=cpu",
                        "millrace.sessions.triple.context-cache=" + folder.resolve("own"),
                        "millrace.sessions.triple.warm-up=x=1x2,x=4x2")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    EngineOptions engine = (EngineOptions) Objects.requireNonNull(seen.remove("engine"));
                    assertThat(engine.threads()).isEqualTo(2);
                    assertThat(engine.memoryBudget()).isEqualTo(64 << 20);
                    ContextCache cache = Objects.requireNonNull(engine.contextCache());
                    assertThat(cache.maxBytes()).isEqualTo(1 << 20);
                    assertThat(seen)
                            .isEqualTo(Map.of(
                                    "bindings", 5, "queue", 7, "providers", "cpu", "cache", folder.resolve("own")));
                    // two warm-ups have bound two tuples of shapes
                    assertThat(context.getBean(MillraceSessions.class)
                                    .get("triple")
                                    .session()
                                    .stretches())
                            .hasSize(2);
                });
    }

    @Test
    void theEngineOfTheApplicationIsUsed() {
        try (Engine own = Engine.create(EngineOptions.builder().threads(1).build())) {
            runner.withBean("own", Engine.class, () -> own)
                    .withPropertyValues(model)
                    .run(context ->
                            assertThat(context).hasSingleBean(Engine.class).hasBean("triple"));
        }
    }

    private static FailureAnalysis analysis(Throwable failure) {
        // other analyzers want arguments of their constructors
        var others = FailureHandler.handleMessage((message, cause) -> {});
        return SpringFactoriesLoader.forDefaultResourceLocation().load(FailureAnalyzer.class, others).stream()
                .filter(analyzer ->
                        analyzer instanceof ModelFailureAnalyzer || analyzer instanceof EngineFailureAnalyzer)
                .map(analyzer -> analyzer.analyze(failure))
                .filter(Objects::nonNull)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aModelThatDoesNotOpenFailsTheStartWithWhatToDo() {
        runner.withPropertyValues("millrace.sessions.gone.model=" + folder.resolve("gone.onnx"))
                .run(context -> {
                    FailureAnalysis analysis = analysis(Objects.requireNonNull(context.getStartupFailure()));
                    assertThat(analysis.getDescription())
                            .startsWith("The model '" + folder.resolve("gone.onnx")
                                    + "' of millrace.sessions.gone.model does not open: ");
                    assertThat(analysis.getAction())
                            .startsWith(
                                    "Set millrace.sessions.gone.model to the path of a model. A relative path begins"
                                            + " in " + Path.of("").toAbsolutePath());
                });
        runner.withPropertyValues("millrace.sessions.none.options.threads=1").run(context -> {
            FailureAnalysis analysis = analysis(Objects.requireNonNull(context.getStartupFailure()));
            assertThat(analysis.getDescription()).isEqualTo("The property millrace.sessions.none.model is not set");
        });
        runner.withPropertyValues(model, "millrace.sessions.triple.options.speed=9")
                .run(context -> {
                    FailureAnalysis analysis = analysis(Objects.requireNonNull(context.getStartupFailure()));
                    assertThat(analysis.getDescription())
                            .contains("there is no option 'speed'; there are [providers, ");
                    assertThat(analysis.getAction())
                            .startsWith("Correct the properties beside millrace.sessions.triple.model");
                });
        runner.withPropertyValues(model, "millrace.sessions.triple.warm-up=x:1x2")
                .run(context -> assertThat(analysis(Objects.requireNonNull(context.getStartupFailure()))
                                .getDescription())
                        .contains("'x:1x2' in a warm-up is no shape"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
        sessions.triple.batch.max-size=0   | maxSize is 0         | beside millrace.sessions.triple.model
        sessions.triple.batch.axis=depth   | no input has an axis | beside millrace.sessions.triple.model
        sessions.triple.providers=cuda     | no provider 'cuda'   | beside millrace.sessions.triple.model
        sessions.triple.warm-up=x=1x2x3    | Invalid rank         | beside millrace.sessions.triple.model
        sessions.triple.model=             | is not set           | Set millrace.sessions.triple.model
        sessions.other.modell=m.onnx       | sessions.other.model is not set | Set millrace.sessions.other.model
        engine.threads=-1                  | threads is -1        | the properties below millrace.engine
        """)
    void aWrongPropertyIsNamedWithWhatToDo(String property, String description, String action) {
        runner.withPropertyValues(model, "millrace." + property).run(context -> {
            FailureAnalysis analysis = analysis(Objects.requireNonNull(context.getStartupFailure()));
            assertThat(analysis.getDescription()).contains(description);
            assertThat(analysis.getAction()).contains(action);
        });
    }

    @Test
    void aModelThatIsBeingWrittenIsNamedAsCutOff() throws IOException {
        byte[] whole = Files.readAllBytes(folder.resolve("triple.onnx"));
        Files.write(folder.resolve("triple.onnx"), Arrays.copyOf(whole, whole.length / 2));
        runner.withPropertyValues(model)
                .run(context -> assertThat(analysis(Objects.requireNonNull(context.getStartupFailure()))
                                .getDescription())
                        .contains("the file ends early"));
    }

    @Test
    void editorsKnowTheProperties() throws Exception {
        try (var in = Objects.requireNonNull(
                MillraceProperties.class.getResourceAsStream("/META-INF/spring-configuration-metadata.json"))) {
            assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                    .contains("\"millrace.engine.memory-budget\"", "\"millrace.sessions\"", "\"hints\"")
                    .contains("Limit for weights and kept intermediate values of all sessions together.");
        }
    }
}
