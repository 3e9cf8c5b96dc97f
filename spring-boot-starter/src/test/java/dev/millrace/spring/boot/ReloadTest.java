package dev.millrace.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.util.TestPropertyValues;
import reactor.core.publisher.Flux;

/** Tests that models are replaced and closed under load without failures. */
@Timeout(60)
class ReloadTest {
    private static final int CALLERS = 4;
    private static final int RELOADS = 20;

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(MillraceAutoConfiguration.class))
            .withPropertyValues("millrace.engine.threads=2");

    @TempDir
    private Path folder = Path.of("");

    private Path model() {
        return folder.resolve("model.onnx");
    }

    /** Asks again and again until told to stop; returns the answers that no model gives. */
    private static List<Float> ask(Inference inference, AtomicBoolean isEnough) {
        return Stream.iterate(0, i -> !isEnough.get(), i -> i + 1)
                .map(i -> TestModels.first(
                        i % 2 == 0
                                ? inference.run(TestModels.row(1))
                                : Objects.requireNonNull(
                                        inference.mono(TestModels.row(1)).block())))
                .filter(answer -> answer != Math.rint(answer) || answer < 1 || answer > RELOADS + 1)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aReloadUnderLoadFailsNoRequest(boolean isBatched) {
        TestModels.write(model(), 1);
        runner.withPropertyValues(
                        "millrace.sessions.times.model=" + model(),
                        "millrace.sessions.times.batch.enabled=" + isBatched,
                        "millrace.sessions.times.batch.max-delay=1ms")
                .run(context -> {
                    ServedSession session = context.getBean(ServedSession.class);
                    var isEnough = new AtomicBoolean();
                    List<CompletableFuture<List<Float>>> callers = IntStream.range(0, CALLERS)
                            .mapToObj(i -> CompletableFuture.supplyAsync(() -> ask(session, isEnough)))
                            .toList();
                    CompletableFuture<List<Float>> stream = CompletableFuture.supplyAsync(() -> Flux.generate(sink -> {
                                if (isEnough.get()) {
                                    sink.complete();
                                } else {
                                    sink.next(TestModels.row(1));
                                }
                            })
                            .cast(Inputs.class)
                            .transform(requests -> session.flux(
                                    requests,
                                    FluxOptions.builder().concurrency(3).build()))
                            .map(TestModels::first)
                            .filter(answer -> answer < 1)
                            .collectList()
                            .block());
                    for (int i = 2; i <= RELOADS + 1; i++) {
                        TestModels.write(model(), i);
                        context.publishEvent(i % 2 == 0 ? SessionReload.all() : new SessionReload("times"));
                        assertThat(TestModels.answer(session, 1)).isEqualTo(i);
                    }
                    isEnough.set(true);
                    callers.forEach(each -> assertThat(each.join()).isEmpty());
                    assertThat(stream.join()).isEmpty();
                });
    }

    @Test
    void aChangedPropertyCountsAfterAReload() {
        TestModels.write(model(), 1);
        Path other = TestModels.write(folder.resolve("other.onnx"), 7);
        runner.withPropertyValues("millrace.sessions.times.model=" + model()).run(context -> {
            MillraceSessions sessions = context.getBean(MillraceSessions.class);
            ServedSession session = sessions.get("times");
            TestPropertyValues.of("millrace.sessions.times.model=" + other, "millrace.sessions.times.batch.max-size=2")
                    .applyTo(context);
            assertThat(TestModels.answer(session, 1)).isEqualTo(1);
            sessions.reload("times");
            assertThat(TestModels.answer(session, 1)).isEqualTo(7);
            assertThat(Objects.requireNonNull(session.properties().batch()).maxSize())
                    .isEqualTo(2);
            TestPropertyValues.of("millrace.sessions.times.model=gone.onnx").applyTo(context);
            assertThatThrownBy(() -> sessions.reload("times"))
                    .isInstanceOf(ModelOpenException.class)
                    .hasMessageContaining("gone.onnx");
            assertThat(TestModels.answer(session, 1)).isEqualTo(7);
        });
    }

    @Test
    void aWrongPropertyLeavesTheEarlierModelAndTheOthersAreReloaded() {
        TestModels.write(model(), 1);
        Path other = TestModels.write(folder.resolve("other.onnx"), 7);
        runner.withPropertyValues("millrace.sessions.a.model=" + model(), "millrace.sessions.b.model=" + model())
                .run(context -> {
                    MillraceSessions sessions = context.getBean(MillraceSessions.class);
                    TestPropertyValues.of("millrace.sessions.b.model=" + other).applyTo(context);
                    for (String wrong : List.of("max-size=0", "axis=depth", "max-size=many")) {
                        TestPropertyValues.of(
                                        "millrace.sessions.a.batch.max-size=2",
                                        "millrace.sessions.a.batch.axis=rows",
                                        "millrace.sessions.a.batch." + wrong)
                                .applyTo(context);
                        assertThatThrownBy(() -> context.publishEvent(SessionReload.all()))
                                .isInstanceOfAny(ModelOpenException.class, BindException.class)
                                .hasMessageContaining("millrace.sessions.a");
                        assertThat(TestModels.answer(sessions.get("a"), 1)).isEqualTo(1);
                    }
                });
    }

    @Test
    void aStoppedContextAnswersAgainWhenItStarts() {
        TestModels.write(model(), 1);
        runner.withPropertyValues("millrace.sessions.times.model=" + model(), "millrace.engine.close-timeout=1s")
                .run(context -> {
                    ServedSession session = context.getBean(ServedSession.class);
                    context.stop();
                    assertThatThrownBy(() -> TestModels.answer(session, 1))
                            .isInstanceOfSatisfying(
                                    EngineException.class,
                                    e -> assertThat(e.status()).isEqualTo(Status.CLOSED));
                    context.start();
                    assertThat(TestModels.answer(session, 1)).isEqualTo(1);
                });
    }

    @Test
    void acceptedRequestsEndBeforeTheContextCloses() {
        TestModels.write(model(), 2);
        runner.withPropertyValues("millrace.sessions.times.model=" + model()).run(context -> {
            ServedSession session = context.getBean(ServedSession.class);
            CompletableFuture<@Nullable List<Float>> answers = Flux.range(0, 200)
                    .flatMap(i -> session.mono(TestModels.row(i)).map(TestModels::first), 200)
                    .collectList()
                    .toFuture();
            context.close();
            assertThat(answers.get(10, TimeUnit.SECONDS)).hasSize(200);
            assertThat(session.health().isAnswering()).isFalse();
            session.close(Duration.ZERO);
        });
    }
}
