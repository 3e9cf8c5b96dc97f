package dev.millrace.providers.cpu.search;

import static dev.millrace.providers.cpu.search.TinyDecoder.PAD;
import static dev.millrace.providers.cpu.search.TinyDecoder.WORDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.NestedBody;
import dev.millrace.providers.cpu.OneNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToIntFunction;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of searches with a model of five words, against loops over its formula. */
class SearchKernelsTest {
    private static final int END = 4;

    private static final float TEMPERATURE = 40;

    /** Three prompts, two of which begin with padding. */
    private static final int[][] PROMPTS = {{1, 2, 3}, {PAD, 3, 1}, {PAD, PAD, 2}};

    private static Tensor prompts() {
        return Tensor.copyOf(Arrays.stream(PROMPTS).flatMapToInt(Arrays::stream).toArray(), 3, 3);
    }

    private static Tensor ints(int... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static Tensor real(float value) {
        return Tensor.copyOf(new float[] {value}, 1);
    }

    private static OneNode search(String name, TinyDecoder decoder, int end) {
        return OneNode.of(OpId.MICROSOFT, name, 1)
                .with("decoder", decoder.graph())
                .with("eos_token_id", end)
                .with("pad_token_id", PAD);
    }

    private static int largest(double[] scores) {
        int best = 0;
        for (int i = 1; i < scores.length; i++) {
            best = scores[i] > scores[best] ? i : best;
        }
        return best;
    }

    /** Appends words to a prompt until its end; what is behind that is padding. */
    private static int[] extended(int[] prompt, int most, ToIntFunction<int[]> choice) {
        int[] words = prompt;
        while (words.length < most) {
            int word = choice.applyAsInt(words);
            if (word == END) {
                break;
            }
            words = Arrays.copyOf(words, words.length + 1);
            words[words.length - 1] = word;
        }
        return Arrays.copyOf(words, most);
    }

    private static int[] all(int most, ToIntFunction<int[]> choice) {
        return Arrays.stream(PROMPTS)
                .flatMapToInt(prompt -> Arrays.stream(extended(prompt, most, choice)))
                .toArray();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void theLikeliestWordsFollowOneAnother(long seed) {
        var decoder = new TinyDecoder(seed);
        Tensor words = search("GreedySearch", decoder, END).run(prompts(), ints(9));
        assertThat(words.shape()).isEqualTo(Shape.of(3, 9));
        assertThat(words.ints()).containsExactly(all(9, sequence -> largest(decoder.scores(sequence))));
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void rulesChangeTheScoresBeforeAWordIsChosen(long seed) {
        var decoder = new TinyDecoder(seed);
        int least = 6;
        int[] allowed = {1, 1, 0, 1, 1};
        int[] allowedFirst = {1, 0, 1, 1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 0, 1};
        Tensor words = search("GreedySearch", decoder, END)
                .with("no_repeat_ngram_size", 2)
                .run(prompts(), ints(9), ints(least), real(1.5f), ints(allowed), Tensor.copyOf(allowedFirst, 3, 5));
        int[] expected = all(9, sequence -> {
            double[] scores = decoder.scores(sequence);
            Arrays.stream(sequence).distinct().forEach(word -> scores[word] *= scores[word] < 0 ? 1.5 : 1 / 1.5);
            int row = row(sequence);
            for (int word = 0; word < WORDS; word++) {
                boolean repeats = false;
                for (int i = 0; i + 1 < sequence.length; i++) {
                    repeats |= sequence[i] == sequence[sequence.length - 1] && sequence[i + 1] == word;
                }
                boolean isForbidden = allowed[word] == 0
                        || (sequence.length == 3 && allowedFirst[row * WORDS + word] == 0)
                        || (word == END && sequence.length < least);
                scores[word] = repeats || isForbidden ? -1e30 : scores[word];
            }
            return largest(scores);
        });
        assertThat(words.ints()).containsExactly(expected);
    }

    /** Returns the number of the prompt that a sequence begins with. */
    private static int row(int[] sequence) {
        int row = 0;
        while (!Arrays.equals(PROMPTS[row], Arrays.copyOf(sequence, 3))) {
            row++;
        }
        return row;
    }

    /** Words that are drawn belong to the likeliest ones that have a share of one half together. */
    @Test
    void onlyTheLikeliestWordsAreDrawnAndEachSeedDrawsTheSame() {
        var decoder = new TinyDecoder(3);
        OneNode sampling = search("Sampling", decoder, END)
                .with("top_p", Attribute.of(0.5f))
                .with("temperature", Attribute.of(TEMPERATURE));
        var drawn = new ArrayList<String>();
        for (int seed = 1; seed < 30; seed++) {
            int[] words = sampling.run(seeded(seed)).ints();
            assertThat(sampling.run(seeded(seed)).ints()).containsExactly(words);
            drawn.add(Arrays.toString(words));
            int[] expected = all(7, sequence -> {
                int drawnWord = words[row(sequence) * 7 + sequence.length];
                int word = drawnWord == PAD ? END : drawnWord;
                assertThat(before(decoder.scores(sequence), word)).isLessThan(0.5 + 1e-5);
                return word;
            });
            assertThat(words).containsExactly(expected);
        }
        assertThat(drawn.stream().distinct().count()).isGreaterThan(5);
    }

    @Test
    void aShareOfNothingLeavesTheLikeliestWord() {
        var decoder = new TinyDecoder(3);
        OneNode sampling = search("Sampling", decoder, END).with("top_p", Attribute.of(0f));
        assertThat(sampling.run(seeded(5)).ints()).containsExactly(all(7, sequence -> {
            double[] scores = decoder.scores(sequence);
            scores[PAD] = Double.NEGATIVE_INFINITY;
            return largest(scores);
        }));
    }

    /** The inputs of a sampling that never draws the padding. */
    private static @Nullable Datum[] seeded(int seed) {
        return new Datum[] {prompts(), ints(7), null, null, ints(0, 1, 1, 1, 1), null, null, null, ints(seed)};
    }

    /** Returns the share of the words but padding that are likelier than one of them. */
    private static double before(double[] scores, int word) {
        double all = 0;
        double before = 0;
        for (int i = 1; i < WORDS; i++) {
            double likelihood = Math.exp(scores[i] / TEMPERATURE);
            all += likelihood;
            before += scores[i] > scores[word] ? likelihood : 0;
        }
        return before / all;
    }

    /** A sequence with the logarithm of its probability. */
    private record Scored(int[] words, double sum) {}

    /** Returns all continuations of a prompt by two words, and those that end with the first or the second of them. */
    private static List<Scored> continuations(TinyDecoder decoder, int[] prompt, int end) {
        var found = new ArrayList<Scored>();
        double[] first = shares(decoder.scores(prompt));
        for (int a = 0; a < WORDS; a++) {
            if (a == end) {
                found.add(new Scored(prompt, first[a]));
                continue;
            }
            int[] longer = Arrays.copyOf(prompt, prompt.length + 1);
            longer[prompt.length] = a;
            double[] second = shares(decoder.scores(longer));
            for (int b = 0; b < WORDS; b++) {
                int[] longest = Arrays.copyOf(longer, longer.length + (b == end ? 0 : 1));
                longest[longest.length - 1] = b == end ? a : b;
                found.add(new Scored(longest, first[a] + second[b]));
            }
        }
        found.sort(Comparator.comparingDouble(each -> -each.sum()));
        return found;
    }

    private static double[] shares(double[] scores) {
        double all = Arrays.stream(scores).map(Math::exp).sum();
        return Arrays.stream(scores).map(score -> score - Math.log(all)).toArray();
    }

    /** A search with as many beams as words loses none of the best continuations by two words. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void manyBeamsFindTheBestOfAllContinuations(long seed) {
        var decoder = new TinyDecoder(seed);
        for (int end : new int[] {-1, END}) {
            int kept = end == END ? 1 : 3;
            List<Datum> results = search("BeamSearch", decoder, end)
                    .outputs(2)
                    .runAll(prompts(), ints(5), null, ints(WORDS), ints(kept), real(0));
            assertThat(((Tensor) results.getFirst()).shape()).isEqualTo(Shape.of(3, kept, 5));
            for (int i = 0; i < 3 * kept; i++) {
                Scored best = continuations(decoder, PROMPTS[i / kept], end).get(i % kept);
                int[] words = Arrays.copyOfRange(((Tensor) results.getFirst()).ints(), i * 5, (i + 1) * 5);
                assertThat(words).containsExactly(Arrays.copyOf(best.words(), 5));
                assertThat(((Tensor) results.get(1)).doubles()[i]).isCloseTo(best.sum(), within(1e-4));
            }
        }
    }

    @Test
    void oneBeamIsAGreedySearch() {
        for (long seed = 1; seed < 9; seed++) {
            var decoder = new TinyDecoder(seed);
            Tensor words = search("BeamSearch", decoder, -1).run(prompts(), ints(9), null, ints(1));
            assertThat(words.ints())
                    .containsExactly(search("GreedySearch", decoder, -1)
                            .run(prompts(), ints(9))
                            .ints());
        }
    }

    @Test
    void theScoresOfEachStepAreGivenBySequence() {
        var decoder = new TinyDecoder(1);
        List<Datum> results = search("BeamSearch", decoder, -1)
                .outputs(3)
                .runAll(prompts(), ints(5), null, ints(2), ints(1), real(0));
        Tensor steps = (Tensor) results.get(2);
        assertThat(steps.shape()).isEqualTo(Shape.of(2, 3, 2, WORDS));
        double[] first = shares(decoder.scores(PROMPTS[1]));
        double[] given = Arrays.copyOfRange(steps.doubles(), 2 * WORDS, 3 * WORDS);
        assertThat(given).containsExactly(first, within(1e-4));
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> refused(
            Status status, OneNode node, @Nullable Datum... inputs) {
        return assertThatThrownBy(() -> node.runAll(inputs))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status));
    }

    @Test
    void limitsOutsideOfTheirRangesAreRefused() {
        var decoder = new TinyDecoder(1);
        OneNode beams = search("BeamSearch", decoder, END);
        Status wrong = Status.INVALID_ARGUMENT;
        refused(wrong, beams, prompts(), ints(3)).hasMessageContaining("max_length is 3 where sequences begin with 3");
        refused(wrong, beams, prompts(), ints(0)).hasMessageContaining("max_length is 0 where 1 to 4096 is expected");
        refused(wrong, beams, prompts(), ints(5), null, ints(129))
                .hasMessageContaining("num_beams is 129 where 1 to 128 is expected");
        refused(wrong, beams, prompts(), ints(5), null, ints(2), ints(3))
                .hasMessageContaining("num_return_sequences is 3 where 1 to 2 is expected");
        refused(wrong, beams, prompts(), ints(5, 6)).hasMessageContaining("input 1 is one number, but here is");
        OneNode greedy = search("GreedySearch", decoder, END);
        refused(wrong, greedy, prompts(), ints(5), null, real(0))
                .hasMessageContaining("repetition_penalty is 0.0 where a positive number is expected");
        refused(wrong, greedy, prompts(), ints(5), null, null, ints(1, 1))
                .hasMessageContaining("a mask of words does not fit a vocabulary of 5");
        refused(wrong, greedy, ints(1, 2), ints(5)).hasMessageContaining("words are");
        refused(wrong, greedy, prompts(), ints(5), null, null, null, null, ints(1, 1, 1))
                .hasMessageContaining("for words of shape [3, 3]");
        refused(wrong, search("GreedySearch", decoder, END).with("temperature", Attribute.of(0f)), prompts(), ints(5))
                .hasMessageContaining("temperature is 0.0 where a positive number is expected");
    }

    @Test
    void whatCannotBeSearchedIsNamed() {
        var decoder = new TinyDecoder(1);
        Status unknown = Status.NOT_IMPLEMENTED;
        refused(unknown, search("BeamSearch", decoder, END).with("model_type", 3), prompts(), ints(5))
                .hasMessageContaining("model_type 3 where 0 to 2 are known");
        refused(unknown, search("BeamSearch", decoder, END).with("model_type", 1), prompts(), ints(5))
                .hasMessageContaining("a decoder without an encoder");
        refused(unknown, search("GreedySearch", decoder, END).with("model_type", 1), prompts(), ints(5))
                .hasMessageContaining("model_type 1 where 0, a decoder alone, is known");
        var body = new NestedBody();
        body.gives(body.op("Identity", body.input("input_ids", null)), null);
        body.input("past_0", null);
        refused(unknown, search("GreedySearch", decoder, END).with("decoder", body.attribute()), prompts(), ints(5))
                .hasMessageContaining("a graph that asks for 'past_0'");
        var flat = new NestedBody();
        flat.gives(flat.op("Identity", flat.input("input_ids", null)), null);
        refused(
                        Status.INVALID_GRAPH,
                        search("GreedySearch", decoder, END).with("decoder", flat.attribute()),
                        prompts(),
                        ints(5))
                .hasMessageContaining("scores of shape [3, 3] where sequence, step and word are expected");
    }
}
