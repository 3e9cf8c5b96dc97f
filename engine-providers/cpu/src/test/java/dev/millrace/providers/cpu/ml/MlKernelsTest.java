package dev.millrace.providers.cpu.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.MapDatum;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorSequence;
import dev.millrace.providers.cpu.OneNode;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class MlKernelsTest {
    private static final Tensor SAMPLES = Tensor.copyOf(new float[] {1, 2, -1, 0.5f}, 2, 2);

    private static void assertClose(Datum actual, double... expected) {
        float[] values = ((Tensor) actual).floats();
        assertThat(values).hasSize(expected.length);
        for (int i = 0; i < expected.length; i++) {
            assertThat((double) values[i]).as("element %d", i).isCloseTo(expected[i], within(1e-6));
        }
    }

    private static double logistic(double x) {
        return 1 / (1 + Math.exp(-x));
    }

    @Test
    void scalesNormalisesAndFillsInByFeature() {
        assertClose(
                OneNode.ml("Scaler", 1)
                        .with("offset", 1f, 0.5f)
                        .with("scale", 2f, 4f)
                        .run(SAMPLES),
                0,
                6,
                -4,
                0);
        assertClose(OneNode.ml("Normalizer", 1).with("norm", "L1").run(SAMPLES), 1 / 3.0, 2 / 3.0, -2 / 3.0, 1 / 3.0);
        assertClose(
                OneNode.ml("Normalizer", 1).with("norm", "L2").run(Tensor.copyOf(new float[] {3, 4, 0, 0}, 2, 2)),
                0.6,
                0.8,
                0,
                0);
        Tensor holes = Tensor.copyOf(new float[] {Float.NaN, 1, 2, Float.NaN}, 2, 2);
        assertClose(
                OneNode.ml("Imputer", 1)
                        .with("imputed_value_floats", 7f, 8f)
                        .with("replaced_value_float", Attribute.of(Float.NaN))
                        .run(holes),
                7,
                1,
                2,
                8);
        assertClose(
                OneNode.ml("Binarizer", 1).with("threshold", Attribute.of(0.5f)).run(SAMPLES), 1, 1, 0, 0);
    }

    @Test
    void aTreeOfAFeatureThatCannotBeIsRefused() {
        for (long feature : new long[] {-1, 1L << 40}) {
            var tree = OneNode.ml("TreeEnsemble", 5)
                    .withAll("nodes_featureids", feature)
                    .withAll("nodes_truenodeids", 0L)
                    .withAll("nodes_trueleafs", 1L)
                    .withAll("nodes_falsenodeids", 0L)
                    .withAll("nodes_falseleafs", 1L)
                    .with("nodes_modes", Attribute.of(Tensor.copyOf(new byte[] {0}, 1)))
                    .with("nodes_splits", Attribute.of(Tensor.copyOf(new float[] {1}, 1)))
                    .withAll("leaf_targetids", 0L)
                    .with("leaf_weights", Attribute.of(Tensor.copyOf(new float[] {1}, 1)))
                    .withAll("tree_roots", 0L);
            assertThatThrownBy(() -> tree.run(SAMPLES))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("feature " + feature);
        }
    }

    @Test
    void membersAreFoundInAnyOrderAndWithEitherSignOfZero() {
        float[] samples = {3, 0, -0f, -2, 2, 1e30f, Float.NaN, Float.NEGATIVE_INFINITY};
        OneNode tree = treeOfMembers(3, -0f, 1e30f, -2, Float.NaN);
        assertClose(tree.run(Tensor.copyOf(samples, samples.length, 1)), 1, 1, 1, 1, 0, 1, 0, 0);
    }

    @Test
    void setsOfAnySizeHaveNoOtherMembers() {
        float tiny = Float.MIN_VALUE;
        float[] samples = {0, tiny, 2 * tiny, 1, Math.nextUp(1f), 3, -5, 7, 7.5f, -Float.MAX_VALUE};
        for (int size = 0; size <= samples.length; size++) {
            float[] expected = new float[samples.length];
            Arrays.fill(expected, 0, size, 1);
            float[] members = Arrays.copyOf(samples, size + 1);
            members[size] = Float.NaN;
            Tensor out = treeOfMembers(members).run(Tensor.copyOf(samples, samples.length, 1));
            assertThat(out.floats()).as("%d members", size).isEqualTo(expected);
        }
    }

    /** A tree that gives 1 for what is one of these. */
    private static OneNode treeOfMembers(float... members) {
        return OneNode.ml("TreeEnsemble", 5)
                .withAll("nodes_featureids", 0L)
                .withAll("nodes_truenodeids", 0L)
                .withAll("nodes_trueleafs", 1L)
                .withAll("nodes_falsenodeids", 1L)
                .withAll("nodes_falseleafs", 1L)
                .with("nodes_modes", Attribute.of(Tensor.copyOf(new byte[] {6}, 1)))
                .with("nodes_splits", Attribute.of(Tensor.copyOf(new float[] {0}, 1)))
                .with("membership_values", Attribute.of(Tensor.copyOf(members, members.length)))
                .withAll("leaf_targetids", 0L, 0L)
                .with("leaf_weights", Attribute.of(Tensor.copyOf(new float[] {1, 0}, 2)))
                .withAll("tree_roots", 0L);
    }

    @Test
    void encodesCategoriesAsOneHotRows() {
        var encoder = OneNode.ml("OneHotEncoder", 1).withAll("cats_int64s", 5L, 7L);
        Tensor rows = encoder.run(Tensor.copyOf(new long[] {7, 6, 5}, 3));
        assertThat(rows.shape()).isEqualTo(Shape.of(3, 2));
        assertClose(rows, 0, 1, 0, 0, 1, 0);
        assertThatThrownBy(() -> encoder.with("zeros", 0L).run(Tensor.copyOf(new long[] {6}, 1)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("'6' is no category");
    }

    @Test
    void putsFeaturesSideBySide() {
        Tensor out = OneNode.ml("FeatureVectorizer", 1)
                .withAll("inputdimensions", 2L, 1L)
                .run(SAMPLES, Tensor.copyOf(new float[] {10, 20}, 2, 1));
        assertClose(out, 1, 2, 10, -1, 0.5, 20);
    }

    @Test
    void featuresOfOneSampleAreRefusedBesideThoseOfTwo() {
        assertThatThrownBy(() -> OneNode.ml("FeatureVectorizer", 1)
                        .withAll("inputdimensions", 2L, 1L)
                        .run(SAMPLES, Tensor.copyOf(new float[] {10}, 1, 1)))
                .hasMessageContaining("input 1 has 1 rows, and those before have 2");
    }

    @Test
    void mapsCategoriesBothWays() {
        var mapper = OneNode.ml("CategoryMapper", 1)
                .withTexts("cats_strings", "a", "b")
                .withAll("cats_int64s", 4L, 9L);
        assertThat(mapper.run(Tensor.ofStrings(Shape.of(3), "b", "x", "a")).longs())
                .containsExactly(9, -1, 4);
        assertThat(mapper.run(Tensor.copyOf(new long[] {4, 5}, 2)).strings()).containsExactly("a", "_Unused");
        assertThat(OneNode.ml("LabelEncoder", 1)
                        .withTexts("classes_strings", "x", "y")
                        .run(Tensor.ofStrings(Shape.of(2), "y", "z"))
                        .longs())
                .containsExactly(1, -1);
    }

    @Test
    void turnsMapsIntoRowsAndRowsIntoMaps() {
        Map<Object, Datum> entries = new LinkedHashMap<>();
        entries.put("b", Tensor.scalar(2f));
        entries.put("z", Tensor.scalar(3f));
        var map = new MapDatum(ElementType.STRING, entries);
        assertClose(
                OneNode.ml("DictVectorizer", 1)
                        .withTexts("string_vocabulary", "a", "b", "c")
                        .run(map),
                0,
                2,
                0);
        Map<Object, Datum> places = new LinkedHashMap<>();
        places.put(3L, Tensor.scalar(1.5f));
        places.put(1L, Tensor.scalar(2.5f));
        var numbers = new MapDatum(ElementType.INT64, places);
        assertClose(OneNode.ml("CastMap", 1).run(numbers), 2.5, 1.5);
        assertClose(
                OneNode.ml("CastMap", 1)
                        .with("map_form", "SPARSE")
                        .with("max_map", 4L)
                        .run(numbers),
                0,
                2.5,
                0,
                1.5);

        var zipped = (TensorSequence) OneNode.ml("ZipMap", 1)
                .withAll("classlabels_int64s", 8L, 9L)
                .runAll(SAMPLES)
                .getFirst();
        assertThat(zipped.elements()).hasSize(2);
        var second = (MapDatum) zipped.elements().get(1);
        assertThat(second.entries().keySet()).containsExactly(8L, 9L);
        assertThat(((Tensor) second.entries().values().iterator().next()).floats())
                .containsExactly(-1f);
    }

    @Test
    void classifiesByLinearScores() {
        var results = OneNode.ml("LinearClassifier", 1)
                .with("coefficients", 1f, 0f, 0f, 1f, -1f, -1f)
                .with("intercepts", 0f, 0.25f, 1f)
                .withTexts("classlabels_strings", "p", "q", "r")
                .with("post_transform", "SOFTMAX")
                .outputs(2)
                .runAll(SAMPLES);
        assertThat(((Tensor) results.get(0)).strings()).containsExactly("q", "r");
        double sum = Math.exp(1) + Math.exp(2.25) + Math.exp(-2);
        float[] scores = ((Tensor) results.get(1)).floats();
        assertThat((double) scores[1]).isCloseTo(Math.exp(2.25) / sum, within(1e-6));
    }

    @Test
    void givesOneLinearScoreOfTwoClassesAsAPair() {
        var results = OneNode.ml("LinearClassifier", 1)
                .with("coefficients", 1f, 1f)
                .with("intercepts", 0f)
                .withAll("classlabels_ints", 3L, 4L)
                .with("post_transform", "LOGISTIC")
                .outputs(2)
                .runAll(SAMPLES);
        assertThat(((Tensor) results.get(0)).longs()).containsExactly(4, 3);
        float[] scores = ((Tensor) results.get(1)).floats();
        assertThat((double) scores[1]).isCloseTo(logistic(3), within(1e-6));
    }

    @Test
    void regressesLinearly() {
        Tensor out = OneNode.ml("LinearRegressor", 1)
                .with("coefficients", 1f, 2f, 0f, -1f)
                .with("intercepts", 10f, 0f)
                .with("targets", 2L)
                .run(SAMPLES);
        assertClose(out, 15, -2, 10, -0.5);
    }

    /** Feature 0 at most 0: 1 and 2, else feature 1 below 1: 10, else 100; and a tree of one leaf that gives 0.5. */
    private static OneNode trees(OneNode node, String leaves) {
        return node.withAll("nodes_treeids", 0L, 0L, 0L, 0L, 0L, 1L)
                .withAll("nodes_nodeids", 0L, 1L, 2L, 3L, 4L, 0L)
                .withAll("nodes_featureids", 0L, 0L, 1L, 0L, 0L, 0L)
                .withTexts("nodes_modes", "BRANCH_LEQ", "LEAF", "BRANCH_LT", "LEAF", "LEAF", "LEAF")
                .with("nodes_values", 0f, 0f, 1f, 0f, 0f, 0f)
                .withAll("nodes_truenodeids", 1L, 0L, 3L, 0L, 0L, 0L)
                .withAll("nodes_falsenodeids", 2L, 0L, 4L, 0L, 0L, 0L)
                .withAll(leaves + "_treeids", 0L, 0L, 0L, 0L, 1L)
                .withAll(leaves + "_nodeids", 1L, 1L, 3L, 4L, 0L)
                .withAll(leaves + "_ids", 0L, 1L, 0L, 1L, 0L)
                .with(leaves + "_weights", 1f, 2f, 10f, 100f, 0.5f);
    }

    @Test
    void sumsTheLeavesThatASampleReaches() {
        Tensor out = trees(OneNode.ml("TreeEnsembleRegressor", 3), "target")
                .with("n_targets", 2L)
                .with("base_values", 1f, 0f)
                .run(SAMPLES);
        assertClose(out, 1.5, 100, 2.5, 2);
    }

    @Test
    void classifiesByTheHighestSumOfLeaves() {
        var results = trees(OneNode.ml("TreeEnsembleClassifier", 3), "class")
                .withAll("classlabels_int64s", 20L, 30L)
                .outputs(2)
                .runAll(Tensor.copyOf(new float[] {1, 2, 1, 0}, 2, 2));
        assertThat(((Tensor) results.get(0)).longs()).containsExactly(30, 20);
        assertClose(results.get(1), 0.5, 100, 10.5, 0);
    }

    @Test
    void refusesATreeWithALoop() {
        var loop = OneNode.ml("TreeEnsembleRegressor", 3)
                .withAll("nodes_treeids", 0L)
                .withAll("nodes_nodeids", 0L)
                .withAll("nodes_featureids", 0L)
                .withTexts("nodes_modes", "BRANCH_LEQ")
                .with("nodes_values", 0f)
                .withAll("nodes_truenodeids", 0L)
                .withAll("nodes_falsenodeids", 0L)
                .withAll("target_treeids")
                .withAll("target_nodeids")
                .withAll("target_ids")
                .with("target_weights", new float[0])
                .with("n_targets", 1L);
        assertThatThrownBy(() -> loop.run(SAMPLES))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("loop");
    }

    @Test
    void regressesWithSupportVectors() {
        Tensor out = OneNode.ml("SVMRegressor", 1)
                .with("kernel_type", "RBF")
                .with("kernel_params", 0.5f, 0f, 0f)
                .with("support_vectors", 1f, 2f, 0f, 0f)
                .with("coefficients", 2f, -1f)
                .with("rho", 0.25f)
                .with("n_supports", 2L)
                .run(SAMPLES);
        assertClose(out, 0.25 + 2 - Math.exp(-2.5), 0.25 + 2 * Math.exp(-0.5 * (4 + 2.25)) - Math.exp(-0.5 * 1.25));
    }

    @Test
    void classifiesByVotesOfPairsOfClasses() {
        var svm = OneNode.ml("SVMClassifier", 1)
                .with("kernel_type", "LINEAR")
                .with("support_vectors", 1f, 0f, -1f, 0f)
                .withAll("vectors_per_class", 1L, 1L)
                .with("coefficients", 1f, -1f)
                .with("rho", 0f)
                .withAll("classlabels_ints", 1L, 2L)
                .outputs(2);
        assertThat(((Tensor) svm.runAll(SAMPLES).getFirst()).longs()).containsExactly(1, 2);
        // decisions are for the first class, scores for the second as of a classifier with one score
        assertThat(((Tensor) svm.runAll(SAMPLES).get(1)).floats()[0]).isNegative();
        var shares = svm.with("prob_a", -2f).with("prob_b", 0f).runAll(SAMPLES);
        assertThat(((Tensor) shares.getFirst()).longs()).containsExactly(1, 2);
        float[] scores = ((Tensor) shares.get(1)).floats();
        assertThat((double) scores[0]).isCloseTo(logistic(4), within(2e-3));
        assertThat(scores[0] + scores[1]).isCloseTo(1, within(1e-5f));
    }
}
