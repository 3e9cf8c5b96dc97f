package dev.millrace.session.generate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

/** Tokens of the probabilities 1/2, 3/10, 1/10, 1/10. */
class SamplerTest {
    private static float[] scores() {
        return new float[] {(float) Math.log(0.5), (float) Math.log(0.3), (float) Math.log(0.1), (float) Math.log(0.1)};
    }

    private static Sampler sampler(UnaryOperator<GenerationOptions.Builder> change) {
        return new Sampler(change.apply(GenerationOptions.builder()).build());
    }

    private static int chosen(UnaryOperator<GenerationOptions.Builder> change, int prompt, int... before) {
        return sampler(change).choose(scores(), before, prompt).id();
    }

    private static Set<Integer> drawn(UnaryOperator<GenerationOptions.Builder> change) {
        Sampler sampler = sampler(options -> change.apply(options.temperature(1).seed(3)));
        var drawn = new TreeSet<Integer>();
        for (int i = 0; i < 500; i++) {
            drawn.add(sampler.choose(scores(), new int[0], 0).id());
        }
        return drawn;
    }

    @Test
    void theLikeliestIsChosenUnlessABiasMakesAnotherLikelier() {
        assertThat(chosen(options -> options, 0)).isZero();
        assertThat(chosen(options -> options.logitBias(2, 3), 0)).isEqualTo(2);
        assertThat(chosen(options -> options.logitBias(0, Double.NEGATIVE_INFINITY), 0))
                .isEqualTo(1);
        assertThat(chosen(options -> options.logitBias(99, 5), 0)).isZero();
    }

    @Test
    void penaltiesCountTokensOfTheAnswerOnly() {
        assertThat(chosen(options -> options.presencePenalty(1), 1, 0)).isZero();
        assertThat(chosen(options -> options.presencePenalty(1), 0, 0)).isEqualTo(1);
        assertThat(chosen(options -> options.presencePenalty(0.3), 0, 0, 0, 0)).isZero();
        assertThat(chosen(options -> options.frequencyPenalty(0.3), 0, 0, 0)).isEqualTo(1);
        assertThat(chosen(options -> options.frequencyPenalty(0.3), 0, 0)).isZero();
        assertThat(chosen(options -> options.frequencyPenalty(-2), 0, 3)).isEqualTo(3);
    }

    @Test
    void aPhraseIsNotRepeated() {
        assertThat(chosen(options -> options.noRepeatNgram(2), 0, 1, 0, 1)).isEqualTo(1);
        assertThat(chosen(options -> options.noRepeatNgram(3), 0, 1, 0, 1)).isZero();
    }

    @Test
    void tokensThatAreMuchLessLikelyThanTheLikeliestAreNotDrawn() {
        assertThat(drawn(options -> options)).containsExactly(0, 1, 2, 3);
        assertThat(drawn(options -> options.minP(0.3))).containsExactly(0, 1);
        assertThat(drawn(options -> options.minP(0.7))).containsExactly(0);
        assertThat(drawn(options -> options.minP(0.3).topK(1))).containsExactly(0);
        assertThat(drawn(options -> options.minP(0.1).topP(0.85))).containsExactly(0, 1, 2);
    }

    /** The entropy is 1.168 nats; the surprises are 0.693, 1.204 and 2.303 nats. */
    @Test
    void tokensAreTypicalWhoseSurpriseIsNearTheExpectedOne() {
        assertThat(drawn(options -> options.typicalP(0.2))).containsExactly(1);
        assertThat(drawn(options -> options.typicalP(0.5))).containsExactly(0, 1);
        assertThat(drawn(options -> options.typicalP(0.85))).containsExactly(0, 1, 2);
        assertThat(drawn(options -> options.typicalP(0.5).topK(1))).containsExactly(0);
    }

    /** The surprises are 1, 1.74 and 3.32 bits. */
    @Test
    void theSurpriseOfDrawnTokensIsKeptNearATarget() {
        assertThat(drawn(options -> options.mirostat(new Mirostat(0.2, 0.001)))).containsExactly(0);
        assertThat(drawn(options -> options.mirostat(new Mirostat(0.9, 1e-9)))).containsExactly(0, 1);
        assertThat(drawn(options -> options.mirostat(new Mirostat(9, 0.1)))).containsExactly(0, 1, 2, 3);
        for (double target : new double[] {0.6, 1, 1.4}) {
            assertThat(meanSurprise(target)).isCloseTo(target, within(0.05));
        }
    }

    /** Returns the mean surprise among the tokens drawn from, of scores that fall evenly. */
    private static double meanSurprise(double target) {
        var follower = (WordDraw.Following) WordDraw.of(GenerationOptions.builder()
                .temperature(1)
                .mirostat(new Mirostat(target, 0.05))
                .build());
        var random = new SplittableRandom(8);
        double sum = 0;
        double before = follower.bound();
        for (int i = 0; i < 4000; i++) {
            float[] scores = new float[64];
            for (int word = 0; word < scores.length; word++) {
                scores[word] = -0.2f * word;
            }
            follower.word(scores, random.nextDouble());
            sum += (before - follower.bound()) / 0.05 + target;
            before = follower.bound();
        }
        return sum / 4000;
    }

    @Test
    void aTokenReportsItsProbabilityBeforeTheOptions() {
        Sampler.Choice choice =
                sampler(options -> options.logprobs(2).logitBias(2, 5)).choose(scores(), new int[0], 0);
        assertThat(choice.id()).isEqualTo(2);
        TokenLikelihood likelihood = Objects.requireNonNull(choice.likelihood());
        assertThat(likelihood.logprob()).isCloseTo(Math.log(0.1), within(1e-6));
        assertThat(likelihood.best())
                .extracting(TokenLikelihood.Alternative::id)
                .containsExactly(0L, 1L);
        assertThat(likelihood.best().getFirst().logprob()).isCloseTo(Math.log(0.5), within(1e-6));
        assertThat(sampler(options -> options.logprobs(0))
                        .choose(scores(), new int[0], 0)
                        .likelihood())
                .extracting(TokenLikelihood::best)
                .isEqualTo(List.of());
        assertThat(sampler(options -> options).choose(scores(), new int[0], 0).likelihood())
                .isNull();
    }

    @Test
    void optionsThatAllowNoTokenAreRefused() {
        Sampler none = sampler(options -> {
            for (int i = 0; i < 4; i++) {
                options.logitBias(i, Double.NEGATIVE_INFINITY);
            }
            return options;
        });
        assertThatThrownBy(() -> none.choose(scores(), new int[0], 0))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("the options allow none of the 4 tokens");
    }

    @Test
    void optionsOutOfRangeAreRefused() {
        refused("minP", options -> options.minP(1.5));
        refused("typicalP", options -> options.typicalP(0));
        refused("mirostat draws", options -> options.mirostat(new Mirostat(5, 0.1)));
        refused("mirostat draws", options -> options.temperature(1).topK(2).mirostat(new Mirostat(5, 0.1)));
        refused("target of mirostat", options -> options.mirostat(new Mirostat(0, 0.1)));
        refused("rate of mirostat", options -> options.mirostat(new Mirostat(5, 2)));
        refused("noRepeatNgram", options -> options.noRepeatNgram(-1));
        refused("logprobs", options -> options.logprobs(-1));
        refused("logit bias of token 3", options -> options.logitBias(3, Double.NaN));
        refused("frequencyPenalty", options -> options.frequencyPenalty(Double.NaN));
    }

    private static void refused(String name, UnaryOperator<GenerationOptions.Builder> change) {
        assertThatThrownBy(() -> change.apply(GenerationOptions.builder()).build())
                .isInstanceOf(EngineException.class)
                .hasMessageContaining(name);
    }
}
