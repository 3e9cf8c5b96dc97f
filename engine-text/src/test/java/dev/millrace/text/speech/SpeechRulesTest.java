package dev.millrace.text.speech;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Texts of random scores: their tokens are as the rules say. */
class SpeechRulesTest {
    private static final int FIRST = 27;
    private static final int SIZE = FIRST + 100;

    static final Map<String, Integer> LANGUAGES = new LinkedHashMap<>(Map.of("en", 22, "de", 23));
    static final SpeechTokens TOKENS =
            new SpeechTokens(21, 20, LANGUAGES, 25, 24, 26, new int[] {5, 6}, new int[] {7, 20}, 50);

    private static int[] said(SpeechRules rules, long seed, int most, double bias) {
        var random = new Random(seed);
        int[] said = {};
        while (said.length < most && (said.length == 0 || said[said.length - 1] != TOKENS.end())) {
            float[] scores = new float[SIZE];
            for (int i = 0; i < SIZE; i++) {
                scores[i] = (float) (3 * random.nextGaussian() + (i < FIRST ? bias : 0));
            }
            rules.apply(scores, said);
            int best = IntStream.range(0, SIZE)
                    .reduce((a, b) -> scores[b] > scores[a] ? b : a)
                    .orElseThrow();
            assertThat(scores[best])
                    .as("something may follow %s", Arrays.toString(said))
                    .isGreaterThan(-1e30f);
            said = Arrays.copyOf(said, said.length + 1);
            said[said.length - 1] = best;
        }
        return said;
    }

    @Test
    void timestampsStandInPairsAndDoNotDecrease() {
        var rules = new SpeechRules(TOKENS, new int[0], true);
        int pairs = 0;
        for (long seed = 0; seed < 300; seed++) {
            int[] said = said(rules, seed, 40, seed % 7);
            assertThat(said[0]).as("a timestamp is first, and not too late").isBetween(FIRST, FIRST + 50);
            List<Integer> stamps =
                    Arrays.stream(said).filter(token -> token >= FIRST).boxed().toList();
            assertThat(stamps).isSorted();
            for (int i = 1; i < said.length; i++) {
                boolean isStamp = said[i] >= FIRST;
                boolean isAfterStamp = said[i - 1] >= FIRST;
                if (isStamp && isAfterStamp) {
                    assertThat(i >= 2 && said[i - 2] < FIRST)
                            .as("no three, and no pair at the beginning")
                            .isTrue();
                    pairs++;
                } else if (isAfterStamp && i >= 2 && said[i - 2] < FIRST) {
                    assertThat(said[i])
                            .as("behind one alone follow its pair, or the end")
                            .isBetween(20, 26);
                }
            }
            assertThat(said).doesNotContain(5, 6, TOKENS.noTimestamps());
        }
        assertThat(pairs).as("pairs of timestamps").isGreaterThan(100);
    }

    @Test
    void aTextEndsBehindTheTimestampThatItsStartIsLessThan() {
        float[] scores = new float[SIZE];
        var rules = new SpeechRules(TOKENS, new int[0], true);
        rules.apply(scores, new int[] {FIRST + 10, 1});
        assertThat(scores[FIRST + 10]).isEqualTo(Float.NEGATIVE_INFINITY);
        assertThat(scores[FIRST + 11]).isZero();
        float[] pair = new float[SIZE];
        rules.apply(pair, new int[] {FIRST + 10, 1, FIRST + 20});
        assertThat(pair[FIRST + 19]).isEqualTo(Float.NEGATIVE_INFINITY);
        assertThat(pair[FIRST + 20])
                .as("the next part may begin where this one ends")
                .isZero();
    }

    @Test
    void timestampsThatAreLikelierTogetherThanAnyWordComeFirst() {
        var rules = new SpeechRules(TOKENS, new int[0], true);
        float[] scores = new float[SIZE];
        scores[1] = 2;
        rules.apply(scores, new int[] {FIRST, 1});
        assertThat(scores[1]).as("99 timestamps of 0 sum up to more than 2").isEqualTo(Float.NEGATIVE_INFINITY);
        float[] sure = new float[SIZE];
        sure[1] = 8;
        rules.apply(sure, new int[] {FIRST, 1});
        assertThat(sure[1]).isEqualTo(8);
    }

    @Test
    void aTextBeginsWithTheLikeliestLanguageAndTheTask() {
        int[] preamble = {SpeechRules.ANY_LANGUAGE, TOKENS.transcribe(), TOKENS.noTimestamps()};
        var rules = new SpeechRules(TOKENS, preamble, false);
        var languages = new ArrayList<Integer>();
        for (long seed = 0; seed < 50; seed++) {
            int[] said = said(rules, seed, 10, 0);
            languages.add(said[0]);
            assertThat(Arrays.copyOfRange(said, 1, 3)).containsExactly(25, 26);
            assertThat(said[3]).as("tokens that begin no text").isNotIn(5, 6, 7, 20);
        }
        assertThat(languages).contains(22, 23).containsOnly(22, 23);
        float[] forced = new float[SIZE];
        rules.apply(forced, new int[] {22});
        assertThat(forced[25]).as("a forced token changes no score of a text").isZero();
    }

    @Test
    void aModelOfOtherTokensIsRefused() {
        assertThatThrownBy(() -> new SpeechRules(TOKENS, new int[0], true).apply(new float[20], new int[0]))
                .hasMessageContaining("the model knows 20 tokens");
    }

    private static String parsed(int frames, int... said) {
        WindowParser.Window window = WindowParser.parse(TOKENS, said, frames);
        var text = new StringBuilder();
        for (WindowParser.Part part : window.parts()) {
            text.append(part.start())
                    .append('-')
                    .append(part.end())
                    .append(Arrays.toString(part.tokens()))
                    .append(' ');
        }
        return text.append(window.frames()).toString();
    }

    @Test
    void aWindowEndsWithItsLastWholePart() {
        int t = FIRST;
        assertThat(parsed(3000, t, 1, 2, t + 30, t + 30, 3, t + 60, 20)).isEqualTo("0-30[1, 2] 30-60[3] 3000");
        assertThat(parsed(3000, t, 1, 2, t + 30, t + 40, 3, 20)).isEqualTo("0-30[1, 2] 60");
        assertThat(parsed(3000, t, 1, t + 30, t + 30, 3, t + 50, t + 50, 20)).isEqualTo("0-30[1] 30-50[3] 100");
        assertThat(parsed(3000, t + 5, 1, 2, t + 70, 20)).as("one part").isEqualTo("0-70[1, 2] 3000");
        assertThat(parsed(500, 1, 2, 20)).as("no timestamps").isEqualTo("0-250[1, 2] 500");
        assertThat(parsed(500, t, 1, 20)).isEqualTo("0-250[1] 500");
    }
}
