package dev.millrace.providers.cpu.contrib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of hashes, repeated phrases, warped times and bifurcations. */
class ContribKernelsTest {
    private final Random random = new Random(41);

    private static OneNode node(String name) {
        return OneNode.of(OpId.MICROSOFT, name, 1);
    }

    private static Tensor longs(long... values) {
        return Tensor.copyOf(values, values.length);
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> refused(OneNode node, @Nullable Datum... inputs) {
        return assertThatThrownBy(() -> node.runAll(inputs)).isInstanceOf(EngineException.class);
    }

    /** Values that the author of the function and its users have published. */
    @ParameterizedTest
    @CsvSource({
        "'', 0, 00000000",
        "'', 1, 514e28b7",
        "'', -1, 81f16f39",
        "a, -1756908916, 7fa09ea6",
        "aa, -1756908916, 5d211726",
        "aaa, -1756908916, 283e0130",
        "aaaa, -1756908916, 5a97808a",
        "test, 0, ba6bd213",
        "'Hello, world!', -1756908916, 24884cba",
        "The quick brown fox jumps over the lazy dog, 0, 2e4ff723"
    })
    void textsHaveTheirPublishedHashes(String text, long seed, String hash) {
        Tensor texts = Tensor.ofStrings(Shape.of(1, 2), text, text);
        Tensor unsigned = node("MurmurHash3").with("seed", seed).run(texts);
        long expected = Long.parseLong(hash, 16);
        assertThat(unsigned.type()).isEqualTo(ElementType.UINT32);
        assertThat(unsigned.longs()).containsExactly(expected, expected);
        Tensor signed =
                node("MurmurHash3").with("seed", seed).with("positive", 0).run(texts);
        assertThat(signed.ints()).containsExactly((int) expected, (int) expected);
    }

    /** Numbers are hashed as their bytes, the low one first. These are letters, so that a text has the same ones. */
    @Test
    void numbersHaveTheHashesOfTheirBytes() {
        Tensor ints = Tensor.copyOf(new int[] {0x64636261}, 1);
        Tensor wide = longs(0x6867666564636261L);
        Tensor texts = Tensor.ofStrings(Shape.of(2), "abcd", "abcdefgh");
        long[] expected = node("MurmurHash3").run(texts).longs();
        assertThat(node("MurmurHash3").run(ints).longs()).containsExactly(expected[0]);
        assertThat(node("MurmurHash3").run(wide).longs()).containsExactly(expected[1]);
        assertThat("ä".getBytes(StandardCharsets.UTF_8)).hasSize(2);
        assertThat(node("MurmurHash3").run(Tensor.ofStrings(Shape.of(1), "ä")).longs())
                .isNotEqualTo(node("MurmurHash3")
                        .run(Tensor.ofStrings(Shape.of(1), "a"))
                        .longs());
    }

    /** A word is forbidden where it would make the last words a phrase that the sequence has already. */
    private static boolean repeats(long[] words, int size, long word) {
        long[] longer = Arrays.copyOf(words, words.length + 1);
        longer[words.length] = word;
        for (int at = 0; at + size <= words.length; at++) {
            if (Arrays.equals(words, at, at + size, longer, longer.length - size, longer.length)) {
                return true;
            }
        }
        return false;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 12, 13, 100})
    void wordsThatRepeatAPhraseHaveNoChance(int size) {
        int sequences = 20;
        int length = 12;
        int vocabulary = 4;
        long[] words = random.longs((long) sequences * length, 0, vocabulary).toArray();
        Tensor scores = RandomTensors.normal(random, sequences, vocabulary);
        double[] expected = scores.doubles();
        for (int i = 0; i < expected.length; i++) {
            int row = i / vocabulary;
            long[] own = Arrays.copyOfRange(words, row * length, (row + 1) * length);
            expected[i] = size <= length && repeats(own, size, i % vocabulary) ? Double.NEGATIVE_INFINITY : expected[i];
        }
        Tensor y =
                node("NGramRepeatBlock").with("ngram_size", size).run(Tensor.copyOf(words, sequences, length), scores);
        assertThat(y.doubles()).containsExactly(expected);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 3})
    void repeatedWordsAreOfTheVocabulary(long word) {
        refused(
                        node("NGramRepeatBlock").with("ngram_size", 1),
                        Tensor.copyOf(new long[] {0, word}, 1, 2),
                        Tensor.copyOf(new float[3], 1, 3))
                .hasMessageContaining("word " + word + " is outside a vocabulary of 3");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, -1, Long.MIN_VALUE})
    void aPhraseHasWords(long size) {
        refused(
                        node("NGramRepeatBlock").with("ngram_size", size),
                        Tensor.copyOf(new long[] {0, 1}, 1, 2),
                        Tensor.copyOf(new float[3], 1, 3))
                .hasMessageContaining("ngram_size");
    }

    private static double cheapest(double[] costs, int columns, int i, int j) {
        if (i < 0 || j < 0) {
            return i == j ? 0 : Double.POSITIVE_INFINITY;
        }
        double before = i == 0 && j == 0
                ? 0
                : Math.min(
                        cheapest(costs, columns, i - 1, j - 1),
                        Math.min(cheapest(costs, columns, i - 1, j), cheapest(costs, columns, i, j - 1)));
        return costs[i * columns + j] + before;
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 5", "6, 1", "4, 4", "3, 6", "6, 5"})
    void aWayThroughCostsIsTheCheapestOne(int rows, int columns) {
        Tensor costs = RandomTensors.uniform(random, 0, 1, rows, columns);
        double[] all = costs.doubles();
        Tensor way = node("DynamicTimeWarping").run(costs);
        int[] places = way.ints();
        int steps = places.length / 2;
        double sum = 0;
        for (int k = 0; k < steps; k++) {
            sum += all[places[k] * columns + places[steps + k]];
            int down = places[k] - (k == 0 ? 0 : places[k - 1]);
            int right = places[steps + k] - (k == 0 ? 0 : places[steps + k - 1]);
            assertThat(down + right).isBetween(k == 0 ? 0 : 1, k == 0 ? 0 : 2);
            assertThat(Math.max(down, right)).isLessThanOrEqualTo(1);
            assertThat(Math.min(down, right)).isNotNegative();
        }
        assertThat(places[steps - 1]).isEqualTo(rows - 1);
        assertThat(places[2 * steps - 1]).isEqualTo(columns - 1);
        assertThat(sum).isCloseTo(cheapest(all, columns, rows - 1, columns - 1), within(1e-6));
        assertThat(node("DynamicTimeWarping")
                        .run(costs.reshaped(Shape.of(1, rows, columns)))
                        .ints())
                .containsExactly(places);
    }

    @Test
    void ofEqualWaysTheLastStepIsAlongARow() {
        Tensor way = node("DynamicTimeWarping").run(Tensor.copyOf(new float[4], 2, 2));
        assertThat(way.shape()).isEqualTo(Shape.of(2, 3));
        assertThat(way.ints()).containsExactly(0, 1, 1, 0, 0, 1);
        refused(node("DynamicTimeWarping"), Tensor.copyOf(new float[8], 2, 2, 2))
                .hasMessageContaining("where one matrix is expected");
    }

    private static OneNode detector(int least, int most) {
        return node("BifurcationDetector")
                .with("min_ngram_size", least)
                .with("max_ngram_size", most)
                .outputs(2);
    }

    private static long[] found(OneNode detector, long[] source, long... words) {
        return ((Tensor) detector.runAll(longs(source), longs(words), longs(0)).get(1)).longs();
    }

    /** The place behind the last words in the source decides, if the longest phrase that is there stands there once. */
    @Test
    void theLastWordsAreFoundInTheSource() {
        long[] source = {1, 2, 3, 1, 2, 4, 5};
        assertThat(found(detector(1, 3), source, 9, 3)).containsExactly(3);
        assertThat(found(detector(1, 3), source, 8)).containsExactly(-1);
        assertThat(found(detector(1, 1), source, 1)).containsExactly(-1);
        assertThat(found(detector(1, 3), source, 3, 1)).containsExactly(4);
        assertThat(found(detector(2, 3), source, 3)).containsExactly(-1);
        assertThat(found(detector(1, 3), source, 1, 2)).containsExactly(-1);
        assertThat(found(detector(1, 3), source, 3, 1, 2)).containsExactly(5);
        assertThat(found(detector(1, 3), source, 5)).containsExactly(7);
        assertThat(found(detector(1, 3), source)).containsExactly(-1);
    }

    @Test
    void predictedWordsAreTakenOverUpToTheFirstOtherOne() {
        Tensor source = longs(1, 2, 3, 4);
        List<Datum> other = detector(1, 3).runAll(source, longs(7), longs(1), longs(2, 9, 4, 5));
        assertThat(((Tensor) other.getFirst()).longs()).containsExactly(7, 2, 9);
        List<Datum> all = detector(1, 3).runAll(source, longs(7), longs(2), longs(3, 4, 6));
        assertThat(((Tensor) all.getFirst()).longs()).containsExactly(7, 3, 4, 6);
        List<Datum> last = detector(1, 3).runAll(source, longs(), longs(4), longs(8));
        assertThat(((Tensor) last.getFirst()).longs()).containsExactly(8);
    }

    @Test
    void predictionsThatDoNotFitAreRefused() {
        Tensor source = longs(1, 2, 3);
        refused(detector(1, 3), source, longs(7), longs(1), longs(2, 3))
                .hasMessageContaining("2 predicted words from place 1 of 3; one more than what is left");
        refused(detector(1, 3), source, longs(7), longs(-1), longs(1, 2, 3, 4, 5))
                .hasMessageContaining("place -1 of 3");
        refused(detector(1, 3), source, longs(7), longs(4), longs()).hasMessageContaining("place 4 of 3");
        refused(detector(0, 3), source, longs(7), longs(0)).hasMessageContaining("min_ngram_size is 0");
    }
}
