package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.ReplaceableSession;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.TestModels;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.publisher.Sinks;
import reactor.test.StepVerifier;

/** Tests of generators of inferences that pass their runs on to sessions. */
class LeasedGenerationTest {
    private static final long[] PROMPT = {1, 2, 3};
    private static final GenerationOptions TWELVE =
            GenerationOptions.builder().maxTokens(12).build();
    private static final GeneratorOptions KEEPING =
            GeneratorOptions.builder().prefixBytes(1 << 20).maxBatch(4).build();

    @AutoClose
    private final Engine engine = Engine.create();

    private Session model(SmallDecoderModel.Form form, long seed) {
        return engine.session(SmallDecoderModel.bytes(form, seed), SessionOptions.defaults());
    }

    /** The tokens that a model of this seed generates alone. */
    private long[] expected(SmallDecoderModel.Form form, long seed) {
        try (Session session = model(form, seed)) {
            return Generator.of(session).run(PROMPT, TWELVE).ids();
        }
    }

    private static boolean isOpen(Session session) {
        return session.health().isAnswering();
    }

    /** Waits for the thread that ends a stream. */
    private static void awaitClosed(Session session) {
        long limit = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (isOpen(session) && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        assertThat(isOpen(session)).isFalse();
    }

    @ParameterizedTest
    @EnumSource(SmallDecoderModel.Form.class)
    void aRunningStreamEndsOnTheReplacedSessionAndTheNextOneUsesTheNew(SmallDecoderModel.Form form) {
        long[] first = expected(form, 1);
        long[] second = expected(form, 2);
        assertThat(first).isNotEqualTo(second);
        Session old = model(form, 1);
        try (ReplaceableSession service = ReplaceableSession.of(old);
                Generator generator = Generator.of(service, roles -> {}, KEEPING)) {
            var ids = new ArrayList<Long>();
            var others = new ArrayList<Long>();
            StepVerifier.create(generator.flux(PROMPT, TWELVE).map(Token::id).doOnNext(ids::add), 0)
                    .thenRequest(3)
                    .expectNextCount(3)
                    .then(() -> service.replace(model(form, 2)))
                    .then(() -> assertThat(isOpen(old)).isTrue())
                    .then(() -> assertThat(generator
                                    .run(PROMPT, TWELVE, token -> others.add(token.id()))
                                    .ids())
                            .isEqualTo(second))
                    .thenRequest(20)
                    .expectNextCount(9)
                    .verifyComplete();
            assertThat(ids).containsExactly(boxed(first));
            assertThat(others).containsExactly(boxed(second));
            awaitClosed(old);
            assertThat(generator.run(PROMPT, TWELVE).ids()).isEqualTo(second);
        }
    }

    private static Long[] boxed(long[] ids) {
        return Arrays.stream(ids).boxed().toArray(Long[]::new);
    }

    /** The tokens of a text that runs {@code atFirst} at its first one and then waits there for {@code gate}. */
    private static Mono<long[]> idsAfter(Mono<Token> gate, Runnable atFirst, Flux<Token> text) {
        return text.concatMap(
                        token -> token.index() > 0
                                ? Mono.just(token)
                                : Mono.fromRunnable(atFirst).then(gate).thenReturn(token),
                        0)
                .map(Token::id)
                .collectList()
                .map(ids -> ids.stream().mapToLong(Long::longValue).toArray());
    }

    @Test
    void textsOfOneBatchEndOnTheReplacedSession() {
        long[] first = expected(SmallDecoderModel.Form.WITH_ROOM, 1);
        Session old = model(SmallDecoderModel.Form.WITH_ROOM, 1);
        try (ReplaceableSession service = ReplaceableSession.of(old);
                Generator generator = Generator.of(service, roles -> {}, KEEPING)) {
            var isReplaced = Sinks.<Token>empty();
            var started = new AtomicInteger();
            Runnable replaceAtTheThird = () -> {
                if (started.incrementAndGet() == 3) {
                    service.replace(model(SmallDecoderModel.Form.WITH_ROOM, 2));
                    isReplaced.tryEmitEmpty();
                }
            };
            List<long[]> all = Flux.range(0, 3)
                    .flatMap(
                            text -> idsAfter(isReplaced.asMono(), replaceAtTheThird, generator.flux(PROMPT, TWELVE)), 3)
                    .collectList()
                    .block();
            assertThat(all).hasSize(3).allSatisfy(each -> assertThat(each).isEqualTo(first));
            awaitClosed(old);
        }
    }

    @Test
    void anAbandonedStreamLetsTheReplacedSessionClose() {
        Session old = model(SmallDecoderModel.Form.GROWING, 1);
        try (ReplaceableSession service = ReplaceableSession.of(old)) {
            Generator generator = Generator.of(service);
            StepVerifier.create(generator.flux(PROMPT, TWELVE), 2)
                    .expectNextCount(2)
                    .then(() -> service.replace(model(SmallDecoderModel.Form.GROWING, 2)))
                    .then(() -> assertThat(isOpen(old)).isTrue())
                    .thenCancel()
                    .verify();
            awaitClosed(old);
        }
    }

    @Test
    void aSearchEndsOnItsSession() {
        var beams = BeamOptions.builder().beams(2).build();
        try (ReplaceableSession service = ReplaceableSession.of(model(SmallDecoderModel.Form.GROWING, 1))) {
            Generator generator = Generator.of(service);
            Session old = service.current();
            List<ScoredGeneration> one = generator.beams(PROMPT, TWELVE, beams);
            service.replace(model(SmallDecoderModel.Form.GROWING, 2));
            assertThat(isOpen(old)).isFalse();
            assertThat(generator.beams(PROMPT, TWELVE, beams)).isNotEqualTo(one);
        }
    }

    @Test
    void aClosedServiceEndsItsGenerations() {
        Session old = model(SmallDecoderModel.Form.GROWING, 1);
        ReplaceableSession service = ReplaceableSession.of(old);
        Generator generator = Generator.of(service);
        StepVerifier.create(generator.flux(PROMPT, TWELVE), 2)
                .expectNextCount(2)
                .then(() -> service.replace(model(SmallDecoderModel.Form.GROWING, 2)))
                .then(service::close)
                .then(() -> assertThat(isOpen(old)).isFalse())
                .thenRequest(5)
                .expectErrorMatches(thrown -> thrown instanceof EngineException e && e.status() == Status.CLOSED)
                .verify();
        assertThatThrownBy(() -> generator.run(PROMPT, TWELVE)).hasMessageContaining("closed");
    }

    @Test
    void aBatchedSessionGeneratesOnItsSession() {
        try (Session session = model(SmallDecoderModel.Form.WITH_ROOM, 1)) {
            Generator generator = Generator.of(session.batched(BatchOptions.defaults()));
            assertThat(generator.run(PROMPT, TWELVE).ids()).isEqualTo(expected(SmallDecoderModel.Form.WITH_ROOM, 1));
        }
    }

    @Test
    void aCompositionOfModelsIsRefused() {
        try (Session session = model(SmallDecoderModel.Form.GROWING, 1)) {
            assertThatThrownBy(() -> Generator.of(session.then(session)))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("runs on one session")
                    .hasMessageContaining("Pipeline gives none");
        }
    }

    @Test
    void aReplacementWithoutTheRolesOfALanguageModelFailsTheNextGeneration() {
        try (ReplaceableSession service = ReplaceableSession.of(model(SmallDecoderModel.Form.GROWING, 1))) {
            Generator generator = Generator.of(service);
            service.replace(engine.session(TestModels.sumAndProduct(), SessionOptions.defaults()));
            assertThatThrownBy(() -> generator.run(PROMPT, TWELVE)).hasMessageContaining("is this a language model?");
            service.replace(model(SmallDecoderModel.Form.GROWING, 2));
            assertThat(generator.run(PROMPT, TWELVE).ids()).isEqualTo(expected(SmallDecoderModel.Form.GROWING, 2));
        }
    }
}
