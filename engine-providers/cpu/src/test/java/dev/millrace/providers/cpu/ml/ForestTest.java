package dev.millrace.providers.cpu.ml;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random forests give what a walk through each tree, node by node, gives. */
class ForestTest {
    private static final int FEATURES = 3;
    private static final float[] VALUES = {-1, -0f, 0, 0.5f, 1, 2, Float.MIN_VALUE, Float.MAX_VALUE};
    private static final float[] ODD_VALUES = {Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY};

    private final Random random = new Random();
    private final List<Place> places = new ArrayList<>();

    /** A node, whose followers are numbers in its tree; a leaf has a weight. */
    private record Place(
            long tree,
            long number,
            String mode,
            long feature,
            float split,
            long missing,
            float weight,
            long yes,
            long no) {
        boolean isLeaf() {
            return mode.equals("LEAF");
        }

        boolean holds(float x) {
            if (Float.isNaN(x) && missing != 0) {
                return true;
            }
            return switch (mode) {
                case "BRANCH_LEQ" -> x <= split;
                case "BRANCH_LT" -> x < split;
                case "BRANCH_GTE" -> x >= split;
                case "BRANCH_GT" -> x > split;
                case "BRANCH_EQ" -> x == split;
                default -> x != split;
            };
        }
    }

    private <E> E any(List<E> choices) {
        return choices.get(random.nextInt(choices.size()));
    }

    private float any(float[] choices) {
        return choices[random.nextInt(choices.length)];
    }

    /** Adds a tree, whose nodes have their numbers in this order, and returns the number of its root. */
    private long tree(long tree, int root, int depth, List<String> comparisons) {
        int place = places.size();
        long number = place - root;
        if (depth == 0 || random.nextInt(5) == 0) {
            places.add(new Place(tree, number, "LEAF", 0, 0, 0, random.nextInt(1000) / 8f, 0, 0));
            return number;
        }
        String mode = any(comparisons);
        long feature = random.nextInt(FEATURES);
        float split = any(VALUES);
        long missing = random.nextInt(2);
        places.add(new Place(tree, number, mode, feature, split, missing, 0, 0, 0));
        long yes = tree(tree, root, depth - 1, comparisons);
        long no = tree(tree, root, depth - 1, comparisons);
        places.set(place, new Place(tree, number, mode, feature, split, missing, 0, yes, no));
        return number;
    }

    private double expected(int root, float[] samples, int row) {
        Place place = places.get(root);
        while (!place.isLeaf()) {
            float x = samples[row * FEATURES + (int) place.feature];
            place = places.get(root + (int) (place.holds(x) ? place.yes : place.no));
        }
        return place.weight;
    }

    private OneNode regressor() {
        List<Place> leaves = places.stream().filter(Place::isLeaf).toList();
        return OneNode.ml("TreeEnsembleRegressor", 3)
                .withAll("nodes_treeids", longs(places, Place::tree))
                .withAll("nodes_nodeids", longs(places, Place::number))
                .withAll("nodes_featureids", longs(places, Place::feature))
                .withTexts("nodes_modes", places.stream().map(Place::mode).toArray(String[]::new))
                .with("nodes_values", floats(places, Place::split))
                .withAll("nodes_truenodeids", longs(places, Place::yes))
                .withAll("nodes_falsenodeids", longs(places, Place::no))
                .withAll("nodes_missing_value_tracks_true", longs(places, Place::missing))
                .withAll("target_treeids", longs(leaves, Place::tree))
                .withAll("target_nodeids", longs(leaves, Place::number))
                .withAll("target_ids", new long[leaves.size()])
                .with("target_weights", floats(leaves, Place::weight))
                .with("n_targets", 1L);
    }

    private static long[] longs(List<Place> places, ToLongFunction<Place> part) {
        return places.stream().mapToLong(part).toArray();
    }

    private static float[] floats(List<Place> places, Function<Place, Float> part) {
        float[] floats = new float[places.size()];
        for (int i = 0; i < floats.length; i++) {
            floats[i] = part.apply(places.get(i));
        }
        return floats;
    }

    private void agrees(List<String> comparisons, int rows, boolean odd) {
        List<Integer> roots = new ArrayList<>();
        int count = 1 + random.nextInt(11);
        for (int tree = 0; tree < count; tree++) {
            roots.add(places.size());
            tree(tree, places.size(), random.nextInt(7), comparisons);
        }
        float[] samples = new float[rows * FEATURES];
        for (int i = 0; i < samples.length; i++) {
            samples[i] = odd && random.nextInt(4) == 0 ? any(ODD_VALUES) : any(VALUES);
        }
        float[] actual = regressor().run(Tensor.copyOf(samples, rows, FEATURES)).floats();
        for (int row = 0; row < rows; row++) {
            double sum = 0;
            for (int root : roots) {
                sum += expected(root, samples, row);
            }
            assertThat((double) actual[row]).as("row %d", row).isCloseTo(sum, within(1e-3));
        }
    }

    @RepeatedTest(60)
    void treesThatCompareByOrderAreWalkedAsTheyStand() {
        List<String> byOrder = List.of("BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT");
        agrees(byOrder, 1 + random.nextInt(11), random.nextInt(4) == 0);
    }

    @RepeatedTest(20)
    void treesThatAskForEqualNumbersAreWalkedAsTheyStand() {
        agrees(List.of("BRANCH_LEQ", "BRANCH_EQ", "BRANCH_NEQ"), 1 + random.nextInt(6), random.nextBoolean());
    }

    @ParameterizedTest
    @ValueSource(ints = {700, 2000})
    void manySamplesGoInBlocks(int rows) {
        agrees(List.of("BRANCH_LEQ"), rows, false);
    }
}
