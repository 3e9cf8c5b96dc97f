package dev.millrace.session.generate;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.test.StepVerifier;

/** Texts of models of an encoder and a decoder are those that follow from all tokens without caches. */
@Timeout(60)
class EncoderDecoderTest {
    private static final long[] START = {2};
    private static final GenerationOptions SOME =
            GenerationOptions.builder().maxTokens(12).stopTokens(3).build();
    private static final BeamOptions FOUR =
            BeamOptions.builder().beams(4).returned(4).build();

    private final AtomicInteger runs = new AtomicInteger();
    private final Engine engine = Engine.create(EngineOptions.builder()
            .threads(1)
            .requestListener(request -> runs.incrementAndGet())
            .build());
    private final List<Session> sessions = new ArrayList<>();

    /** The files of a decoder. */
    enum Form {
        MERGED,
        TWO_FILES,
        WITHOUT_CACHES
    }

    @AfterEach
    void close() {
        sessions.forEach(Session::close);
        engine.close();
    }

    private Session session(byte[] model) {
        Session session = engine.session(model, SessionOptions.defaults());
        sessions.add(session);
        return session;
    }

    private EncoderDecoder model(Form form, long seed) {
        Session encoder = session(SmallEncoderDecoder.encoder(seed));
        return switch (form) {
            case MERGED -> EncoderDecoder.of(encoder, session(SmallEncoderDecoder.merged(seed)));
            case TWO_FILES ->
                EncoderDecoder.of(
                        encoder, session(SmallEncoderDecoder.first(seed)), session(SmallEncoderDecoder.later(seed)));
            case WITHOUT_CACHES -> EncoderDecoder.of(encoder, session(SmallEncoderDecoder.first(seed)));
        };
    }

    private static int[] text(int length, long seed) {
        return new Random(seed).ints(length, 0, AttentionGraph.WORDS).toArray();
    }

    private static long[] longs(int... values) {
        return Arrays.stream(values).asLongStream().toArray();
    }

    /** Returns the inputs of the encoder, with a token behind the text that the mask leaves out. */
    private static Inputs input(int... text) {
        long[] padded = longs(Arrays.copyOf(text, text.length + 1));
        long[] mask = new long[padded.length];
        Arrays.fill(mask, 0, text.length, 1);
        return Inputs.of("input_ids", Tensor.copyOf(padded, 1, padded.length))
                .and("attention_mask", Tensor.copyOf(mask, 1, mask.length));
    }

    private static Function<int[], double[]> logits(long seed, int... text) {
        return tokens -> SmallEncoderDecoder.logits(seed, text, tokens);
    }

    private static long[] likeliest(long seed, int... text) {
        int[] all = {(int) START[0]};
        do {
            double[] logits = SmallEncoderDecoder.logits(seed, text, all);
            all = Arrays.copyOf(all, all.length + 1);
            all[all.length - 1] = IntStream.range(0, logits.length)
                    .reduce((a, b) -> logits[b] > logits[a] ? b : a)
                    .orElseThrow();
        } while (all[all.length - 1] != 3 && all.length < 13);
        return longs(Arrays.copyOfRange(all, 1, all.length));
    }

    @ParameterizedTest
    @EnumSource
    void theLikeliestTokensFollowFromTheWholeText(Form form) {
        for (long seed = 0; seed < 5; seed++) {
            EncoderDecoder model = model(form, seed);
            int[] text = text(3 + (int) seed, seed);
            long[] expected = likeliest(seed, text);
            Generation generation = model.run(input(text), START, SOME);
            assertThat(generation.ids()).containsExactly(expected);
            assertThat(model.mono(input(text), START, SOME).block()).isEqualTo(generation);
            assertThat(model.flux(input(text), START, SOME).collectList().block())
                    .isEqualTo(generation.tokens());
        }
    }

    @ParameterizedTest
    @EnumSource
    void theBestTextsAreThoseOfAPlainSearch(Form form) {
        for (long seed = 0; seed < 5; seed++) {
            EncoderDecoder model = model(form, seed);
            int[] text = text(4, seed);
            List<PlainBeamSearch.Text> expected =
                    new PlainBeamSearch(logits(seed, text), FOUR, SOME).best((int) START[0]);
            List<ScoredGeneration> found = model.beams(input(text), START, SOME, FOUR);
            assertThat(found).hasSize(4);
            for (int i = 0; i < 4; i++) {
                int[] tokens = expected.get(i).tokens();
                assertThat(found.get(i).generation().ids())
                        .containsExactly(longs(Arrays.copyOfRange(tokens, 1, tokens.length)));
                assertThat(found.get(i).score()).isCloseTo(expected.get(i).score(), within(1e-4));
            }
            assertThat(model.beamsMono(input(text), START, SOME, FOUR).block()).isEqualTo(found);
        }
    }

    @Test
    void theEncoderRunsOnceAndAllBeamsAreOneRun() {
        GenerationOptions ten = GenerationOptions.builder().maxTokens(10).build();
        EncoderDecoder model = model(Form.MERGED, 1);
        model.run(input(1, 2, 3), START, ten);
        assertThat(runs).hasValue(11);
        model.beams(input(1, 2, 3), START, ten, FOUR);
        assertThat(runs).hasValue(22);
    }

    @Test
    void aPromptMayHaveSeveralTokens() {
        EncoderDecoder model = model(Form.MERGED, 3);
        int[] text = {5, 6};
        long[] whole = model.run(input(text), START, SOME).ids();
        GenerationOptions rest = SOME.toBuilder().maxTokens(11).build();
        assertThat(model.run(input(text), new long[] {START[0], whole[0]}, rest).ids())
                .containsExactly(Arrays.copyOfRange(whole, 1, whole.length));
    }

    @Test
    void textsAtOnceDoNotMix() {
        EncoderDecoder model = model(Form.TWO_FILES, 4);
        List<long[]> said = Flux.range(0, 20)
                .flatMapSequential(i -> model.mono(input(text(3, i)), START, SOME), 20)
                .map(Generation::ids)
                .collectList()
                .block();
        for (int i = 0; i < 20; i++) {
            assertThat(requireNonNull(said).get(i)).containsExactly(likeliest(4, text(3, i)));
        }
    }

    @Test
    void aStreamThatIsCancelledStops() {
        EncoderDecoder model = model(Form.MERGED, 5);
        GenerationOptions endless =
                GenerationOptions.builder().maxTokens(100_000).build();
        StepVerifier.create(model.flux(input(1, 2), START, endless), 2)
                .expectNextCount(2)
                .thenCancel()
                .verify();
        assertThat(runs).hasValue(3);
        assertThat(model.run(input(1, 2), START, endless, token -> token.index() < 3)
                        .ending())
                .isEqualTo(Ending.STOPPED);
    }

    @Test
    void aRuleChangesScores() {
        EncoderDecoder even = model(Form.MERGED, 6).with((scores, tokens) -> {
            for (int i = 0; i < scores.length; i++) {
                if (i % 2 != tokens.length % 2) {
                    scores[i] = Float.NEGATIVE_INFINITY;
                }
            }
        });
        long[] ids = even.run(input(1, 2), START, SOME.toBuilder().maxTokens(4).build())
                .ids();
        assertThat(Arrays.stream(ids).map(id -> id % 2)).startsWith(0L, 1L);
        for (ScoredGeneration text : even.beams(input(1, 2), START, SOME, FOUR)) {
            assertThat(text.generation().ids()[0] % 2).isZero();
        }
    }

    @Test
    void aWrongDecoderIsRefusedWithWhatIsMissing() {
        Session encoder = session(SmallEncoderDecoder.encoder(1));
        Session later = session(SmallEncoderDecoder.later(1));
        assertThatThrownBy(() -> EncoderDecoder.of(encoder, later)).hasMessageContaining("use_cache_branch");
        assertThatThrownBy(() -> EncoderDecoder.of(encoder, encoder)).hasMessageContaining("an output logits");
        assertThatThrownBy(() -> EncoderDecoder.of(encoder, later, later))
                .hasMessageContaining("past_key_values.0.encoder.key");
        assertThatThrownBy(() -> model(Form.MERGED, 1).run(input(1), new long[0], SOME))
                .hasMessageContaining("the prompt is empty");
    }
}
