package dev.millrace.pipelines.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RgbImageTest {
    /** An image of one row; all channels are the same. */
    private static RgbImage row(int... values) {
        byte[] pixels = new byte[values.length * 3];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) values[i / 3];
        }
        return RgbImage.wrap(values.length, 1, pixels);
    }

    private static int[] red(RgbImage image) {
        int[] red = new int[image.width() * image.height()];
        for (int i = 0; i < red.length; i++) {
            red[i] = image.value(i % image.width(), i / image.width(), 0);
        }
        return red;
    }

    @Test
    void openCvTakesTheTwoNearestPixels() {
        assertThat(red(row(0, 100).resized(4, 1, Resampling.OPENCV_LINEAR))).containsExactly(0, 25, 75, 100);
        // from four to two: the middles lie between the pixels; from six to two: on the second and the fifth
        assertThat(red(row(0, 100, 200, 44).resized(2, 1, Resampling.OPENCV_LINEAR)))
                .containsExactly(50, 122);
        assertThat(red(row(1, 2, 3, 4, 5, 6).resized(2, 1, Resampling.OPENCV_LINEAR)))
                .containsExactly(2, 5);
    }

    @Test
    void pilTakesAllPixelsOfASmallerImage() {
        // weights 3/4, 3/4 and 1/4, divided by their sum
        assertThat(red(row(0, 100, 200, 44).resized(2, 1, Resampling.PIL_BILINEAR)))
                .containsExactly(71, 119);
        assertThat(red(row(0, 100).resized(4, 1, Resampling.PIL_BILINEAR))).containsExactly(0, 25, 75, 100);
        assertThat(red(row(10, 20, 30, 40).resized(2, 1, Resampling.PIL_NEAREST)))
                .containsExactly(20, 40);
        // the cubic kernel goes beyond the values at its sides, and is cut to bytes
        assertThat(red(row(0, 0, 255, 255).resized(8, 1, Resampling.PIL_BICUBIC)))
                .startsWith(0, 0, 0)
                .endsWith(255, 255, 255);
    }

    @ParameterizedTest
    @EnumSource
    void oneColourStaysOneColour(Resampling resampling) {
        RgbImage grey = RgbImage.filled(7, 5, 77);
        for (int[] size : new int[][] {{3, 2}, {14, 11}, {1, 1}, {7, 9}}) {
            assertThat(red(grey.resized(size[0], size[1], resampling))).containsOnly(77);
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPartOfAResizedImageIsThatOfTheWhole(Resampling resampling) {
        byte[] pixels = new byte[23 * 17 * 3];
        new Random(3).nextBytes(pixels);
        RgbImage image = RgbImage.wrap(23, 17, pixels);
        for (int[] size : new int[][] {{9, 7}, {40, 31}, {23, 17}, {11, 40}, {60, 8}}) {
            RgbImage whole = image.resized(size[0], size[1], resampling);
            var part = new Resampling.Part(size[0], size[1], 3, 2, 5, 4);
            assertThat(image.resized(part, resampling).pixels())
                    .isEqualTo(whole.part(3, 2, 5, 4, 0).pixels());
        }
    }

    @Test
    void theMiddleOfALongImageNeedsNoLongerOne() {
        // of 256 times 25,600,000 pixels, 24 times 24 are computed
        RgbImage line = RgbImage.filled(2, 200_000, 9);
        PreparedImage middle = ImageInput.of(24, 24).cropped(256).prepare(line);
        assertThat(middle.tensor().shape()).isEqualTo(Shape.of(1, 3, 24, 24));
        assertThat(middle.tensor().floats()).containsOnly(9 / 255f);
    }

    @Test
    void imagesAreCutAndTurned() {
        RgbImage row = row(1, 2, 3);
        assertThat(red(row.part(-1, 0, 3, 2, 9))).containsExactly(9, 1, 2, 9, 9, 9);
        assertThat(red(row.part(2, 0, 2, 1, 0))).containsExactly(3, 0);
        assertThat(red(row.part(5, 0, 2, 1, 8))).containsExactly(8, 8);
        assertThat(red(row.upsideDown())).containsExactly(3, 2, 1);
        RgbImage left = row.turnedLeft();
        assertThat(left.height()).isEqualTo(3);
        assertThat(red(left)).containsExactly(3, 2, 1);
        var all = new Quad(new Point(0, 0), new Point(3, 0), new Point(3, 1), new Point(0, 1));
        assertThat(red(row.unwarped(all, 3, 1))).containsExactly(1, 2, 3);
        var fromRight = new Quad(new Point(2, 0), new Point(-1, 0), new Point(-1, 1), new Point(2, 1));
        assertThat(red(row.unwarped(fromRight, 3, 1))).containsExactly(3, 2, 1);
        assertThatThrownBy(() -> RgbImage.wrap(2, 2, new byte[11])).hasMessageContaining("12 bytes, not 11");
        assertThatThrownBy(() -> RgbImage.filled(0, 2, 0)).hasMessageContaining("'width' is 0");
    }

    @Test
    void anImageKeepsItsShapeInALetterbox() {
        PreparedImage prepared = ImageInput.of(8, 8).letterboxed(114).prepare(RgbImage.filled(4, 2, 255));
        assertThat(prepared.placement()).isEqualTo(new ImagePlacement(2, 2, 0, 2));
        float[] values = prepared.tensor().floats();
        assertThat(values[0]).isEqualTo(114 / 255f);
        assertThat(values[2 * 8]).isEqualTo(1);
        assertThat(values[6 * 8]).isEqualTo(114 / 255f);
        assertThat(prepared.placement().toImage(new Box(0, 2, 8, 6))).isEqualTo(new Box(0, 0, 4, 2));
        assertThat(ImageInput.of(8, 8)
                        .letterboxedTopLeft(0)
                        .prepare(RgbImage.filled(4, 2, 255))
                        .placement())
                .isEqualTo(new ImagePlacement(2, 2, 0, 0));
    }

    @Test
    void theMiddleOfAnImageIsCutOut() {
        PreparedImage prepared = ImageInput.imageNet().prepare(RgbImage.filled(512, 300, 0));
        assertThat(prepared.tensor().shape()).isEqualTo(Shape.of(1, 3, 224, 224));
        // 436 of 436.9 pixels wide: 106 at the left, 16 at the top
        assertThat(prepared.placement().left()).isEqualTo(-106);
        assertThat(prepared.placement().top()).isEqualTo(-16);
        assertThat(prepared.tensor().floats()[0]).isCloseTo((float) (-0.485 / 0.229), within(1e-6f));
        assertThatThrownBy(() -> ImageInput.of(300, 224).cropped(256)).hasMessageContaining("does not fill");
    }

    @Test
    void channelsHaveTheOrderAndTheRangeOfTheModel() {
        RgbImage pixel = RgbImage.wrap(1, 1, new byte[] {(byte) 255, 51, 0});
        ImageInput input = ImageInput.of(1, 1);
        assertThat(floats(input, pixel)).containsExactly(1, 0.2f, 0);
        assertThat(floats(input.blueFirst(), pixel)).containsExactly(0, 0.2f, 1);
        assertThat(floats(input.fromZeroTo255(), pixel)).containsExactly(255, 51, 0);
        assertThat(floats(input.fromMinusOneToOne(), pixel)).containsExactly(new float[] {1, -0.6f, -1}, within(1e-6f));
        Tensor last = ImageInput.of(1, 2).channelsLast().prepare(pixel).tensor();
        assertThat(last.shape()).isEqualTo(Shape.of(1, 2, 1, 3));
        assertThat(last.floats()).containsExactly(1, 0.2f, 0, 1, 0.2f, 0);
    }

    private static float[] floats(ImageInput input, RgbImage image) {
        return input.prepare(image).tensor().floats();
    }
}
