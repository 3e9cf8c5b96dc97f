package dev.millrace.session.generate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Beam searches find the texts that a search without caches finds. */
@Timeout(60)
class BeamsTest {
    private static final GenerationOptions SOME =
            GenerationOptions.builder().maxTokens(12).stopTokens(3, 5).build();
    private static final BeamOptions FOUR =
            BeamOptions.builder().beams(4).returned(3).build();

    private final AtomicInteger runs = new AtomicInteger();

    @AutoClose
    private final Engine engine = Engine.create(EngineOptions.builder()
            .threads(1)
            .requestListener(request -> runs.incrementAndGet())
            .build());

    private Session session(SmallDecoderModel.Form form, long seed) {
        return engine.session(SmallDecoderModel.bytes(form, seed), SessionOptions.defaults());
    }

    private static int[] prompt(int length, long seed) {
        return new Random(seed).ints(length, 0, AttentionGraph.WORDS).toArray();
    }

    private static long[] longs(int... values) {
        return Arrays.stream(values).asLongStream().toArray();
    }

    private static void assertFinds(
            Generator generator, long seed, int[] prompt, GenerationOptions generation, BeamOptions beams) {
        List<PlainBeamSearch.Text> expected =
                new PlainBeamSearch(tokens -> SmallDecoderModel.logits(seed, tokens), beams, generation).best(prompt);
        List<ScoredGeneration> found = generator.beams(longs(prompt), generation, beams);
        assertThat(found).hasSameSizeAs(expected);
        for (int i = 0; i < found.size(); i++) {
            Generation text = found.get(i).generation();
            assertThat(LongStream.concat(Arrays.stream(longs(prompt)), Arrays.stream(text.ids()))
                            .toArray())
                    .as("text %s of seed %s with %s", i, seed, beams)
                    .containsExactly(longs(expected.get(i).tokens()));
            assertThat(found.get(i).score()).isCloseTo(expected.get(i).score(), within(1e-4));
            assertThat(text.ending())
                    .isEqualTo(
                            generation.stopTokens().contains(text.ids()[text.ids().length - 1])
                                    ? Ending.STOP_TOKEN
                                    : Ending.MAX_TOKENS);
        }
    }

    @ParameterizedTest
    @EnumSource
    void theBestTextsAreThoseOfAPlainSearch(SmallDecoderModel.Form form) {
        for (long seed = 0; seed < 6; seed++) {
            try (Session session = session(form, seed)) {
                Generator generator = Generator.of(session);
                for (BeamOptions.Stopping stopping : BeamOptions.Stopping.values()) {
                    for (double penalty : new double[] {-1, 0, 0.6, 1, 2}) {
                        BeamOptions beams = FOUR.toBuilder()
                                .lengthPenalty(penalty)
                                .stopping(stopping)
                                .build();
                        assertFinds(generator, seed, prompt(1 + (int) seed, seed), SOME, beams);
                    }
                }
            }
        }
    }

    @Test
    void oneBeamIsTheLikeliestTokenEachTime() {
        try (Session session = session(SmallDecoderModel.Form.GROWING, 7)) {
            Generator generator = Generator.of(session);
            BeamOptions one = BeamOptions.builder().beams(1).build();
            assertThat(generator
                            .beams(new long[] {1, 2}, SOME, one)
                            .getFirst()
                            .generation()
                            .ids())
                    .containsExactly(generator.run(new long[] {1, 2}, SOME).ids());
        }
    }

    @Test
    void moreBeamsThanTokensAreFilledLater() {
        BeamOptions many = BeamOptions.builder().beams(20).returned(20).build();
        try (Session session = session(SmallDecoderModel.Form.GROWING, 8)) {
            List<ScoredGeneration> found = Generator.of(session).beams(new long[] {1}, SOME, many);
            assertThat(found).hasSize(20);
            assertThat(found.stream()
                            .map(text -> Arrays.toString(text.generation().ids())))
                    .doesNotHaveDuplicates();
            assertThat(found).isSortedAccordingTo((a, b) -> Double.compare(b.score(), a.score()));
        }
    }

    @Test
    void allBeamsAreOneRun() {
        GenerationOptions ten = GenerationOptions.builder().maxTokens(10).build();
        try (Session session = session(SmallDecoderModel.Form.GROWING, 1)) {
            Generator.of(session).beams(new long[] {1, 2, 3}, ten, FOUR);
        }
        assertThat(runs).as("one of the prompt, and one for each further token").hasValue(10);
        runs.set(0);
        try (Session session = session(SmallDecoderModel.Form.ONE_TEXT, 1)) {
            Generator.of(session).beams(new long[] {1, 2, 3}, ten, FOUR);
        }
        assertThat(runs)
                .as("one of the prompt, and four for each further token")
                .hasValue(37);
    }

    @Test
    void cachesOutgrowTheirRoom() {
        GenerationOptions long1 = GenerationOptions.builder().maxTokens(20).build();
        try (Session session = session(SmallDecoderModel.Form.WITH_ROOM, 2)) {
            DecoderSignature signature = DecoderSignature.of(session);
            assertThat(signature.hasRoom()).isTrue();
            assertFinds(Generator.of(session), 2, prompt(250, 2), long1, FOUR);
            assertFinds(Generator.of(session), 2, prompt(600, 3), long1, FOUR);
        }
    }

    @Test
    void aSearchTakesKnownBeginningsAndLeavesThem() {
        long[] prompt = longs(prompt(30, 4));
        for (SmallDecoderModel.Form form : SmallDecoderModel.Form.values()) {
            GeneratorOptions keeps =
                    GeneratorOptions.builder().prefixBytes(1 << 20).build();
            try (Session session = session(form, 4);
                    Generator generator = Generator.of(session, DecoderSignature.of(session), keeps)) {
                List<ScoredGeneration> first = generator.beams(prompt, SOME, FOUR);
                List<ScoredGeneration> again = generator.beams(prompt, SOME, FOUR);
                assertThat(again).hasSameSizeAs(first);
                for (int i = 0; i < first.size(); i++) {
                    assertThat(again.get(i).generation().ids())
                            .containsExactly(first.get(i).generation().ids());
                }
                int known = form == SmallDecoderModel.Form.WITHOUT_CACHES ? 0 : 29;
                assertThat(again.getFirst().generation().tokens().getFirst().usage())
                        .isEqualTo(new TokenUsage(30, known, 1));
            }
        }
    }

    @Test
    void theSameSearchRunsAsAStreamAndFindsTheSame() {
        for (SmallDecoderModel.Form form : SmallDecoderModel.Form.values()) {
            try (Session session = session(form, 5)) {
                Generator generator = Generator.of(session);
                assertThat(generator.beamsMono(new long[] {4, 2}, SOME, FOUR).block())
                        .isEqualTo(generator.beams(new long[] {4, 2}, SOME, FOUR));
            }
        }
    }

    @Test
    void tokensReportTheirLogProbabilities() {
        try (Session session = session(SmallDecoderModel.Form.GROWING, 6)) {
            GenerationOptions reported = SOME.toBuilder().logprobs(2).build();
            ScoredGeneration best =
                    Generator.of(session).beams(new long[] {1}, reported, FOUR).getFirst();
            double sum = best.generation().tokens().stream()
                    .mapToDouble(token -> requireNonNull(token.likelihood()).logprob())
                    .sum();
            assertThat(sum / best.generation().tokens().size()).isCloseTo(best.score(), within(1e-5));
            assertThat(best.generation().tokens())
                    .allMatch(token -> requireNonNull(token.likelihood()).best().size() == 2);
        }
    }

    @Test
    void optionsOfTheTextsApplyToEachBeam() {
        try (Session session = session(SmallDecoderModel.Form.GROWING, 9)) {
            Generator generator = Generator.of(session);
            GenerationOptions options = GenerationOptions.builder()
                    .maxTokens(10)
                    .noRepeatNgram(1)
                    .logitBias(7, Double.NEGATIVE_INFINITY)
                    .build();
            for (ScoredGeneration text : generator.beams(new long[] {1}, options, FOUR)) {
                assertThat(text.generation().ids())
                        .hasSize(10)
                        .doesNotHaveDuplicates()
                        .doesNotContain(1, 7);
            }
            long[] all = LongStream.range(0, AttentionGraph.WORDS).toArray();
            GenerationOptions none = options.toBuilder().noRepeatNgram(1).build();
            assertThatThrownBy(() -> generator.beams(all, none, FOUR)).hasMessageContaining("allow no");
        }
    }

    @Test
    void theContextEndsASearch() {
        try (Session session = session(SmallDecoderModel.Form.GROWING, 10)) {
            Generator small = Generator.of(
                    session, DecoderSignature.builder(session).contextLength(5).build());
            GenerationOptions endless =
                    GenerationOptions.builder().maxTokens(1000).build();
            for (ScoredGeneration text : small.beams(new long[] {1, 2, 3}, endless, FOUR)) {
                assertThat(text.generation().ending()).isEqualTo(Ending.CONTEXT_FULL);
                assertThat(text.generation().ids()).hasSize(3);
            }
        }
    }

    @Test
    void whatIsNoSearchIsRefused() {
        try (Session session = session(SmallDecoderModel.Form.GROWING, 1)) {
            Generator generator = Generator.of(session);
            GenerationOptions drawn = SOME.toBuilder().temperature(1).build();
            assertThatThrownBy(() -> generator.beams(new long[] {1}, drawn, FOUR))
                    .hasMessageContaining("its temperature is 0");
            GenerationOptions late = GenerationOptions.builder()
                    .maxTokens(1_000_000)
                    .timeLimit(Duration.ofMillis(50))
                    .build();
            assertThatThrownBy(() -> generator.beams(new long[] {1}, late, FOUR))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.DEADLINE_EXCEEDED));
        }
        assertThatThrownBy(() -> BeamOptions.builder().beams(0).build()).hasMessageContaining("beams is 0");
        assertThatThrownBy(() -> BeamOptions.builder().returned(5).build()).hasMessageContaining("returned is 5");
        assertThatThrownBy(() -> BeamOptions.builder().lengthPenalty(Double.NaN).build())
                .hasMessageContaining("lengthPenalty is NaN");
    }

    @Test
    void onlyFurtherChildrenOfABeamAreCopied() {
        var entries = new BeamEntries(4);
        assertThat(entries.advance(new int[] {3, 1, 2, 0}))
                .as("all go on in their places")
                .isEmpty();
        assertThat(IntStream.range(0, 4).map(entries::entry)).containsExactly(3, 1, 2, 0);
        assertThat(entries.advance(new int[] {1, 1, 0, 1}))
                .containsExactly(new BeamEntries.Copy(1, 0), new BeamEntries.Copy(1, 2));
        assertThat(IntStream.range(0, 4).map(entries::entry)).containsExactly(1, 0, 3, 2);
    }
}
