package dev.millrace.pipelines.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.pipelines.FixedInference;
import dev.millrace.pipelines.ScoredLabel;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class DetectionTest {
    private static final List<String> LABELS = List.of("cat", "dog");
    private static final ImageInput INPUT = ImageInput.of(100, 100).letterboxed(114);
    /** Twice as large as the input: a letterbox with 25 pixels above and below. */
    private static final RgbImage IMAGE = RgbImage.filled(200, 100, 50);

    private static FixedInference answering(Tensor... outputs) {
        return FixedInference.ofImages(
                outputs.length, image -> Stream.of(outputs).map(Tensor::copyOf).toArray(Tensor[]::new));
    }

    private static List<Detection> yolo(Tensor output) {
        return ObjectDetector.yolo(answering(output), INPUT, LABELS, DetectionOptions.defaults())
                .run(IMAGE);
    }

    private static void requireCatAndDog(List<Detection> found) {
        assertThat(found).extracting(Detection::label).containsExactly("cat", "dog");
        assertThat(found.getFirst().box()).isEqualTo(new Box(80, 30, 120, 70));
        assertThat(found.getFirst().score()).isCloseTo(0.9, within(1e-6));
        assertThat(found.getLast().box()).isEqualTo(new Box(0, 0, 20, 20));
    }

    @Test
    void boxesOfYoloAreColumnsOrRows() {
        // two cats in one place, a dog that goes beyond the corner, and something unlikely
        float[] columns = {
            50, 51, 0, 80, //
            50, 50, 25, 80, //
            20, 20, 20, 10, //
            20, 20, 20, 10, //
            0.9f, 0.8f, 0.1f, 0.2f, //
            0, 0.1f, 0.5f, 0.1f
        };
        requireCatAndDog(yolo(Tensor.copyOf(columns, 1, 6, 4)));
        float[] rows = {
            50, 50, 20, 20, 0.9f, 1, 0, //
            51, 50, 20, 20, 0.8f, 1, 0.1f, //
            0, 25, 20, 20, 1, 0.1f, 0.5f, //
            80, 80, 10, 10, 0.2f, 1, 0
        };
        requireCatAndDog(yolo(Tensor.copyOf(rows, 1, 4, 7)));
        assertThatThrownBy(() -> yolo(Tensor.copyOf(new float[16], 1, 2, 8)))
                .hasMessageContaining("have 6 or 7 numbers each");
    }

    @Test
    void boxesOfSsdAreFractionsOfTheInput() {
        Tensor boxes = Tensor.copyOf(new float[] {0.4f, 0.4f, 0.6f, 0.6f, 0, 0.25f, 0.1f, 0.5f}, 1, 2, 4);
        Tensor scores = Tensor.copyOf(new float[] {0.1f, 0.9f, 0.6f, 0.3f}, 1, 2, 2);
        for (FixedInference model : List.of(answering(boxes, scores), answering(scores, boxes))) {
            List<Detection> found = ObjectDetector.ssd(
                            model, INPUT, List.of("nothing", "face"), 0, DetectionOptions.defaults())
                    .run(IMAGE);
            assertThat(found).extracting(Detection::label).containsExactly("face", "face");
            assertThat(found.getFirst().box().left()).isCloseTo(80, within(1e-4));
            assertThat(found.getLast().box().bottom()).isCloseTo(50, within(1e-4));
        }
        assertThatThrownBy(() -> ObjectDetector.ssd(
                                answering(scores, scores), INPUT, LABELS, -1, DetectionOptions.defaults())
                        .run(IMAGE))
                .hasMessageContaining("need [1, boxes, 4]");
    }

    @Test
    void theStrongestRemainsOrAllAreBlended() {
        var first = new Detection(new Box(0, 0, 10, 10), 0, "a", 0.6, List.of(new Point(2, 2)));
        var second = new Detection(new Box(2, 0, 12, 10), 0, "a", 0.3, List.of(new Point(5, 2)));
        var other = new Detection(new Box(0, 0, 10, 10), 1, "b", 0.5, List.of(new Point(0, 0)));
        List<Detection> all = List.of(second, other, first);
        assertThat(Suppression.strongest(all, 0.5)).containsExactly(first, other);
        assertThat(Suppression.strongest(all, 0.7)).containsExactly(first, other, second);
        Detection blended = Suppression.blended(all, 0.5).getFirst();
        assertThat(blended.score()).isEqualTo(0.6);
        assertThat(blended.box().left()).isCloseTo(2 / 3.0, within(1e-9));
        assertThat(blended.points().getFirst().x()).isCloseTo(3, within(1e-9));
        assertThat(first.box().intersectionOverUnion(new Box(20, 20, 30, 30))).isZero();
        assertThatThrownBy(() -> new DetectionOptions(2, 0.5)).hasMessageContaining("from 0 to 1");
    }

    @Test
    void classesAreOrderedByProbability() {
        Tensor logits = Tensor.copyOf(new float[] {1, 3, 2}, 1, 3);
        List<ScoredLabel> top =
                ImageClassifier.of(answering(logits), INPUT, LABELS, 2).run(IMAGE);
        assertThat(top).extracting(ScoredLabel::label).containsExactly("dog", "2");
        double sum = Math.exp(1) + Math.exp(3) + Math.exp(2);
        assertThat(top.getFirst().score()).isCloseTo(Math.exp(3) / sum, within(1e-9));
    }

    @Test
    void classesAreOnOneAxis() {
        float[] logits = {1, 3, 2, 0};
        Tensor pooled = Tensor.copyOf(logits, 1, 4, 1, 1);
        assertThat(ImageClassifier.of(answering(pooled), INPUT, LABELS, 1).run(IMAGE))
                .extracting(ScoredLabel::label)
                .containsExactly("dog");
        Tensor map = Tensor.copyOf(logits, 1, 1, 2, 2);
        assertThatThrownBy(() ->
                        ImageClassifier.of(answering(map), INPUT, LABELS, 1).run(IMAGE))
                .hasMessageContaining("the shape [1, 1, 2, 2], and [1, classes] is expected");
    }

    @Test
    void eachPixelHasTheClassOfItsPlace() {
        // a map of 4x4 places over the letterbox, whose first and last rows are ground
        float[] values = new float[2 * 16];
        values[16 + 4] = 1;
        values[16 + 11] = 1;
        LabelMask mask = Segmenter.of(answering(Tensor.copyOf(values, 1, 2, 4, 4)), INPUT, LABELS)
                .run(IMAGE);
        assertThat(mask.label(49, 49)).isEqualTo("dog");
        assertThat(mask.label(50, 49)).isEqualTo("cat");
        assertThat(mask.index(150, 50)).isEqualTo(1);
        assertThat(mask.share(1)).isEqualTo(0.25);
        LabelMask single = Segmenter.of(answering(Tensor.copyOf(new float[] {0.4f, 0.6f}, 1, 1, 1, 2)), INPUT, LABELS)
                .run(IMAGE);
        assertThat(single.index(99, 0)).isZero();
        assertThat(single.index(100, 0)).isEqualTo(1);
    }

    @Test
    void aFaceIsWhereItsCellIs() {
        float[] logits = new float[512];
        Arrays.fill(logits, -9);
        // cell (3, 2), second box
        logits[(2 * 16 + 3) * 2 + 1] = 2;
        float[] numbers = new float[512 * 16];
        int at = ((2 * 16 + 3) * 2 + 1) * 16;
        System.arraycopy(new float[] {1, 2, 40, 30, -5, -5}, 0, numbers, at, 6);
        float[] none = new float[384];
        Arrays.fill(none, -9);
        FixedInference model = answering(
                Tensor.copyOf(logits, 1, 512, 1),
                Tensor.copyOf(none, 1, 384, 1),
                Tensor.copyOf(numbers, 1, 512, 16),
                Tensor.copyOf(new float[384 * 16], 1, 384, 16));
        List<Detection> found =
                FaceDetector.blazeFace(model, FaceDetector.defaultOptions()).run(RgbImage.filled(128, 128, 9));
        assertThat(found).hasSize(1);
        assertThat(found.getFirst().box()).isEqualTo(Box.around(29, 22, 40, 30));
        assertThat(found.getFirst().points()).hasSize(6).startsWith(new Point(23, 15));
        FixedInference other = answering(Tensor.copyOf(logits, 1, 512, 1));
        assertThatThrownBy(() -> FaceDetector.blazeFace(other, FaceDetector.defaultOptions())
                        .run(IMAGE))
                .hasMessageContaining("no output has 8192 numbers");
    }
}
