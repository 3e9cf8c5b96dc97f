package dev.millrace.pipelines.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.pipelines.imageio.ImageFiles;
import java.awt.Color;
import java.awt.color.ColorSpace;
import java.awt.image.BufferedImage;
import java.awt.image.ComponentColorModel;
import java.awt.image.DataBuffer;
import java.awt.image.Raster;
import java.awt.image.RenderedImage;
import java.awt.image.WritableRaster;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriter;
import javax.imageio.stream.ImageOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that images of files have the numbers that PIL and OpenCV read. */
class ImageFilesTest {
    private static byte[] file(RenderedImage image, String format) {
        var bytes = new ByteArrayOutputStream();
        try {
            assertThat(ImageIO.write(image, format, bytes)).isTrue();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return bytes.toByteArray();
    }

    private static int[] pixel(RgbImage image, int x, int y) {
        return new int[] {image.value(x, y, 0), image.value(x, y, 1), image.value(x, y, 2)};
    }

    @ParameterizedTest
    @CsvSource({"png,10,128", "bmp,10,128", "tiff,10,128", "png,11,32896", "tiff,11,32896"})
    void greyStaysAsItIsStored(String format, int type, int sample) {
        var grey = new BufferedImage(2, 1, type);
        grey.getRaster().setSample(0, 0, 0, sample);
        grey.getRaster().setSample(1, 0, 0, sample / 128 * 5);
        for (RgbImage image : new RgbImage[] {ImageFiles.decode(file(grey, format)), ImageFiles.of(grey)}) {
            assertThat(pixel(image, 0, 0)).containsExactly(128, 128, 128);
            assertThat(pixel(image, 1, 0)).containsExactly(5, 5, 5);
        }
    }

    @Test
    void greyWithTransparencyLiesOnWhite() {
        var model = new ComponentColorModel(
                ColorSpace.getInstance(ColorSpace.CS_GRAY), true, false, Color.TRANSLUCENT, DataBuffer.TYPE_BYTE);
        var image = new BufferedImage(model, model.createCompatibleWritableRaster(3, 1), false, null);
        image.getRaster().setPixels(0, 0, 3, 1, new int[] {128, 255, 128, 0, 0, 128});
        RgbImage read = ImageFiles.decode(file(image, "png"));
        assertThat(pixel(read, 0, 0)).containsExactly(128, 128, 128);
        assertThat(pixel(read, 1, 0)).containsExactly(255, 255, 255);
        assertThat(pixel(read, 2, 0)).containsExactly(127, 127, 127);
    }

    @ParameterizedTest
    @ValueSource(ints = {BufferedImage.TYPE_BYTE_BINARY, BufferedImage.TYPE_BYTE_INDEXED, BufferedImage.TYPE_INT_RGB})
    void imagesOfOnePixelAreRead(int type) {
        var image = new BufferedImage(1, 1, type);
        image.setRGB(0, 0, 0xffffff);
        assertThat(pixel(ImageFiles.decode(file(image, "png")), 0, 0)).containsExactly(255, 255, 255);
    }

    /** Returns a JPEG file of inks, of one colour, as Adobe writes it: with the paper that is left. */
    private static byte[] inks(int... paper) throws IOException {
        WritableRaster raster = Raster.createInterleavedRaster(DataBuffer.TYPE_BYTE, 8, 8, 4, null);
        for (int i = 0; i < 64; i++) {
            raster.setPixel(i % 8, i / 8, paper);
        }
        ImageWriter writer = ImageIO.getImageWritersByFormatName("jpeg").next();
        var bytes = new ByteArrayOutputStream();
        try (ImageOutputStream out = Objects.requireNonNull(ImageIO.createImageOutputStream(bytes))) {
            writer.setOutput(out);
            writer.write(null, new IIOImage(raster, null, null), null);
        } finally {
            writer.dispose();
        }
        byte[] adobe = {(byte) 0xff, (byte) 0xee, 0, 14, 'A', 'd', 'o', 'b', 'e', 0, 100, 0, 0, 0, 0, 0};
        return inserted(bytes.toByteArray(), adobe);
    }

    /** Returns a JPEG file with a segment in front of the others. */
    private static byte[] inserted(byte[] jpeg, byte[] segment) {
        return ByteBuffer.allocate(jpeg.length + segment.length)
                .put(jpeg, 0, 2)
                .put(segment)
                .put(jpeg, 2, jpeg.length - 2)
                .array();
    }

    @Test
    void inksBecomeThePaperThatTheyLeave() throws IOException {
        assertThat(pixel(ImageFiles.decode(inks(200, 100, 50, 255)), 4, 4)).containsExactly(200, 100, 50);
        assertThat(pixel(ImageFiles.decode(inks(200, 100, 50, 128)), 4, 4)).containsExactly(100, 50, 25);
        assertThat(pixel(ImageFiles.decode(inks(255, 255, 255, 0)), 4, 4)).containsExactly(0, 0, 0);
    }

    private static byte[] exif(int orientation, ByteOrder order) {
        ByteBuffer segment = ByteBuffer.allocate(36);
        segment.putShort((short) 0xffe1).putShort((short) 34).put("Exif\0\0".getBytes(StandardCharsets.US_ASCII));
        segment.put((order == ByteOrder.LITTLE_ENDIAN ? "II" : "MM").getBytes(StandardCharsets.US_ASCII));
        segment.order(order).putShort((short) 42).putInt(8).putShort((short) 1);
        return segment.putShort((short) 0x112)
                .putShort((short) 3)
                .putInt(1)
                .putShort((short) orientation)
                .array();
    }

    /** The corners of a photograph by brightness, clockwise from the upper left one, where the camera was held upright. */
    private static final int[] CORNERS = {20, 90, 160, 230};

    @ParameterizedTest
    @CsvSource({"0,0123", "1,0123", "2,1032", "3,2301", "4,3210", "5,0321", "6,3012", "7,2103", "8,1230", "9,0123"})
    void photographsAreUpright(int orientation, String corners) throws IOException {
        var image = new BufferedImage(32, 16, BufferedImage.TYPE_INT_RGB);
        for (int i = 0; i < 32 * 16; i++) {
            int x = i % 32 / 16;
            image.setRGB(i % 32, i / 32, 0x10101 * CORNERS[i / 32 < 8 ? x : 3 - x]);
        }
        byte[] jpeg = file(image, "jpeg");
        for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            RgbImage upright = ImageFiles.decode(inserted(jpeg, exif(orientation, order)));
            int right = upright.width() - 3;
            int bottom = upright.height() - 3;
            assertThat(upright.width()).isEqualTo(orientation >= 5 && orientation <= 8 ? 16 : 32);
            int[] found = {
                upright.value(2, 2, 0),
                upright.value(right, 2, 0),
                upright.value(right, bottom, 0),
                upright.value(2, bottom, 0)
            };
            for (int i = 0; i < found.length; i++) {
                assertThat(found[i]).as("corner %d", i).isBetween(corner(corners, i) - 8, corner(corners, i) + 8);
            }
        }
        // a segment that ends early, or points behind its end, turns nothing
        byte[] cut = exif(6, ByteOrder.BIG_ENDIAN);
        cut[17] = 120;
        assertThat(ImageFiles.decode(inserted(jpeg, cut)).width()).isEqualTo(32);
    }

    private static int corner(String corners, int at) {
        return CORNERS[corners.charAt(at) - '0'];
    }

    @ParameterizedTest
    @ValueSource(strings = {"jpeg", "png", "gif", "bmp", "tiff"})
    void brokenFilesAreRefused(String format) {
        var image = new BufferedImage(60, 60, BufferedImage.TYPE_INT_RGB);
        var random = new Random(7);
        for (int i = 0; i < 3600; i++) {
            image.setRGB(i % 60, i / 60, random.nextInt(1 << 24));
        }
        byte[] whole = file(image, format);
        assertThat(ImageFiles.decode(whole).width()).isEqualTo(60);
        for (int length : new int[] {9, 40, whole.length / 2}) {
            assertThatThrownBy(() -> ImageFiles.decode(Arrays.copyOf(whole, length)))
                    .as("%d of %d bytes", length, whole.length)
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("image of " + length + " bytes is damaged or cut off");
        }
    }

    @Test
    void otherFilesAreRefusedWithTheirFirstBytes(@TempDir Path folder) throws IOException {
        Path page = Files.writeString(folder.resolve("cat.jpg"), "<html>not found</html>");
        assertThatThrownBy(() -> ImageFiles.read(page))
                .hasMessageContaining("cat.jpg")
                .hasMessageContaining("begin with 3c 68 74 6d 6c 3e 6e 6f")
                .hasMessageContaining("JPEG, PNG");
        assertThatThrownBy(() -> ImageFiles.decode(new byte[0])).hasMessageContaining("the image is empty");
    }
}
