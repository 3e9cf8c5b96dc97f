package dev.millrace.bench.generate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.cache.ContextCache;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.generate.DecoderSignature;
import dev.millrace.session.generate.Generation;
import dev.millrace.session.generate.GenerationOptions;
import dev.millrace.session.generate.Generator;
import dev.millrace.session.generate.GeneratorOptions;
import dev.millrace.session.generate.Token;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.reactivestreams.Subscription;
import reactor.core.Exceptions;
import reactor.core.publisher.BaseSubscriber;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.util.function.Tuple2;

/** Texts whose tokens are computed together are those that are computed apart. */
class DecodeBatchTest {
    private static final int TEXTS = 7;
    private static final int TOKENS = 80;
    /** The name of the session of a draft model. */
    private static final String DRAFT = "draft";

    private static final GenerationOptions HOW =
            GenerationOptions.builder().maxTokens(TOKENS).build();

    private final AtomicInteger runs = new AtomicInteger();
    private final List<long[]> prompts = new ArrayList<>();
    private final List<long[]> alone = new ArrayList<>();
    private Engine engine;
    private Session session;

    @BeforeEach
    void generateApart() {
        engine = Engine.create(EngineOptions.builder()
                .threads(2)
                .requestListener(report -> {
                    if (!report.of().name().equals(DRAFT)) {
                        runs.incrementAndGet();
                    }
                })
                .build());
        session = engine.session(SmallDecoder.bytes(SmallDecoder.Form.GROUPS, 3), SessionOptions.defaults());
        var random = new Random(5);
        try (Generator apart = generator(1, 0)) {
            for (int i = 0; i < TEXTS; i++) {
                prompts.add(random.longs(1 + 31 * i, 0, SmallDecoder.WORDS).toArray());
                alone.add(apart.run(prompts.get(i), HOW).ids());
            }
        }
        runs.set(0);
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private Generator generator(int maxBatch, long prefixBytes) {
        return Generator.of(
                session,
                DecoderSignature.of(session),
                GeneratorOptions.builder()
                        .maxBatch(maxBatch)
                        .prefixBytes(prefixBytes)
                        .build());
    }

    private void assertAreThoseAlone(List<long[]> together) {
        assertThat(together).hasSize(TEXTS);
        for (int i = 0; i < TEXTS; i++) {
            assertThat(together.get(i)).as("text %s", i).containsExactly(alone.get(i));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 16})
    void streamsShareRuns(int maxBatch) {
        try (Generator generator = generator(maxBatch, 0)) {
            assertAreThoseAlone(requireNonNull(Flux.fromIterable(prompts)
                    .flatMapSequential(prompt -> generator.mono(prompt, HOW))
                    .map(Generation::ids)
                    .collectList()
                    .block()));
        }
        assertThat(runs.get()).isLessThan(TEXTS * TOKENS * 3 / 4);
    }

    @Test
    void threadsShareRuns() {
        try (Generator generator = generator(16, 1 << 22)) {
            for (int turn = 0; turn < 2; turn++) {
                assertAreThoseAlone(requireNonNull(Flux.fromIterable(prompts)
                        .flatMapSequential(prompt -> Mono.fromCallable(() -> generator.run(prompt, HOW))
                                .subscribeOn(Schedulers.boundedElastic()))
                        .map(Generation::ids)
                        .collectList()
                        .block()));
            }
        }
        assertThat(runs.get()).isLessThan(2 * TEXTS * TOKENS / 2);
    }

    @Test
    void textsComeAndGo() {
        try (Generator generator = generator(4, 1 << 22)) {
            Generation whole = requireNonNull(Flux.range(0, 30)
                    .flatMap(i -> generator
                            .flux(prompts.get(i % TEXTS), HOW)
                            .take(1 + i * 13 % TOKENS)
                            .collectList()
                            .doOnNext(tokens -> {
                                for (int k = 0; k < tokens.size(); k++) {
                                    assertThat(tokens.get(k).id()).isEqualTo(alone.get(i % TEXTS)[k]);
                                }
                            }))
                    .then(generator.mono(prompts.getLast(), HOW))
                    .block());
            assertThat(whole.ids()).containsExactly(alone.getLast());
            assertThat(generator.prefixBytes()).isPositive();
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 16})
    void guessesChangeNothingButTheNumberOfRuns(int guesses) {
        GenerationOptions guessing = HOW.toBuilder().speculativeTokens(guesses).build();
        try (Generator generator = generator(4, 1 << 22)) {
            long[] repeating = new long[60];
            Arrays.setAll(repeating, i -> 10 + i % 6);
            long[] expected = generator.run(repeating, HOW).ids();
            runs.set(0);
            Generation said = generator.run(repeating, guessing);
            assertThat(said.ids()).containsExactly(expected);
            assertThat(said.tokens())
                    .extracting(Token::index)
                    .containsExactlyElementsOf(
                            IntStream.range(0, TOKENS).boxed().toList());
            assertThat(runs.get()).isLessThan(TOKENS + 5);
            assertThat(requireNonNull(generator.mono(repeating, guessing).block())
                            .ids())
                    .containsExactly(expected);
            assertAreThoseAlone(requireNonNull(Flux.fromIterable(prompts)
                    .flatMapSequential(prompt -> generator.mono(prompt, guessing))
                    .map(Generation::ids)
                    .collectList()
                    .block()));
        }
    }

    /** A draft model that says the same, and one that says something else. */
    @ParameterizedTest
    @CsvSource({"3, 4", "3, 16", "4, 4"})
    void aDraftModelChangesNothingButTheNumberOfRuns(long seed, int guesses) {
        GenerationOptions guessing = HOW.toBuilder().speculativeTokens(guesses).build();
        boolean isSame = seed == 3;
        try (Session other = engine.session(
                        SmallDecoder.bytes(SmallDecoder.Form.GROUPS, seed),
                        SessionOptions.builder().name(DRAFT).build());
                Generator draft = Generator.of(
                        other,
                        DecoderSignature.of(other),
                        GeneratorOptions.builder().prefixBytes(1 << 20).build());
                Generator generator = Generator.of(
                        session,
                        DecoderSignature.of(session),
                        GeneratorOptions.builder().draft(draft).build())) {
            for (int i = 0; i < TEXTS; i++) {
                runs.set(0);
                assertThat(generator.run(prompts.get(i), guessing).ids()).containsExactly(alone.get(i));
                assertThat(runs.get()).isLessThan(isSame ? TOKENS / 3 : TOKENS + 5);
                assertThat(requireNonNull(
                                        generator.mono(prompts.get(i), guessing).block())
                                .ids())
                        .containsExactly(alone.get(i));
            }
            assertAreThoseAlone(requireNonNull(Flux.fromIterable(prompts)
                    .flatMapSequential(prompt -> generator.mono(prompt, guessing))
                    .map(Generation::ids)
                    .collectList()
                    .block()));
        }
    }

    @Test
    void aDraftModelWithoutRoomIsRefused(@TempDir Path folder) {
        // the graph of a model that a context cache may keep stays as it is, so its caches get no room
        var asItIs =
                SessionOptions.builder().contextCache(ContextCache.in(folder)).build();
        try (Session other = engine.session(SmallDecoder.bytes(SmallDecoder.Form.PLAIN, 3), asItIs)) {
            GeneratorOptions drafting =
                    GeneratorOptions.builder().draft(Generator.of(other)).build();
            assertThatThrownBy(() -> Generator.of(session, DecoderSignature.of(session), drafting))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("a draft model goes with models");
        }
    }

    /** Conversations of a service: there are many more than a run has entries. */
    @Test
    void manyConversationsTakeTurns() {
        int conversations = 32;
        int tokens = 160;
        // a turn, and what a text says while others join
        int mostAhead = 2 * 32;
        GenerationOptions how = GenerationOptions.builder().maxTokens(tokens).build();
        var counts = new AtomicIntegerArray(conversations);
        var ahead = new AtomicInteger();
        try (Generator generator = generator(8, 0)) {
            List<Long> said = requireNonNull(Flux.range(0, conversations)
                    .flatMapSequential(
                            each -> generator
                                    .flux(new long[] {1 + each, 2, 3}, how)
                                    .doOnNext(token -> {
                                        int count = counts.incrementAndGet(each);
                                        int least = IntStream.range(0, conversations)
                                                .map(counts::get)
                                                .min()
                                                .orElseThrow();
                                        ahead.accumulateAndGet(count - least, Math::max);
                                    })
                                    .count(),
                            conversations)
                    .collectList()
                    .block());
            assertThat(said).hasSize(conversations).containsOnly((long) tokens);
        }
        assertThat(ahead.get()).isLessThanOrEqualTo(mostAhead);
        assertThat(runs.get()).isLessThan(conversations * tokens / 4);
    }

    @Test
    void aSlowReaderHoldsNobodyUp() {
        try (Generator generator = generator(4, 0)) {
            var slow = new BaseSubscriber<Token>() {
                private final List<Token> tokens = new ArrayList<>();

                @Override
                protected void hookOnSubscribe(Subscription subscription) {
                    request(3);
                }

                @Override
                protected void hookOnNext(Token token) {
                    tokens.add(token);
                }
            };
            generator.flux(prompts.get(1), HOW).subscribe(slow);
            assertThat(generator.run(prompts.get(2), HOW).ids()).containsExactly(alone.get(2));
            slow.dispose();
            assertThat(slow.tokens).hasSize(3);
        }
    }

    @Test
    void cancellationsAndDeadlinesEndOneText() {
        try (Generator generator = generator(4, 0)) {
            var cancellation = new Cancellation();
            Mono<Generation> cancelled = generator
                    .flux(
                            prompts.get(3),
                            HOW.toBuilder().cancellation(cancellation).build())
                    .doOnNext(token -> {
                        if (token.index() == 5) {
                            cancellation.cancel();
                        }
                    })
                    .then(Mono.empty());
            Mono<String> status = cancelled
                    .map(generation -> "ended")
                    .onErrorResume(
                            EngineException.class, e -> Mono.just(e.status().toString()));
            Tuple2<Generation, String> both = requireNonNull(
                    Mono.zip(generator.mono(prompts.get(4), HOW), status).block());
            assertThat(both.getT1().ids()).containsExactly(alone.get(4));
            assertThat(both.getT2()).isEqualTo(Status.CANCELLED.toString());
        }
    }

    @Test
    void aClosedSessionFailsAllTexts() {
        try (Generator generator = generator(4, 0)) {
            Flux<Long> tokens = Flux.fromIterable(prompts)
                    .flatMap(prompt -> generator.flux(prompt, HOW))
                    .map(token -> token.id());
            assertThatThrownBy(() -> tokens.doOnNext(
                                    id -> Schedulers.boundedElastic().schedule(session::close))
                            .blockLast())
                    .satisfies(e ->
                            assertThat(Exceptions.unwrapMultiple(e)).hasAtLeastOneElementOfType(EngineException.class));
        }
    }
}
