package dev.millrace.session.operators;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Labels and scores of classifiers, which ONNX leaves open where there are two classes. */
@Tag("reference")
class ClassifierTest {
    private static final double CLOSE = 2e-5;

    @AutoClose
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    private final Draw draw = new Draw(75);

    private static OneOperator labelled(String name, int classes, String attribute, String transform) {
        long[] labels = new long[classes];
        for (int i = 0; i < classes; i++) {
            labels[i] = 7 - 2 * i;
        }
        return OneOperator.ml(name).outputs(2).list(attribute, labels).with("post_transform", transform);
    }

    /** Two vectors for each class. */
    private OneOperator vectors(int classes, String transform) {
        int pairs = classes * (classes - 1) / 2;
        long[] two = new long[classes];
        Arrays.fill(two, 2);
        return labelled("SVMClassifier", classes, "classlabels_ints", transform)
                .with("kernel_type", "RBF")
                .reals("kernel_params", 0.3f, 0, 0)
                .list("vectors_per_class", two)
                .reals("support_vectors", draw.floats(2L * classes * 3).floats())
                .reals("coefficients", draw.floats(2L * classes * (classes - 1)).floats())
                .reals("rho", draw.floats(pairs).floats())
                .on(draw.floats(20, 3));
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "LOGISTIC", "SOFTMAX", "SOFTMAX_ZERO"})
    void supportVectors(String transform) throws Exception {
        for (int classes : new int[] {2, 3, 4}) {
            vectors(classes, transform).agrees(engine, CLOSE);
            int pairs = classes * (classes - 1) / 2;
            vectors(classes, transform)
                    .reals("prob_a", draw.floats(pairs).floats())
                    .reals("prob_b", draw.floats(pairs).floats())
                    .agrees(engine, 2e-3);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "LOGISTIC", "SOFTMAX"})
    void linearSupportVectors(String transform) throws Exception {
        for (int classes : new int[] {2, 3}) {
            for (boolean positive : new boolean[] {false, true}) {
                Tensor drawn = positive ? draw.scales(3L * classes) : draw.floats(3L * classes);
                labelled("SVMClassifier", classes, "classlabels_ints", transform)
                        .with("kernel_type", "LINEAR")
                        .reals("kernel_params", 0, 0, 0)
                        .reals("coefficients", drawn.floats())
                        .reals("rho", 0.3f)
                        .on(draw.floats(20, 3))
                        .agrees(engine, CLOSE);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONE", "LOGISTIC", "SOFTMAX"})
    void trees(String transform) throws Exception {
        for (float least : new float[] {0.1f, -0.4f}) {
            labelled("TreeEnsembleClassifier", 2, "classlabels_int64s", transform)
                    .list("class_ids", 0, 0)
                    .list("class_nodeids", 1, 2)
                    .list("class_treeids", 0, 0)
                    .reals("class_weights", least, 0.7f)
                    .list("nodes_falsenodeids", 2, 0, 0)
                    .list("nodes_truenodeids", 1, 0, 0)
                    .list("nodes_featureids", 1, 0, 0)
                    .list("nodes_nodeids", 0, 1, 2)
                    .list("nodes_treeids", 0, 0, 0)
                    .reals("nodes_values", 0.1f, 0, 0)
                    .with("nodes_modes", modes())
                    .on(draw.floats(20, 3))
                    .agrees(engine, CLOSE);
        }
    }

    private static Attribute modes() {
        var leaf = (Attribute.Bytes) Attribute.of("LEAF");
        var modes = new ArrayList<>(Collections.nCopies(3, leaf));
        modes.set(0, (Attribute.Bytes) Attribute.of("BRANCH_LEQ"));
        return new Attribute.Strings(modes);
    }

    @Test
    void linearModels() throws Exception {
        for (String transform : new String[] {"NONE", "LOGISTIC", "SOFTMAX"}) {
            for (int rows : new int[] {1, 2}) {
                labelled("LinearClassifier", 2, "classlabels_ints", transform)
                        .reals("coefficients", draw.floats(3L * rows).floats())
                        .reals("intercepts", draw.floats(rows).floats())
                        .on(draw.floats(20, 3))
                        .agrees(engine, CLOSE);
            }
        }
    }

    @Test
    void linearModelsOfManyResults() throws Exception {
        for (String transform : new String[] {"NONE", "LOGISTIC", "SOFTMAX"}) {
            labelled("LinearClassifier", 4, "classlabels_ints", transform)
                    .reals("coefficients", draw.floats(12).floats())
                    .reals("intercepts", draw.floats(4).floats())
                    .on(draw.floats(20, 3))
                    .agrees(engine, CLOSE);
        }
        for (int targets : new int[] {1, 3}) {
            OneOperator.ml("LinearRegressor")
                    .with("targets", (long) targets)
                    .reals("coefficients", draw.floats(5L * targets).floats())
                    .reals("intercepts", draw.floats(targets).floats())
                    .on(draw.floats(20, 5))
                    .agrees(engine, CLOSE);
        }
        for (int numbers : new int[] {1, 5}) {
            OneOperator.ml("Scaler")
                    .reals("offset", draw.floats(numbers).floats())
                    .reals("scale", draw.floats(numbers).floats())
                    .on(draw.floats(20, 5))
                    .agrees(engine, CLOSE);
        }
    }
}
