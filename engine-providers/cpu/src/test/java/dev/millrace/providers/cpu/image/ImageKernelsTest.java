package dev.millrace.providers.cpu.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.atIndex;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ImageKernelsTest {
    private static final Tensor PLANE = Tensor.copyOf(new float[] {1, 2, 3, 4}, 1, 1, 2, 2);

    private static Tensor file(String head, int... rest) {
        byte[] text = head.getBytes(StandardCharsets.ISO_8859_1);
        Tensor file = Tensor.allocate(ElementType.UINT8, Shape.of(text.length + rest.length));
        for (int i = 0; i < text.length; i++) {
            Elements.setLong(ElementType.UINT8, file.segment(), i, text[i]);
        }
        for (int i = 0; i < rest.length; i++) {
            Elements.setLong(ElementType.UINT8, file.segment(), text.length + i, rest[i]);
        }
        return file;
    }

    /** Patches of small planes are read and written some planes at a time. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void patchesOfManyPlanesAreAddedLikeThoseOfOne(boolean asDoubles) {
        int planes = 1500;
        float[] patches = new float[planes * 4 * 2];
        float[] expected = new float[planes * 3 * 2];
        for (int i = 0; i < patches.length; i++) {
            patches[i] = i % 97;
            int plane = i / 8;
            int row = i % 8 / 2;
            expected[plane * 6 + (row / 2 + i % 2) * 2 + row % 2] += i % 97;
        }
        Tensor tensor = Tensor.copyOf(patches, planes, 4, 2);
        Tensor out = OneNode.onnx("Col2Im", 18)
                .run(
                        asDoubles ? Tensor.copyOf(tensor.doubles(), planes, 4, 2) : tensor,
                        Tensor.copyOf(new long[] {3, 2}, 2),
                        Tensor.copyOf(new long[] {2, 2}, 2));
        assertThat(out.shape()).isEqualTo(Shape.of(planes, 1, 3, 2));
        assertThat(asDoubles ? narrowed(out.doubles()) : out.floats()).isEqualTo(expected);
    }

    private static float[] narrowed(double[] numbers) {
        float[] narrow = new float[numbers.length];
        for (int i = 0; i < narrow.length; i++) {
            narrow[i] = (float) numbers[i];
        }
        return narrow;
    }

    @Test
    void upsamplesByAttributesInputsAndTheFirstForm() {
        float[] expected = {1, 1, 2, 2, 3, 3, 4, 4};
        assertThat(OneNode.onnx("Upsample", 7)
                        .with("scales", 1f, 1f, 1f, 2f)
                        .run(PLANE)
                        .floats())
                .isEqualTo(expected);
        assertThat(OneNode.onnx("Upsample", 9)
                        .run(PLANE, Tensor.copyOf(new float[] {1, 1, 1, 2}, 4))
                        .floats())
                .isEqualTo(expected);
        assertThat(OneNode.onnx("Upsample", 1)
                        .with("height_scale", Attribute.of(1f))
                        .with("width_scale", Attribute.of(2f))
                        .run(PLANE)
                        .floats())
                .isEqualTo(expected);
    }

    @Test
    void upsamplesLinearlyFromTheCornerBeforeOpsetEleven() {
        Tensor out = OneNode.onnx("Upsample", 9)
                .with("mode", "linear")
                .run(PLANE, Tensor.copyOf(new float[] {1, 1, 2, 1}, 4));
        assertThat(out.floats()).containsExactly(1, 2, 2, 3, 3, 4, 3, 4);
    }

    @Test
    void shrinksByTheNextPixelBeforeOpsetEleven() {
        Tensor row = Tensor.copyOf(new float[] {0, 1, 2, 3, 4}, 1, 1, 1, 5);
        Tensor out = OneNode.onnx("Resize", 10).run(row, Tensor.copyOf(new float[] {1, 1, 1, 0.6f}, 4));
        assertThat(out.floats()).containsExactly(0, 2, 4);
    }

    @Test
    void resizesDoublesWithoutLosingPrecision() {
        double third = 1 / 3.0;
        Tensor in = Tensor.copyOf(new double[] {0, third, 2 * third, 1}, 1, 1, 2, 2);
        Tensor out = OneNode.onnx("Resize", 19)
                .with("mode", "linear")
                .with("coordinate_transformation_mode", "align_corners")
                .run(in, null, null, Tensor.copyOf(new long[] {1, 1, 3, 3}, 4));
        assertThat(out.doubles()[1]).isEqualTo(third / 2);
        assertThat(out.doubles()[4]).isEqualTo(0.5);
    }

    @Test
    void poolsTheLargestOfEachPartOfARegion() {
        float[] values = new float[16];
        for (int i = 0; i < 16; i++) {
            values[i] = i;
        }
        Tensor out = OneNode.onnx("MaxRoiPool", 1)
                .withAll("pooled_shape", 2L, 2L)
                .run(
                        Tensor.copyOf(values, 1, 1, 4, 4),
                        Tensor.copyOf(new float[] {0, 0, 0, 3, 3, 0, 1, 1, 2, 2}, 2, 5));
        assertThat(out.floats()).containsExactly(5, 7, 13, 15, 5, 6, 9, 10);
    }

    @Test
    void refusesARegionOfAnImageThatIsNotThere() {
        var pool = OneNode.onnx("MaxRoiPool", 1).withAll("pooled_shape", 1L, 1L);
        Tensor region = Tensor.copyOf(new float[] {2, 0, 0, 1, 1}, 1, 5);
        assertThatThrownBy(() -> pool.run(PLANE, region))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("image 2.0 of 1");
    }

    @Test
    void decodesPortableMaps() {
        var decoder = OneNode.onnx("ImageDecoder", 20);
        assertThat(decoder.run(file("P3\n# two pixels\n2 1\n255\n1 2 3  4 5 6\n"))
                        .ints())
                .containsExactly(1, 2, 3, 4, 5, 6);
        assertThat(decoder.run(file("P6 1 2 255\n", 9, 8, 7, 6, 5, 4)).ints()).containsExactly(9, 8, 7, 6, 5, 4);
        var gray = OneNode.onnx("ImageDecoder", 20).with("pixel_format", "Grayscale");
        assertThat(gray.run(file("P5 2 1 15\n", 0, 15)).ints()).containsExactly(0, 255);
        assertThat(gray.run(file("P4 9 2\n", 0b10000000, 0b10000000, 0, 0)).ints())
                .startsWith(0, 255)
                .endsWith(255, 255)
                .contains(0, atIndex(8));
        assertThat(gray.run(file("P1 2 1\n10\n")).ints()).containsExactly(0, 255);
    }

    @Test
    void saysWhatIsWrongWithAnImage() {
        var decoder = OneNode.onnx("ImageDecoder", 20);
        assertThatThrownBy(() -> decoder.run(file("P6 2 2 255\n", 1, 2, 3)))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("broken");
        assertThatThrownBy(() -> decoder.run(file("RIFF\4\0\0\0WEBP")))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("no chunk of the file is an image")
                .extracting(e -> ((EngineException) e).status())
                .isEqualTo(Status.INVALID_ARGUMENT);
    }

    private static Tensor aligned(float right, long ratio) {
        return OneNode.onnx("RoiAlign", 16)
                .with("sampling_ratio", ratio)
                .run(PLANE, Tensor.copyOf(new float[] {0, 0, right, 2}, 1, 4), Tensor.copyOf(new long[] {0}, 1));
    }

    @ParameterizedTest
    @ValueSource(floats = {1e9f, 1e38f, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, Float.NaN})
    void aRegionThatIsNoImageIsRefused(float right) {
        assertThatThrownBy(() -> aligned(right, 0))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("at most 65536 are possible");
    }

    @Test
    void aLargeRegionWithFewSamplesIsSampled() {
        assertThat(aligned(1e9f, 2).floats()).containsExactly(0);
        assertThat(aligned(2, 0).floats()).containsExactly(2.5f);
        assertThat(aligned(-5, 0).floats()).containsExactly(0);
    }

    @Test
    void aRegionOfAnImageWithoutRowsIsZero() {
        Tensor none = Tensor.copyOf(new float[0], 1, 1, 0, 4);
        Tensor region = Tensor.copyOf(new float[] {0, 0, 2, 2}, 1, 4);
        assertThat(OneNode.onnx("RoiAlign", 16)
                        .run(none, region, Tensor.copyOf(new long[] {0}, 1))
                        .floats())
                .containsExactly(0);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 1L << 31, 1L << 62})
    void aSamplingRatioThatIsNoneIsRefused(long ratio) {
        assertThatThrownBy(() -> aligned(2, ratio)).hasMessageContaining("'sampling_ratio' is " + ratio);
    }

    /** Computes a cell sample by sample, as the operator is specified; {@code box} is in pixels of the image. */
    private static double cell(Plane plane, double[] box, int row, int column, int samples, boolean average) {
        double result = average ? 0 : Double.NEGATIVE_INFINITY;
        for (int i = 0; i < samples * samples; i++) {
            double y = box[1] + (row + (i / samples + 0.5) / samples) * (box[3] - box[1]) / 3;
            double x = box[0] + (column + (i % samples + 0.5) / samples) * (box[2] - box[0]) / 2;
            double sample = 0;
            if (y >= -1 && y <= plane.height() && x >= -1 && x <= plane.width()) {
                y = Math.clamp(y, 0, plane.height() - 1);
                x = Math.clamp(x, 0, plane.width() - 1);
                sample = average ? 0 : Double.NEGATIVE_INFINITY;
                for (int corner = 0; corner < 4; corner++) {
                    int top = (int) y + corner / 2;
                    int left = (int) x + corner % 2;
                    double weight = (1 - Math.abs(y - top)) * (1 - Math.abs(x - left));
                    double part =
                            weight * plane.at(Math.min(top, plane.height() - 1), Math.min(left, plane.width() - 1));
                    sample = average ? sample + part : Math.max(sample, part);
                }
            }
            result = average ? result + sample / (samples * samples) : Math.max(result, sample);
        }
        return result;
    }

    @ParameterizedTest
    @CsvSource({
        "avg, 2, 6, 7",
        "max, 2, 6, 7",
        "avg, 1, 300, 400",
        "max, 3, 300, 400",
        "avg, 2, 5, 3000",
        "max, 2, 5, 3000",
        "avg, 40, 6, 7"
    })
    void aCellIsOfItsSamples(String mode, int samples, int height, int width) {
        for (ElementType type : List.of(ElementType.DOUBLE, ElementType.FLOAT)) {
            cellsAreOfTheirSamples(type, mode, samples, height, width);
        }
    }

    private static void cellsAreOfTheirSamples(ElementType type, String mode, int samples, int height, int width) {
        int planes = 3;
        double[] pixels = new double[2 * planes * height * width];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = i * 7919L % 1009 / 100.0 - 5;
        }
        Tensor image = Tensor.copyOf(pixels, 2, planes, height, width);
        double[][] boxes = {
            {0.5, 0.5, 4.25, 3.75},
            {-3, -2.5, 2, 2},
            {width - 2, 1, width + 3, height + 4},
            {0, 0, width, height},
            {4, 4, 1, 2},
            {100, 1000, 200, 2000}
        };
        double[] corners = Arrays.stream(boxes)
                .flatMapToDouble(Arrays::stream)
                .map(corner -> corner + 0.5)
                .toArray();
        Tensor out = OneNode.onnx("RoiAlign", 16)
                .with("mode", mode)
                .with("sampling_ratio", samples)
                .with("output_height", 3)
                .with("output_width", 2)
                .with("coordinate_transformation_mode", "half_pixel")
                .run(
                        as(type, image),
                        as(type, Tensor.copyOf(corners, boxes.length, 4)),
                        Tensor.copyOf(new long[] {0, 1, 1, 0, 1, 0}, boxes.length));
        for (int i = 0; i < out.shape().elements(); i++) {
            int region = i / 6 / planes;
            int number = (region == 1 || region == 2 || region == 4 ? planes : 0) + i / 6 % planes;
            var plane = new Plane(ElementType.DOUBLE, image.segment(), (long) number * height * width, height, width);
            double expected = cell(plane, boxes[region], i % 6 / 2, i % 2, samples, mode.equals("avg"));
            assertThat(Elements.getDouble(type, out.segment(), i))
                    .isCloseTo(expected, within(type == ElementType.FLOAT ? 1e-5 : 1e-9));
        }
    }

    private static Tensor as(ElementType type, Tensor doubles) {
        Tensor converted = Tensor.allocate(type, doubles.shape());
        for (int i = 0; i < doubles.shape().elements(); i++) {
            Elements.setDouble(
                    type, converted.segment(), i, Elements.getDouble(ElementType.DOUBLE, doubles.segment(), i));
        }
        return converted;
    }
}
