package dev.millrace.session.generate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** Generations that go on from the caches of earlier ones say the same as those that read the whole prompt. */
class PrefixCacheTest {
    private static final int TOKENS = 8;
    private static final GenerationOptions SOME =
            GenerationOptions.builder().maxTokens(TOKENS).build();
    private static final long PLENTY = 1 << 20;

    private final Engine engine = Engine.create();
    private final Session session = engine.session(SummingModel.bytes(1), SessionOptions.defaults());

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private Generator generator(long prefixBytes) {
        return Generator.of(
                session,
                DecoderSignature.of(session),
                GeneratorOptions.builder().prefixBytes(prefixBytes).build());
    }

    private static long[] prompt(long seed, int length) {
        return new Random(seed).longs(length, 0, SummingModel.WORDS).toArray();
    }

    private static long[] joined(long[] first, long... second) {
        return LongStream.concat(LongStream.of(first), LongStream.of(second)).toArray();
    }

    /** Generates, and returns how many tokens of the prompt were known. */
    private static int known(Generator generator, long[] prompt) {
        Generation generation = generator.run(prompt, SOME);
        assertThat(generation.ids()).containsExactly(SummingModel.said(TOKENS, prompt));
        TokenUsage usage = generation.tokens().getLast().usage();
        assertThat(usage.prompt()).isEqualTo(prompt.length);
        assertThat(usage.generated()).isEqualTo(TOKENS);
        return usage.cached();
    }

    @Test
    void nothingIsKeptUnlessAskedFor() {
        try (Generator generator = generator(0)) {
            long[] prompt = prompt(1, 30);
            assertThat(known(generator, prompt)).isZero();
            assertThat(known(generator, prompt)).isZero();
            assertThat(generator.prefixBytes()).isZero();
        }
    }

    @Test
    void aSecondTurnReadsItsOwnTokensAlone() {
        try (Generator generator = generator(PLENTY)) {
            long[] first = prompt(1, 3);
            assertThat(known(generator, first)).isZero();
            long[] second = joined(joined(first, SummingModel.said(TOKENS, first)), 4, 5);
            assertThat(known(generator, second))
                    .as("the last token of the answer was not read")
                    .isEqualTo(first.length + TOKENS - 1);
            long[] third = joined(joined(second, SummingModel.said(TOKENS, second)), 6);
            assertThat(known(generator, third)).isEqualTo(second.length + TOKENS - 1);
        }
    }

    @Test
    void aLongHistoryCostsASecondTurnNoFurtherRun() {
        var runs = new AtomicInteger();
        EngineOptions counting = EngineOptions.builder()
                .requestListener(_ -> runs.incrementAndGet())
                .build();
        try (Engine counted = Engine.create(counting);
                Session model = counted.session(SummingModel.bytes(1), SessionOptions.defaults());
                Generator generator = Generator.of(
                        model,
                        DecoderSignature.of(model),
                        GeneratorOptions.builder().prefixBytes(PLENTY).build())) {
            long[] news = prompt(2, 60);
            assertThat(known(generator, news)).isZero();
            int ofNewsAlone = runs.getAndSet(0);
            long[] history = prompt(1, 2_000);
            assertThat(known(generator, history)).isZero();
            assertThat(runs.getAndSet(0)).as("four runs read the prompt").isEqualTo(ofNewsAlone + 3);
            long[] second = joined(joined(history, SummingModel.said(TOKENS, history)), news);
            assertThat(known(generator, second)).isEqualTo(history.length + TOKENS - 1);
            assertThat(runs.get()).isEqualTo(ofNewsAlone);
        }
    }

    @Test
    void anotherEndOfAPromptGetsACopyOfTheBeginning() {
        try (Generator generator = generator(PLENTY)) {
            long[] system = prompt(1, 20);
            long[] one = joined(system, prompt(2, 20));
            long[] other = joined(system, joined(new long[] {(one[20] + 1) % SummingModel.WORDS}, prompt(3, 20)));
            assertThat(known(generator, one)).isZero();
            assertThat(known(generator, other)).isEqualTo(20);
            assertThat(known(generator, joined(one, SummingModel.said(TOKENS, one))))
                    .as("the first one is still there")
                    .isEqualTo(one.length + TOKENS - 1);
        }
    }

    @Test
    void aChangedEndIsCut() {
        try (Generator generator = generator(PLENTY)) {
            long[] prompt = prompt(1, 100);
            assertThat(known(generator, prompt)).isZero();
            assertThat(known(generator, prompt)).as("all but the last token").isEqualTo(99);
            prompt[98] = (prompt[98] + 1) % SummingModel.WORDS;
            assertThat(known(generator, prompt)).isEqualTo(98);
        }
    }

    @Test
    void shortCommonBeginningsAreReadAgain() {
        try (Generator generator = generator(PLENTY)) {
            assertThat(known(generator, joined(new long[] {1, 2, 3}, prompt(1, 20))))
                    .isZero();
            assertThat(known(generator, joined(new long[] {1, 2, 3}, prompt(2, 20))))
                    .isZero();
        }
    }

    @Test
    void cachesThatWereNotUsedLongestGoFirst() {
        long bytesOfOne = (40 + TOKENS - 1) * Long.BYTES;
        long ofTwo = 2 * bytesOfOne + Long.BYTES;
        try (Generator generator = generator(ofTwo)) {
            for (long seed = 1; seed <= 3; seed++) {
                known(generator, prompt(seed, 40));
                assertThat(generator.prefixBytes()).isLessThanOrEqualTo(ofTwo);
            }
            assertThat(known(generator, joined(prompt(1, 40), 1))).isZero();
            assertThat(known(generator, joined(prompt(3, 40), 1))).isEqualTo(40);
        }
        try (Generator generator = generator(bytesOfOne - 1)) {
            known(generator, prompt(1, 40));
            assertThat(generator.prefixBytes()).isZero();
        }
    }

    @Test
    @Timeout(30)
    void aCancelledGenerationLeavesTheTokensThatItRead() {
        try (Generator generator = generator(PLENTY)) {
            long[] prompt = prompt(1, 40);
            StepVerifier.create(generator.flux(prompt, SOME), 2)
                    .expectNextCount(2)
                    .thenCancel()
                    .verify();
            // the thread that delivered the second token gives the caches back behind it
            while (generator.prefixBytes() == 0) {
                Thread.onSpinWait();
            }
            assertThat(known(generator, joined(prompt, SummingModel.said(1, prompt))))
                    .isEqualTo(40);
        }
    }

    @Test
    void aFailedGenerationLeavesNothingWrong() {
        try (Session broken = engine.session(SummingModel.bytes(Float.NaN), SessionOptions.defaults());
                Generator generator = Generator.of(
                        broken,
                        DecoderSignature.of(broken),
                        GeneratorOptions.builder().prefixBytes(PLENTY).build())) {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> generator.run(prompt(1, 40), SOME))
                        .isInstanceOf(EngineException.class)
                        .hasMessageContaining("NaN");
            }
        }
    }

    @Test
    void manyThreadsShareABeginning() {
        try (Generator generator = generator(PLENTY)) {
            long[] system = prompt(1, 30);
            known(generator, system);
            List<long[]> prompts = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                prompts.add(joined(system, prompt(i % 7, 1 + i % 5)));
            }
            List<Integer> cached = requireNonNull(Flux.fromIterable(prompts)
                    .flatMap(prompt -> Flux.defer(() -> Flux.just(known(generator, prompt)))
                            .subscribeOn(Schedulers.boundedElastic()))
                    .collectList()
                    .block());
            assertThat(cached).hasSize(40).anyMatch(known -> known >= 30);
        }
    }

    @Test
    void aClosedGeneratorKeepsNothing() {
        Generator generator = generator(PLENTY);
        known(generator, prompt(1, 40));
        assertThat(generator.prefixBytes()).isPositive();
        generator.close();
        assertThat(generator.prefixBytes()).isZero();
        assertThat(known(generator, prompt(1, 40))).isZero();
        assertThat(generator.prefixBytes()).isZero();
    }

    @Test
    void optionsAreChecked() {
        assertThatThrownBy(() -> GeneratorOptions.builder().prefixBytes(-1).build())
                .hasMessageContaining("prefixBytes is -1");
        assertThatThrownBy(() -> GeneratorOptions.builder().maxBatch(0).build()).hasMessageContaining("maxBatch is 0");
        assertThat(GeneratorOptions.defaults().toBuilder().build()).isEqualTo(GeneratorOptions.defaults());
    }
}
