package dev.millrace.providers.cpu.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import dev.millrace.providers.cpu.image.jpeg2000.Jpeg2000;
import dev.millrace.providers.cpu.image.webp.WebP;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferByte;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.imageio.IIOImage;
import javax.imageio.ImageIO;
import javax.imageio.ImageWriteParam;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Image files of strangers: bounded by their size, stopped when nobody waits, and kept in memory. */
class ImageBoundsTest {
    private static final int SMALL = 1000;

    private static byte[] encoded(String format, BufferedImage image) throws IOException {
        var out = new ByteArrayOutputStream();
        assertThat(ImageIO.write(image, format, out)).isTrue();
        return out.toByteArray();
    }

    private static byte[] resource(String name) throws IOException {
        try (var in = Objects.requireNonNull(ImageBoundsTest.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }

    private static Tensor decode(byte[] file) {
        Tensor input = Tensor.allocate(ElementType.UINT8, Shape.of(file.length));
        input.segment().copyFrom(MemorySegment.ofArray(file));
        return OneNode.onnx("ImageDecoder", 20).run(input);
    }

    @ParameterizedTest
    @ValueSource(strings = {"bmp", "gif", "jpeg", "png", "tiff"})
    @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
    void aSmallFileOfManyPixelsIsRefused(String format) throws IOException {
        // a TIFF file has a table of its rows, so that its size makes more pixels credible
        int extent = format.equals("tiff") ? 17_000 : 10_000;
        int type = format.equals("jpeg") ? BufferedImage.TYPE_BYTE_GRAY : BufferedImage.TYPE_BYTE_BINARY;
        var image = new BufferedImage(extent, extent, type);
        byte[] file = switch (format) {
            case "png" -> encoded(format, image);
            case "tiff" -> deflated(image);
            default -> Arrays.copyOf(encoded(format, image), SMALL);
        };
        assertThatThrownBy(() -> decode(file))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("an image of " + extent + " × " + extent + " pixels in " + file.length + " bytes")
                .extracting(e -> ((EngineException) e).status())
                .isEqualTo(Status.INVALID_ARGUMENT);
    }

    private static byte[] deflated(BufferedImage image) throws IOException {
        return encoded("tiff", image, how -> {
            how.setCompressionMode(ImageWriteParam.MODE_EXPLICIT);
            how.setCompressionType("Deflate");
        });
    }

    private static byte[] encoded(String format, BufferedImage image, Consumer<ImageWriteParam> setting)
            throws IOException {
        var out = new ByteArrayOutputStream();
        var writer = ImageIO.getImageWritersByFormatName(format).next();
        try (var stream = ImageIO.createImageOutputStream(out)) {
            writer.setOutput(stream);
            ImageWriteParam how = writer.getDefaultWriteParam();
            setting.accept(how);
            writer.write(null, new IIOImage(image, null, null), how);
        } finally {
            writer.dispose();
        }
        return out.toByteArray();
    }

    @Test
    void aPortableMapIsBoundedAsOthersAre() {
        byte[] file = "P4 20000 20000\n".getBytes(StandardCharsets.US_ASCII);
        assertThatThrownBy(() -> decode(file)).hasMessageContaining("an image of 20000 × 20000 pixels in 15 bytes");
    }

    /** Stops at the third call, as a run does that was cancelled. */
    private static final class Stop implements Runnable {
        private final AtomicInteger calls = new AtomicInteger();

        @Override
        public void run() {
            if (calls.incrementAndGet() == 3) {
                throw new EngineException(Status.CANCELLED, "stopped");
            }
            assertThat(calls.get()).isLessThan(4);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "bmp",
                "gif",
                "jpeg",
                "png",
                "tiff",
                "webp/lossy-64x40-coarse.webp",
                "webp/lossless-64x40.webp",
                "jpeg2000/lossy-64x40.jp2",
                "pnm"
            })
    void aDecoderStopsWhenItIsTold(String format) throws IOException {
        var image = new BufferedImage(300, 200, BufferedImage.TYPE_INT_RGB);
        assertThatThrownBy(() -> {
                    switch (format) {
                        case "pnm" ->
                            PortableMap.read(
                                    "P1 2 9\n101010101010101010".getBytes(StandardCharsets.US_ASCII), new Stop());
                        case "bmp", "gif", "jpeg", "png", "tiff" ->
                            StandardImage.read(encoded(format, image), new Stop());
                        case "jpeg2000/lossy-64x40.jp2" -> Jpeg2000.read(resource(format), new Stop());
                        default -> WebP.read(resource(format), new Stop());
                    }
                })
                .isInstanceOf(EngineException.class)
                .hasMessage("stopped");
    }

    /** Counts how often a decoder asks whether it is to stop. */
    private static int questions(byte[] file) throws IOException {
        var calls = new AtomicInteger();
        assertThat(StandardImage.read(file, calls::incrementAndGet)).isNotNull();
        return calls.get();
    }

    @ParameterizedTest
    @ValueSource(strings = {"bmp", "gif", "jpeg", "png"})
    void aDecoderLooksAfterEachRow(String format) throws IOException {
        var image = new BufferedImage(30, 2000, BufferedImage.TYPE_INT_RGB);
        assertThat(questions(encoded(format, image))).isGreaterThan(2000);
    }

    @Test
    void aProgressiveJpegDecoderLooksAfterEachRowOfEachPass() throws IOException {
        byte[] file = encoded(
                "jpeg",
                new BufferedImage(30, 2000, BufferedImage.TYPE_BYTE_GRAY),
                how -> how.setProgressiveMode(ImageWriteParam.MODE_DEFAULT));
        assertThat(questions(file)).isGreaterThan(2 * 2000);
    }

    /** A decoder reads such a file to its end before it makes a row. */
    @Test
    void aDecoderLooksWhileItReadsScansOfOneColourEach() throws IOException {
        int rows = 1000;
        var noise = new BufferedImage(2000, rows, BufferedImage.TYPE_BYTE_GRAY);
        new Random(1).nextBytes(((DataBufferByte) noise.getRaster().getDataBuffer()).getData());
        byte[] file = inScansOfOneColour(encoded("jpeg", noise));
        assertThat(questions(file)).isGreaterThan(rows + file.length / 8192);
    }

    /** A JPEG file of three colours in a scan each, all of which are the one scan of a grey image. */
    private static byte[] inScansOfOneColour(byte[] grey) {
        int frame = indexOf(grey, 0xc0);
        int scan = indexOf(grey, 0xda);
        var out = new ByteArrayOutputStream();
        out.write(grey, 0, frame);
        // marker, length, bits, height and width as they are, then three colours with the first table
        byte[] head = Arrays.copyOfRange(grey, frame, frame + 10);
        head[3] += 6;
        head[9] = 3;
        out.writeBytes(head);
        for (int colour = 1; colour <= 3; colour++) {
            out.writeBytes(new byte[] {(byte) colour, 0x11, 0});
        }
        out.write(grey, frame + 13, scan - frame - 13);
        for (int colour = 1; colour <= 3; colour++) {
            byte[] one = Arrays.copyOfRange(grey, scan, grey.length - 2);
            one[5] = (byte) colour;
            out.writeBytes(one);
        }
        out.write(grey, grey.length - 2, 2);
        return out.toByteArray();
    }

    private static int indexOf(byte[] file, int marker) {
        int at = 0;
        while (file[at] != (byte) 0xff || file[at + 1] != (byte) marker) {
            at++;
        }
        return at;
    }

    @Test
    void aJpegFileOfManyScansIsRefused() throws IOException {
        byte[] file = encoded(
                "jpeg",
                new BufferedImage(30, 20, BufferedImage.TYPE_BYTE_GRAY),
                how -> how.setProgressiveMode(ImageWriteParam.MODE_DEFAULT));
        int scan = file.length - 2;
        while (file[scan] != (byte) 0xff || file[scan + 1] != (byte) 0xda) {
            scan--;
        }
        byte[] many = Arrays.copyOf(file, file.length - 2 + 100 * (file.length - 2 - scan));
        for (int at = file.length - 2; at < many.length; at += file.length - 2 - scan) {
            System.arraycopy(file, scan, many, at, file.length - 2 - scan);
        }
        assertThat(decode(file).shape()).isEqualTo(Shape.of(20, 30, 3));
        assertThatThrownBy(() -> decode(many))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("a JPEG file of more than 100 scans");
    }

    @Test
    void noTemporaryFileIsWritten(@TempDir Path folder) throws IOException {
        byte[] file = encoded("png", new BufferedImage(30, 20, BufferedImage.TYPE_INT_RGB));
        ImageIO.setCacheDirectory(folder.toFile());
        try {
            var before = FileTime.fromMillis(1_000_000_000_000L);
            Files.setLastModifiedTime(folder, before);
            assertThat(decode(file).shape()).isEqualTo(Shape.of(20, 30, 3));
            assertThat(Files.getLastModifiedTime(folder)).isEqualTo(before);
        } finally {
            ImageIO.setCacheDirectory(null);
        }
    }
}
