package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.inference.Predictor;
import ai.djl.modality.cv.Image;
import ai.djl.modality.cv.ImageFactory;
import ai.djl.modality.cv.output.CategoryMask;
import ai.djl.modality.cv.output.DetectedObjects;
import ai.djl.modality.cv.output.DetectedObjects.DetectedObject;
import ai.djl.modality.cv.output.Joints;
import ai.djl.modality.cv.output.Joints.Joint;
import ai.djl.modality.cv.output.Mask;
import ai.djl.modality.cv.output.Rectangle;
import ai.djl.modality.cv.transform.Resize;
import ai.djl.modality.cv.transform.ToTensor;
import ai.djl.modality.cv.translator.InstanceSegmentationTranslator;
import ai.djl.modality.cv.translator.SemanticSegmentationTranslator;
import ai.djl.modality.cv.translator.SimplePoseTranslator;
import ai.djl.modality.cv.translator.SingleShotDetectionTranslator;
import ai.djl.modality.cv.translator.StyleTransferTranslator;
import ai.djl.modality.cv.translator.YoloPoseTranslator;
import ai.djl.modality.cv.translator.YoloSegmentationTranslator;
import ai.djl.repository.zoo.Criteria;
import ai.djl.repository.zoo.ZooModel;
import ai.djl.translate.Translator;
import dev.millrace.graph.tensor.Tensor;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Translators of DJL for boxes, masks and joints, with models that answer what is given. */
class VisionTranslatorsTest {
    private static final int SIZE = 32;
    private static final int JOINTS = 17;
    private static final List<String> NAMES = List.of("a", "b", "c");

    @TempDir
    private Path folder = Path.of("");

    private <O> O predict(Translator<Image, O> translator, Class<O> type, int size, Tensor... answers)
            throws Exception {
        MadeModels.answers(folder.resolve("model.onnx"), size, List.of(answers));
        Criteria<Image, O> criteria = Criteria.builder()
                .setTypes(Image.class, type)
                .optModelPath(folder)
                .optEngine("Millrace")
                .optTranslator(translator)
                .build();
        try (ZooModel<Image, O> model = criteria.loadModel();
                Predictor<Image, O> predictor = model.newPredictor()) {
            return predictor.predict(
                    ImageFactory.getInstance().fromImage(new BufferedImage(40, 40, BufferedImage.TYPE_INT_RGB)));
        }
    }

    private static void assertBox(DetectedObject found, String name, double probability, double... box) {
        assertThat(found.getClassName()).isEqualTo(name);
        assertThat(found.getProbability()).isCloseTo(probability, within(1e-6));
        Rectangle bounds = found.getBoundingBox().getBounds();
        assertThat(new double[] {bounds.getX(), bounds.getY(), bounds.getWidth(), bounds.getHeight()})
                .containsExactly(box, within(1e-6));
    }

    @Test
    void boxesOfSingleShotDetectorsAreFound() throws Exception {
        Tensor classes = Tensor.copyOf(new float[] {1, 0, 2}, 1, 3);
        Tensor scores = Tensor.copyOf(new float[] {0.75f, 0.25f, 0.5f}, 1, 3);
        Tensor boxes =
                Tensor.copyOf(new float[] {0.25f, 0.5f, 0.75f, 0.625f, 0, 0, 1, 1, 0.5f, 0.25f, 0.625f, 1}, 1, 3, 4);
        var translator = SingleShotDetectionTranslator.builder()
                .setImageSize(SIZE, SIZE)
                .addTransform(new Resize(SIZE, SIZE))
                .addTransform(new ToTensor())
                .optSynset(NAMES)
                .optThreshold(0.4f)
                .build();
        DetectedObjects found = predict(translator, DetectedObjects.class, SIZE, classes, scores, boxes);
        assertThat(found.getNumberOfObjects()).isEqualTo(2);
        assertBox(found.item(0), "b", 0.75, 0.25, 0.5, 0.5, 0.125);
        assertBox(found.item(1), "c", 0.5, 0.5, 0.25, 0.125, 0.75);
    }

    @Test
    void eachPixelHasItsLikeliestClass() throws Exception {
        float[] scores = MadeModels.random(3 * 4 * 5, 4);
        int[][] expected = new int[4][5];
        for (int i = 0; i < 20; i++) {
            for (int c = 1; c < 3; c++) {
                int best = expected[i / 5][i % 5];
                expected[i / 5][i % 5] = scores[c * 20 + i] > scores[best * 20 + i] ? c : best;
            }
        }
        var translator = SemanticSegmentationTranslator.builder()
                .addTransform(new ToTensor())
                .optSynset(NAMES)
                .build();
        CategoryMask found = predict(
                translator,
                CategoryMask.class,
                600,
                Tensor.copyOf(new float[] {0}, 1, 1),
                Tensor.copyOf(scores, 1, 3, 4, 5));
        assertThat(found.getMask()).isDeepEqualTo(expected);
    }

    @Test
    void masksOfObjectsAreFound() throws Exception {
        float[] masks = new float[2 * 4];
        masks[5] = 0.5f;
        var translator = InstanceSegmentationTranslator.builder()
                .addTransform(new ToTensor())
                .optSynset(NAMES)
                .optThreshold(0.4f)
                .build();
        DetectedObjects found = predict(
                translator,
                DetectedObjects.class,
                600,
                Tensor.copyOf(new float[] {0, 2}, 1, 2),
                Tensor.copyOf(new float[] {0.25f, 0.75f}, 1, 2),
                Tensor.copyOf(new float[] {0, 0, 1, 1, 60, 120, 360, 300}, 1, 2, 4),
                Tensor.copyOf(masks, 1, 2, 2, 2));
        assertThat(found.getNumberOfObjects()).isEqualTo(1);
        assertBox(found.item(0), "c", 0.75, 0.1, 0.2, 0.5, 0.3);
        Mask mask = (Mask) found.<DetectedObject>item(0).getBoundingBox();
        assertThat(mask.getProbDist()).isDeepEqualTo(new float[][] {{0, 0.5f}, {0, 0}});
    }

    @Test
    void jointsAreWhereTheirHeatIsGreatest() throws Exception {
        int height = 8;
        int width = 6;
        float[] heat = new float[JOINTS * height * width];
        for (int joint = 0; joint < JOINTS; joint++) {
            heat[(joint * height + joint % height) * width + joint % width] = 0.5f + joint / 64f;
        }
        var translator = SimplePoseTranslator.builder()
                .addTransform(new Resize(SIZE, SIZE))
                .addTransform(new ToTensor())
                .optThreshold(0.4f)
                .build();
        Joints found = predict(translator, Joints.class, SIZE, Tensor.copyOf(heat, 1, JOINTS, height, width));
        assertThat(found.getJoints()).hasSize(JOINTS);
        for (int joint = 0; joint < JOINTS; joint++) {
            assertJoint(
                    found.getJoints().get(joint),
                    (double) (joint % width) / width,
                    (double) (joint % height) / height,
                    0.5 + joint / 64.0);
        }
    }

    private static void assertJoint(Joint joint, double x, double y, double confidence) {
        assertThat(new double[] {joint.getX(), joint.getY(), joint.getConfidence()})
                .containsExactly(new double[] {x, y, confidence}, within(1e-6));
    }

    @Test
    void jointsOfYoloAreFound() throws Exception {
        int boxes = 3;
        float[] columns = new float[(5 + 3 * JOINTS) * boxes];
        for (int row = 0; row < 5 + 3 * JOINTS; row++) {
            columns[row * boxes + 1] = row < 4 ? 8 : row == 4 ? 0.9f : row - 5;
        }
        var translator = YoloPoseTranslator.builder()
                .setImageSize(SIZE, SIZE)
                .addTransform(new Resize(SIZE, SIZE))
                .addTransform(new ToTensor())
                .build();
        Joints[] found = predict(translator, Joints[].class, SIZE, Tensor.copyOf(columns, 1, 5 + 3 * JOINTS, boxes));
        assertThat(found).hasSize(1);
        for (int joint = 0; joint < JOINTS; joint++) {
            assertJoint(found[0].getJoints().get(joint), 3.0 * joint / SIZE, (3.0 * joint + 1) / SIZE, 3 * joint + 2);
        }
    }

    @Test
    void masksOfYoloAreSumsOfPrototypes() throws Exception {
        int channels = 32;
        int boxes = 2;
        float[] columns = new float[(7 + channels) * boxes];
        float[] first = {16, 16, 32, 32, 0.1f, 0.9f, 0.2f};
        for (int row = 0; row < 7 + channels; row++) {
            columns[row * boxes] = row < 7 ? first[row] : row == 8 ? 1 : 0;
        }
        float[] prototypes = MadeModels.random(channels * 8 * 8, 3);
        var translator = YoloSegmentationTranslator.builder()
                .setImageSize(SIZE, SIZE)
                .addTransform(new Resize(SIZE, SIZE))
                .addTransform(new ToTensor())
                .optSynset(NAMES)
                .optThreshold(0.5f)
                .build();
        DetectedObjects found = predict(
                translator,
                DetectedObjects.class,
                SIZE,
                Tensor.copyOf(columns, 1, 7 + channels, boxes),
                Tensor.copyOf(prototypes, 1, channels, 8, 8));
        assertThat(found.getNumberOfObjects()).isEqualTo(1);
        assertBox(found.item(0), "b", 0.9, 0, 0, 1, 1);
        float[][] mask = ((Mask) found.<DetectedObject>item(0).getBoundingBox()).getProbDist();
        for (int i = 0; i < 64; i++) {
            assertThat(mask[i / 8][i % 8]).as("pixel %d", i).isEqualTo(prototypes[64 + i] > 0 ? 1 : 0);
        }
    }

    @Test
    void imagesAreMade() throws Exception {
        float[] pixels = new float[3 * 2 * 2];
        pixels[1] = 0.5f;
        pixels[4] = -0.5f;
        Image found = predict(new StyleTransferTranslator(), Image.class, 40, Tensor.copyOf(pixels, 1, 3, 2, 2));
        var made = (BufferedImage) found.getWrappedImage();
        assertThat(made.getWidth()).isEqualTo(2);
        assertThat(made.getRGB(1, 0) & 0xffffff).isEqualTo(0xc08080);
        assertThat(made.getRGB(0, 0) & 0xffffff).isEqualTo(0x804080);
    }
}
