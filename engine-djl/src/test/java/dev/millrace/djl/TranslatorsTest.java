package dev.millrace.djl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import ai.djl.inference.Predictor;
import ai.djl.modality.Classifications;
import ai.djl.modality.cv.Image;
import ai.djl.modality.cv.ImageFactory;
import ai.djl.modality.cv.output.DetectedObjects;
import ai.djl.modality.cv.output.DetectedObjects.DetectedObject;
import ai.djl.modality.cv.output.Rectangle;
import ai.djl.modality.cv.transform.CenterCrop;
import ai.djl.modality.cv.transform.Normalize;
import ai.djl.modality.cv.transform.Resize;
import ai.djl.modality.cv.transform.ToTensor;
import ai.djl.modality.cv.translator.ImageClassificationTranslator;
import ai.djl.modality.cv.translator.YoloV5Translator;
import ai.djl.modality.cv.translator.YoloV8Translator;
import ai.djl.ndarray.NDArray;
import ai.djl.ndarray.NDList;
import ai.djl.ndarray.types.DataType;
import ai.djl.ndarray.types.Shape;
import ai.djl.repository.zoo.Criteria;
import ai.djl.repository.zoo.ZooModel;
import ai.djl.translate.Translator;
import ai.djl.translate.TranslatorContext;
import dev.millrace.graph.tensor.Tensor;
import java.awt.image.BufferedImage;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Predictors with translators of DJL, beside plain Java. */
class TranslatorsTest {
    private static final List<String> NAMES = List.of("a", "b", "c", "d", "e");

    @TempDir
    private Path folder = Path.of("");

    private <I, O> ZooModel<I, O> load(Class<I> input, Class<O> output, Translator<I, O> translator) throws Exception {
        return Criteria.builder()
                .setTypes(input, output)
                .optModelPath(folder)
                .optEngine("Millrace")
                .optTranslator(translator)
                .build()
                .loadModel();
    }

    /** Mean pooling as DJL's translators of embeddings compute it. */
    private static final class MeanPooling implements Translator<long[], float[]> {
        private static final int LENGTH = 5;

        @Override
        public NDList processInput(TranslatorContext context, long[] ids) {
            NDArray padded = context.getNDManager().create(Arrays.copyOf(ids, LENGTH));
            long[] seen = new long[LENGTH];
            Arrays.fill(seen, 0, ids.length, 1);
            NDArray mask = context.getNDManager().create(seen);
            padded.setName("input_ids");
            mask.setName("attention_mask");
            return new NDList(padded, mask);
        }

        @Override
        public float[] processOutput(TranslatorContext context, NDList list) {
            NDArray words = list.get(0);
            NDArray mask = list.get(1).toType(DataType.FLOAT32, true);
            NDArray wide =
                    mask.expandDims(-1).broadcast(new Shape(words.getShape().getShape()));
            NDArray sum = words.mul(wide).sum(new int[] {0});
            NDArray count = wide.sum(new int[] {0}).clip(1e-9, 1e12);
            return sum.div(count).normalize(2, 0).toFloatArray();
        }
    }

    private static float[] pooled(long[] ids) {
        float[] table = MadeModels.random(MadeModels.WORDS * MadeModels.WIDTH, 1);
        float[] mean = new float[MadeModels.WIDTH];
        for (long id : ids) {
            for (int i = 0; i < mean.length; i++) {
                mean[i] += table[(int) id * mean.length + i] / ids.length;
            }
        }
        double norm = 0;
        for (float each : mean) {
            norm += each * each;
        }
        for (int i = 0; i < mean.length; i++) {
            mean[i] /= (float) Math.sqrt(norm);
        }
        return mean;
    }

    @Test
    void wordsBecomeVectors() throws Exception {
        MadeModels.words(folder.resolve("model.onnx"));
        List<long[]> texts = List.of(new long[] {1, 2, 3}, new long[] {7}, new long[] {19, 0, 5, 5, 4});
        try (ZooModel<long[], float[]> model = load(long[].class, float[].class, new MeanPooling());
                Predictor<long[], float[]> predictor = model.newPredictor()) {
            List<float[]> together = predictor.batchPredict(texts);
            for (int i = 0; i < texts.size(); i++) {
                assertThat(together.get(i)).containsExactly(pooled(texts.get(i)), within(1e-6f));
                assertThat(predictor.predict(texts.get(i))).isEqualTo(together.get(i));
            }
        }
    }

    private static Image image(int width, int height, long seed) {
        var random = new Random(seed);
        var pixels = new BufferedImage(width, height, BufferedImage.TYPE_INT_RGB);
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                pixels.setRGB(x, y, random.nextInt(1 << 24));
            }
        }
        return ImageFactory.getInstance().fromImage(pixels);
    }

    private static double channel(Image image, int x, int y, int channel) {
        var pixels = (BufferedImage) image.getWrappedImage();
        return pixels.getRGB(x, y) >> 16 - 8 * channel & 0xff;
    }

    /** The weights of four neighbours if an image is made half as large. */
    private static final int[] HALVING = {1, 3, 3, 1};

    /** The means of the channels of a square part of an image that is made half as large. */
    private static double[] means(Image image, int left, int top, int size) {
        double[] means = new double[3];
        for (int c = 0; c < 3; c++) {
            for (int y = 0; y < size; y += 2) {
                for (int x = 0; x < size; x += 2) {
                    means[c] += Math.rint(halved(image, left, top, size, x, y, c)) / 255 / (size * size / 4.0);
                }
            }
        }
        return means;
    }

    private static double halved(Image image, int left, int top, int size, int x, int y, int channel) {
        double sum = 0;
        int weights = 0;
        for (int row = Math.max(0, y - 1); row < Math.min(size, y + 3); row++) {
            for (int column = Math.max(0, x - 1); column < Math.min(size, x + 3); column++) {
                int weight = HALVING[row - y + 1] * HALVING[column - x + 1];
                sum += weight * channel(image, left + column, top + row, channel);
                weights += weight;
            }
        }
        return sum / weights;
    }

    @Test
    void imagesAreClassified() throws Exception {
        MadeModels.scores(folder.resolve("model.onnx"), 8);
        float[] mean = {0.5f, 0.4f, 0.3f};
        float[] deviation = {0.2f, 0.3f, 0.4f};
        var translator = ImageClassificationTranslator.builder()
                .addTransform(new CenterCrop(16, 16))
                .addTransform(new Resize(8, 8))
                .addTransform(new ToTensor())
                .addTransform(new Normalize(mean, deviation))
                .optSynset(NAMES)
                .optApplySoftmax(true)
                .build();
        Image image = image(20, 18, 5);
        double[] expected = new double[NAMES.size()];
        double[] means = means(image, 2, 1, 16);
        float[] weights = MadeModels.random(3 * NAMES.size(), 2);
        double sum = 0;
        for (int i = 0; i < expected.length; i++) {
            for (int c = 0; c < 3; c++) {
                expected[i] += (means[c] - mean[c]) / deviation[c] * weights[c * expected.length + i];
            }
            expected[i] = Math.exp(expected[i]);
            sum += expected[i];
        }
        try (ZooModel<Image, Classifications> model = load(Image.class, Classifications.class, translator);
                Predictor<Image, Classifications> predictor = model.newPredictor()) {
            Classifications found = predictor.predict(image);
            for (int i = 0; i < expected.length; i++) {
                assertThat(found.get(NAMES.get(i)).getProbability()).isCloseTo(expected[i] / sum, within(1e-5));
            }
            assertThat(found.topK(5).stream().map(Classifications.Classification::getProbability))
                    .isSortedAccordingTo((a, b) -> Double.compare(b, a));
        }
    }

    /** Boxes by centre and extents, with a score for each of three classes; the third is a worse copy of the second. */
    private static final float[][] BOXES = {
        {16, 28, 4, 4, 0.1f, 0.1f, 0.2f},
        {8, 8, 8, 8, 0.05f, 0.9f, 0.02f},
        {8.5f, 8, 8, 8, 0.04f, 0.8f, 0.03f},
        {24, 20, 6, 10, 0.01f, 0.02f, 0.7f},
        {20, 4, 4, 4, 0.2f, 0.1f, 0.1f}
    };

    private static void assertFound(DetectedObjects found, double scale) {
        assertThat(found.getNumberOfObjects()).isEqualTo(2);
        DetectedObject first = found.item(0);
        assertThat(first.getClassName()).isEqualTo("b");
        assertThat(first.getProbability()).isCloseTo(0.9, within(1e-5));
        Rectangle box = first.getBoundingBox().getBounds();
        assertThat(new double[] {box.getX(), box.getY(), box.getWidth(), box.getHeight()})
                .containsExactly(new double[] {4 / scale, 4 / scale, 8 / scale, 8 / scale}, within(1e-5));
        DetectedObject second = found.item(1);
        assertThat(second.getClassName()).isEqualTo("c");
        assertThat(second.getProbability()).isCloseTo(0.7, within(1e-5));
        assertThat(second.getBoundingBox().getBounds().getHeight()).isCloseTo(10 / scale, within(1e-5));
    }

    private void assertFinds(Translator<Image, DetectedObjects> translator) throws Exception {
        try (ZooModel<Image, DetectedObjects> model = load(Image.class, DetectedObjects.class, translator);
                Predictor<Image, DetectedObjects> predictor = model.newPredictor()) {
            assertFound(predictor.predict(image(40, 30, 6)), 1);
        }
    }

    @Test
    void boxesOfYoloV5AreFound() throws Exception {
        float[] rows = new float[BOXES.length * 8];
        for (int i = 0; i < BOXES.length; i++) {
            System.arraycopy(BOXES[i], 0, rows, i * 8, 4);
            rows[i * 8 + 4] = 1;
            System.arraycopy(BOXES[i], 4, rows, i * 8 + 5, 3);
        }
        MadeModels.boxes(folder.resolve("model.onnx"), 32, Tensor.copyOf(rows, 1, BOXES.length, 8));
        var translator = YoloV5Translator.builder()
                .setImageSize(32, 32)
                .addTransform(new Resize(32, 32))
                .addTransform(new ToTensor())
                .optSynset(List.of("a", "b", "c"))
                .optThreshold(0.5f)
                .build();
        assertFinds(translator);
    }

    @Test
    void boxesOfYoloV8AreFound() throws Exception {
        int count = 8400; // the translator takes no other number of boxes without a file of arguments
        float[] columns = new float[7 * count];
        for (int i = 0; i < BOXES.length; i++) {
            for (int j = 0; j < 7; j++) {
                columns[j * count + i] = BOXES[i][j];
            }
        }
        MadeModels.boxes(folder.resolve("model.onnx"), 32, Tensor.copyOf(columns, 1, 7, count));
        var translator = YoloV8Translator.builder()
                .setImageSize(32, 32)
                .addTransform(new Resize(32, 32))
                .addTransform(new ToTensor())
                .optSynset(List.of("a", "b", "c"))
                .optThreshold(0.5f)
                .build();
        assertFinds(translator);
    }
}
