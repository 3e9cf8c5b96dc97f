package dev.millrace.providers.cpu.contrib;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.testkit.RandomTensors;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of normalisations of sums against their definitions in doubles. */
class FusedNormsTest {
    private static final int BATCH = 3;
    private static final int STEPS = 4;
    private static final int LENGTH = 6;
    private static final float EPSILON = 0.01f;

    private final Random random = new Random(47);

    private Tensor normal(long... dims) {
        return RandomTensors.normal(random, dims);
    }

    private Tensor ints(int below, long... dims) {
        return RandomTensors.whole(ElementType.INT32, Shape.of(dims), () -> random.nextInt(below));
    }

    private static double[] doubles(Datum datum) {
        return ((Tensor) datum).doubles();
    }

    private static double at(@Nullable Tensor tensor, int index) {
        return tensor == null ? 0 : tensor.doubles()[index % (int) tensor.elements()];
    }

    /** The mean and the inverse deviation of a row; the mean is zero where a row is not centred. */
    private record Moments(double mean, double inverse) {
        static Moments of(double[] sums, int row, boolean centred) {
            double[] own = Arrays.copyOfRange(sums, row * LENGTH, (row + 1) * LENGTH);
            double mean = centred ? Arrays.stream(own).average().orElseThrow() : 0;
            double squares =
                    Arrays.stream(own).map(x -> (x - mean) * (x - mean)).sum();
            return new Moments(mean, 1 / Math.sqrt(squares / LENGTH + EPSILON));
        }
    }

    private static double[] normalised(double[] sums, boolean centred, Tensor scale, @Nullable Tensor shift) {
        double[] result = new double[sums.length];
        for (int i = 0; i < sums.length; i++) {
            Moments row = Moments.of(sums, i / LENGTH, centred);
            result[i] = (sums[i] - row.mean()) * row.inverse() * at(scale, i) + at(shift, i);
        }
        return result;
    }

    /** The skipped input has the same shape, or a batch of one or none, which stands for all. */
    @ParameterizedTest
    @CsvSource({"3 4 6, true", "1 4 6, true", "4 6, true", "3 4 6, false", "1 4 6, false", "4 6, false"})
    void inputSkipAndBiasAreAddedAndNormalised(String skipDims, boolean centred) {
        Tensor x = normal(BATCH, STEPS, LENGTH);
        Tensor skip = normal(
                Arrays.stream(skipDims.split(" ")).mapToLong(Long::parseLong).toArray());
        Tensor scale = normal(LENGTH);
        Tensor shift = centred ? normal(LENGTH) : null;
        Tensor bias = normal(LENGTH);
        OneNode node = OneNode.of(
                        OpId.MICROSOFT, centred ? "SkipLayerNormalization" : "SkipSimplifiedLayerNormalization", 1)
                .with("epsilon", Attribute.of(EPSILON));
        double[] sums = new double[(int) x.elements()];
        Arrays.setAll(sums, i -> at(x, i) + at(skip, i));
        Tensor[] plain = centred ? new Tensor[] {x, skip, scale, shift} : new Tensor[] {x, skip, scale};
        assertThat(node.run(plain).doubles()).containsExactly(normalised(sums, centred, scale, shift), within(1e-5));
        Arrays.setAll(sums, i -> at(x, i) + at(skip, i) + at(bias, i));
        Tensor[] biased = Arrays.copyOf(plain, plain.length + 1);
        biased[plain.length] = bias;
        List<Datum> results = node.outputs(4).runAll(biased);
        assertThat(doubles(results.get(0))).containsExactly(normalised(sums, centred, scale, shift), within(1e-5));
        assertThat(doubles(results.get(3))).containsExactly(sums, within(1e-6));
        double[] inverses = new double[BATCH * STEPS];
        Arrays.setAll(inverses, row -> Moments.of(sums, row, centred).inverse());
        assertThat(doubles(results.get(2))).containsExactly(inverses, within(1e-5));
    }

    @Test
    void nothingIsSkippedToNothing() {
        Tensor none = Tensor.allocate(ElementType.FLOAT, Shape.of(0, STEPS, LENGTH));
        Tensor y = OneNode.of(OpId.MICROSOFT, "SkipLayerNormalization", 1).run(none, none, normal(LENGTH));
        assertThat(y.shape()).isEqualTo(none.shape());
    }

    private final Tensor words = ints(7, BATCH, STEPS);
    private final Tensor segments = ints(2, BATCH, STEPS);
    private final Tensor wordTable = normal(7, LENGTH);
    private final Tensor positionTable = normal(9, LENGTH);
    private final Tensor segmentTable = normal(2, LENGTH);
    private final Tensor gamma = normal(LENGTH);
    private final Tensor beta = normal(LENGTH);

    private static OneNode embed() {
        return OneNode.of(OpId.MICROSOFT, "EmbedLayerNormalization", 1)
                .with("epsilon", Attribute.of(EPSILON))
                .outputs(3);
    }

    private double[] embedded(int @Nullable [] positions, boolean withSegments) {
        double[] sums = new double[BATCH * STEPS * LENGTH];
        Arrays.setAll(sums, i -> {
            int word = i / LENGTH;
            int position = positions == null ? word % STEPS : positions[word % positions.length];
            double segment = withSegments ? at(segmentTable, segments.ints()[word] * LENGTH + i % LENGTH) : 0;
            return at(wordTable, words.ints()[word] * LENGTH + i % LENGTH)
                    + at(positionTable, position * LENGTH + i % LENGTH)
                    + segment;
        });
        return sums;
    }

    /** Positions count from zero, or are given for all entries of the batch together or for each of them. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, BATCH})
    void embeddingsOfWordsPositionsAndSegmentsAreAdded(int entries) {
        Tensor positions = entries == 0 ? null : ints(9, entries, STEPS);
        Tensor mask = ints(3, BATCH, STEPS);
        List<Datum> results =
                embed().runAll(words, segments, wordTable, positionTable, segmentTable, gamma, beta, mask, positions);
        double[] sums = embedded(positions == null ? null : positions.ints(), true);
        assertThat(doubles(results.get(0))).containsExactly(normalised(sums, true, gamma, beta), within(1e-5));
        assertThat(doubles(results.get(2))).containsExactly(sums, within(1e-6));
        int[] counts = new int[BATCH];
        Arrays.setAll(counts, b -> (int) Arrays.stream(mask.ints(), b * STEPS, (b + 1) * STEPS)
                .filter(each -> each == 1)
                .count());
        assertThat(((Tensor) results.get(1)).ints()).containsExactly(counts);
    }

    @Test
    void segmentsAndMasksMayBeMissing() {
        List<Datum> results = embed().runAll(words, null, wordTable, positionTable, null, gamma, beta);
        double[] sums = embedded(null, false);
        assertThat(doubles(results.get(0))).containsExactly(normalised(sums, true, gamma, beta), within(1e-5));
        assertThat(((Tensor) results.get(1)).ints()).containsOnly(0);
    }

    @Test
    void wordsOutsideOfTheirTableAreRefused() {
        for (int word : new int[] {7, -1}) {
            Tensor wrong = Tensor.copyOf(new int[] {0, word}, 1, 2);
            assertThatThrownBy(() -> embed().runAll(wrong, null, wordTable, positionTable, null, gamma, beta))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("index " + word + " is outside a table of 7 rows");
        }
        assertThatThrownBy(() -> embed().runAll(words, null, wordTable, normal(9, LENGTH + 1), null, gamma, beta))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("EmbedLayerNormalization");
    }
}
