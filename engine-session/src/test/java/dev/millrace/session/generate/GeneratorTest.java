package dev.millrace.session.generate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.RequestReport;
import dev.millrace.session.RunContext;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

@Timeout(60)
class GeneratorTest {
    private static final GenerationOptions SOME =
            GenerationOptions.builder().maxTokens(20).build();

    private final AtomicInteger runs = new AtomicInteger();

    @AutoClose
    private final Engine engine = Engine.create(
            EngineOptions.builder().threads(2).requestListener(this::heard).build());

    @AutoClose
    private final Session session = engine.session(SummingModel.bytes(1), SessionOptions.defaults());

    private final Generator generator = Generator.of(session);

    private void heard(RequestReport request) {
        runs.incrementAndGet();
    }

    private Generator of(byte[] model) {
        return Generator.of(engine.session(model, SessionOptions.defaults()));
    }

    private static void assertStatus(Throwable thrown, Status status) {
        assertThat(((EngineException) thrown).status()).isEqualTo(status);
    }

    @Test
    void eachTokenFollowsFromAllBefore() {
        Generation generation = generator.run(new long[] {3, 1, 4}, SOME);
        assertThat(generation.ids()).containsExactly(SummingModel.said(20, 3, 1, 4));
        assertThat(generation.ending()).isEqualTo(Ending.MAX_TOKENS);
        assertThat(generation.tokens().get(18))
                .isEqualTo(new Token(generation.ids()[18], 18, null, null, new TokenUsage(3, 0, 19)));
        assertThat(generator.mono(new long[] {3, 1, 4}, SOME).block()).isEqualTo(generation);
        assertThat(generator.flux(new long[] {3, 1, 4}, SOME).collectList().block())
                .isEqualTo(generation.tokens());
        assertThat(runs).hasValue(60);
    }

    @Test
    void aLongPromptIsReadInChunks() {
        long[] prompt = new Random(5).longs(1300, 0, SummingModel.WORDS).toArray();
        long[] said = SummingModel.said(5, prompt);
        GenerationOptions five = GenerationOptions.builder().maxTokens(5).build();
        assertThat(generator.run(prompt, five).ids()).containsExactly(said);
        assertThat(runs).as("three chunks and four tokens").hasValue(7);
        assertThat(generator.mono(prompt, five).map(Generation::ids).block()).containsExactly(said);
        assertThat(runs).hasValue(14);
    }

    @Test
    void aModelWithoutCachesIsGivenAllTokensInEachStep() {
        assertThat(of(SummingModel.withoutCache())
                        .run(new long[] {3, 1, 4}, SOME)
                        .ids())
                .containsExactly(SummingModel.said(20, 3, 1, 4));
    }

    @Test
    void aStopTokenIsTheLastOne() {
        long[] said = SummingModel.said(20, 3, 1, 4);
        int first = 0;
        while (said[first] != said[5]) {
            first++;
        }
        Generation generation = generator.run(
                new long[] {3, 1, 4},
                SOME.toBuilder().stopTokens(99).stopTokens(said[5]).build());
        assertThat(generation.ending()).isEqualTo(Ending.STOP_TOKEN);
        assertThat(generation.ids()).hasSize(first + 1).endsWith(said[5]);
    }

    @Test
    void theContextIsAnEndAndABound() {
        Generator small = Generator.of(
                session, DecoderSignature.builder(session).contextLength(5).build());
        Generation generation = small.run(new long[] {3, 1, 4}, SOME);
        assertThat(generation.ending()).isEqualTo(Ending.CONTEXT_FULL);
        assertThat(generation.ids()).containsExactly(SummingModel.said(3, 3, 1, 4));
        assertThat(small.run(new long[5], SOME).ids()).hasSize(1);
        assertThatThrownBy(() -> small.run(new long[6], SOME)).hasMessageContaining("6 tokens, and the model sees 5");
    }

    @Test
    void tokensAreGeneratedAsTheyAreAskedFor() {
        StepVerifier.create(generator.flux(new long[] {3}, SOME), 0)
                .expectSubscription()
                .then(() -> assertThat(runs).hasValue(0))
                .thenRequest(2)
                .expectNextCount(2)
                .then(() -> assertThat(runs).hasValue(2))
                .thenRequest(1)
                .expectNextCount(1)
                .thenCancel()
                .verify();
        assertThat(runs).hasValue(3);
        StepVerifier.create(generator.flux(new long[] {3}, SOME).take(4))
                .expectNextCount(4)
                .verifyComplete();
        assertThat(runs).hasValue(7);
    }

    @Test
    void manyPromptsAtOnceSayWhatEachSaysAlone() {
        int prompts = 40;
        var said = Collections.synchronizedMap(new TreeMap<Integer, List<Long>>());
        Flux.range(0, prompts)
                .flatMap(
                        prompt -> generator
                                .flux(new long[] {prompt % SummingModel.WORDS, prompt / SummingModel.WORDS}, SOME)
                                .doOnNext(token -> said.computeIfAbsent(prompt, key -> new ArrayList<>())
                                        .add(token.id())),
                        prompts)
                .blockLast();
        assertThat(said).hasSize(prompts);
        for (Map.Entry<Integer, List<Long>> each : said.entrySet()) {
            int prompt = each.getKey();
            assertThat(each.getValue().stream().mapToLong(Long::longValue).toArray())
                    .containsExactly(SummingModel.said(20, prompt % SummingModel.WORDS, prompt / SummingModel.WORDS));
        }
    }

    @Test
    void aShortAnswerDoesNotWaitForALongOne() {
        var long1 = new AtomicInteger();
        Flux<Token> endless = generator
                .flux(
                        new long[] {1},
                        GenerationOptions.builder().maxTokens(100_000).build())
                .doOnNext(token -> long1.incrementAndGet());
        var running = endless.subscribe();
        assertThat(generator.flux(new long[] {2}, SOME).count().block()).isEqualTo(20);
        running.dispose();
        assertThat(long1.get()).isBetween(0, 99_999);
    }

    @Test
    void theSameSeedSaysTheSame() {
        GenerationOptions drawn = SOME.toBuilder().maxTokens(50).temperature(3).build();
        Generation once =
                generator.run(new long[] {3}, drawn.toBuilder().seed(7).build());
        assertThat(generator
                        .mono(new long[] {3}, drawn.toBuilder().seed(7).build())
                        .block())
                .isEqualTo(once);
        assertThat(generator.run(new long[] {3}, drawn.toBuilder().seed(8).build()))
                .isNotEqualTo(once);
        assertThat(once.ids()).isNotEqualTo(SummingModel.said(50, 3));
    }

    @Test
    void oneOfTheLikeliestIsTheLikeliest() {
        long[] greedy = SummingModel.said(20, 3);
        assertThat(generator
                        .run(
                                new long[] {3},
                                SOME.toBuilder().temperature(5).topK(1).build())
                        .ids())
                .containsExactly(greedy);
        assertThat(generator
                        .run(
                                new long[] {3},
                                SOME.toBuilder().temperature(5).topP(1e-6).build())
                        .ids())
                .containsExactly(greedy);
        assertThat(generator
                        .run(new long[] {3}, SOME.toBuilder().temperature(1e-6).build())
                        .ids())
                .containsExactly(greedy);
    }

    @Test
    void whatWasSaidIsSaidLessWhereThatIsPenalised() {
        // all logits but the best one's are negative: a penalty makes them smaller by their size
        long[] ids = of(SummingModel.bytes(-1))
                .run(
                        new long[] {3},
                        SOME.toBuilder().maxTokens(8).repetitionPenalty(1e6).build())
                .ids();
        assertThat(ids).doesNotHaveDuplicates().doesNotContain(3);
    }

    @Test
    void aDeadlineAndACancellationEndIt() {
        GenerationOptions endless =
                GenerationOptions.builder().maxTokens(Integer.MAX_VALUE).build();
        assertThatThrownBy(() -> generator.run(
                        new long[] {3},
                        endless.toBuilder().timeLimit(Duration.ofMillis(50)).build()))
                .satisfies(thrown -> assertStatus(thrown, Status.DEADLINE_EXCEEDED));
        StepVerifier.create(generator
                        .flux(new long[] {3}, endless)
                        .then()
                        .contextWrite(RunContext.within(Duration.ofMillis(50))))
                .verifyErrorSatisfies(thrown -> assertStatus(thrown, Status.DEADLINE_EXCEEDED));
        var cancellation = new Cancellation();
        StepVerifier.create(generator
                        .flux(
                                new long[] {3},
                                endless.toBuilder().cancellation(cancellation).build())
                        .doOnNext(token -> {
                            if (token.index() == 5) {
                                cancellation.cancel();
                            }
                        })
                        .then())
                .verifyErrorSatisfies(thrown -> assertStatus(thrown, Status.CANCELLED));
    }

    @Test
    void logitsThatAreNoNumbersAreNamed() {
        assertThatThrownBy(() -> of(SummingModel.bytes(Float.NaN)).run(new long[] {3, 1}, SOME))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("behind 2 tokens")
                .hasMessageContaining("NaN for token 0 of 11");
    }

    @Test
    void aPromptThatMakesNoSenseIsRefused() {
        assertThatThrownBy(() -> generator.flux(new long[0], SOME)).hasMessageContaining("the prompt is empty");
        assertThatThrownBy(() -> generator.run(new long[] {2, -1}, SOME)).hasMessageContaining("token 1 of the prompt");
        assertThatThrownBy(() -> generator.run(new long[] {1L << 40}, SOME)).hasMessageContaining("token 0");
    }

    @Test
    void optionsThatMakeNoSenseAreRefused() {
        assertThatThrownBy(() -> SOME.toBuilder().topK(0).build()).hasMessageContaining("topK is 0");
        assertThatThrownBy(() -> SOME.toBuilder().topP(0).build()).hasMessageContaining("topP is 0");
        assertThatThrownBy(() -> SOME.toBuilder().topP(1.1).build()).hasMessageContaining("topP is 1.1");
        assertThatThrownBy(() -> SOME.toBuilder().temperature(-1).build()).hasMessageContaining("temperature is -1");
        assertThatThrownBy(() -> SOME.toBuilder().temperature(Double.NaN).build())
                .hasMessageContaining("temperature is NaN");
        assertThatThrownBy(() -> SOME.toBuilder().maxTokens(0).build()).hasMessageContaining("maxTokens is 0");
        assertThatThrownBy(() -> SOME.toBuilder().repetitionPenalty(0).build())
                .hasMessageContaining("repetitionPenalty is 0");
        assertThatThrownBy(() -> SOME.toBuilder().timeLimit(Duration.ZERO).build())
                .hasMessageContaining("timeLimit is PT0S");
    }

    @Test
    void namesAreFoundOrGiven() {
        DecoderSignature found = DecoderSignature.of(session);
        assertThat(found.logits()).isEqualTo("logits");
        assertThat(found.states())
                .containsExactly(
                        State.carry("present.0.key", "past_key_values.0.key").ofZeros(1, 1, 0, 1));
        assertThat(found.contextLength()).isZero();
        assertThatThrownBy(
                        () -> DecoderSignature.builder(session).mask("nothing").build())
                .hasMessageContaining("Invalid input name: nothing");
        assertThatThrownBy(() ->
                        DecoderSignature.builder(session).logits("nothing").build())
                .hasMessageContaining("Invalid output name: nothing");
        Session cacheless = engine.session(SummingModel.withoutCache(), SessionOptions.defaults());
        assertThatThrownBy(() -> Generator.of(cacheless, found)).hasMessageContaining("another model");
        DecoderSignature fixed = DecoderSignature.builder(session)
                .positions(null)
                .fixed("position_ids", Tensor.copyOf(new long[] {0}, 1, 1))
                .build();
        assertThat(Generator.of(session, fixed)
                        .run(new long[] {2}, SOME.toBuilder().maxTokens(2).build())
                        .ids())
                .containsExactly(4, 10);
    }

    @Test
    void aStepIsGivenWhatIsNewAndHowMuchIsKnown() {
        try (Session merged = engine.session(SummingModel.merged(), SessionOptions.defaults())) {
            DecoderSignature signature = DecoderSignature.of(merged);
            Inputs first = signature.steps().of(new int[] {7, 8, 9, 0}, 0, 2, 2);
            assertThat(numbers(first, "input_ids")).containsExactly(7, 8);
            assertThat(numbers(first, "use_cache_branch")).containsExactly(0);
            Inputs next = signature.steps().of(new int[] {7, 8, 9, 0}, 2, 3, 3);
            assertThat(numbers(next, "input_ids")).containsExactly(9);
            assertThat(numbers(next, "attention_mask")).containsExactly(1, 1, 1);
            assertThat(numbers(next, "position_ids")).containsExactly(2);
            assertThat(numbers(next, "use_cache_branch")).containsExactly(1);
            assertThat(numbers(next, "num_logits_to_keep")).containsExactly(1);
            assertThat(Generator.of(merged).run(new long[] {3, 1, 4}, SOME).ids())
                    .containsExactly(SummingModel.said(20, 3, 1, 4));
        }
    }

    private static long[] numbers(Inputs inputs, String name) {
        return ((Tensor) requireNonNull(inputs.input(name))).longs();
    }
}
