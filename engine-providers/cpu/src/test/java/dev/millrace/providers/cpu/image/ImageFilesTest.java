package dev.millrace.providers.cpu.image;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Images that the formats' own tools wrote; beside each stands, as PNG, what Pillow makes of it. */
class ImageFilesTest {
    private static final long MOST_NANOSECONDS = 1_000_000_000;
    private static final long MOST_BYTES = 600L << 20;

    private static byte[] bytes(String file) {
        try (var stream = ImageFilesTest.class.getResourceAsStream(file)) {
            return Objects.requireNonNull(stream, file).readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Tensor decode(byte[] file) {
        Tensor input = Tensor.allocate(ElementType.UINT8, Shape.of(file.length));
        input.segment().copyFrom(MemorySegment.ofArray(file));
        return OneNode.onnx("ImageDecoder", 20).run(input);
    }

    /** Samples of grey are numbers of sRGB, as in colours; AWT takes them for linear light. */
    @ParameterizedTest
    @CsvSource({"png, 10", "png, 11", "jpg, 10", "bmp, 10", "tiff, 10", "tiff, 11"})
    void greysStayAsTheyAreStored(String format, int type) throws IOException {
        var image = new BufferedImage(3, 1, type);
        int most = type == BufferedImage.TYPE_USHORT_GRAY ? 65_535 : 255;
        image.getRaster().setSamples(0, 0, 3, 1, 0, new int[] {most / 5, most / 5, most / 5});
        var file = new ByteArrayOutputStream();
        assertThat(ImageIO.write(image, format, file)).isTrue();
        assertThat(decode(file.toByteArray()).ints()).containsExactly(51, 51, 51, 51, 51, 51, 51, 51, 51);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "webp/lossy-1x1.webp",
                "webp/lossy-17x13.webp",
                "webp/lossy-64x40-coarse.webp",
                "webp/lossy-33x20-fine.webp",
                "webp/lossy-segments.webp",
                "webp/lossy-simple-filter.webp",
                "webp/lossy-partitions.webp",
                "webp/lossy-alpha.webp",
                "webp/lossless-1x1.webp",
                "webp/lossless-17x13.webp",
                "webp/lossless-64x40.webp",
                "webp/lossless-smooth.webp",
                "webp/lossless-green.webp",
                "webp/lossless-groups.webp",
                "webp/lossless-cache.webp",
                "webp/lossless-alpha.webp",
                "webp/lossless-2-colours.webp",
                "webp/lossless-4-colours.webp",
                "webp/lossless-16-colours.webp",
                "webp/animation.webp",
                "jpeg2000/all-block-styles.jp2",
                "jpeg2000/alpha.jp2",
                "jpeg2000/bypass.jp2",
                "jpeg2000/causal.jp2",
                "jpeg2000/changes-of-order.jp2",
                "jpeg2000/channels.jp2",
                "jpeg2000/components-first.jp2",
                "jpeg2000/four-bits.j2k",
                "jpeg2000/grey.j2k",
                "jpeg2000/layers.jp2",
                "jpeg2000/lossless-17x13.j2k",
                "jpeg2000/lossless-1x1.jp2",
                "jpeg2000/lossy-64x40.jp2",
                "jpeg2000/lossy-whole-numbers.jp2",
                "jpeg2000/offsets.jp2",
                "jpeg2000/palette.jp2",
                "jpeg2000/places-first.jp2",
                "jpeg2000/precincts.jp2",
                "jpeg2000/region.jp2",
                "jpeg2000/resolutions-first.jp2",
                "jpeg2000/signed.j2k",
                "jpeg2000/subsampled.j2k",
                "jpeg2000/tiles.jp2",
                "jpeg2000/twelve-bits.j2k",
                "jpeg2000/unmixed.jp2"
            })
    void pixelsAreThoseOfTheReferenceAndBrokenFilesEndSoon(String name) {
        byte[] file = bytes(name);
        Tensor expected = decode(bytes(name.replaceFirst("\\.\\w+$", ".png")));
        Tensor pixels = decode(file);
        assertThat(pixels.shape()).isEqualTo(expected.shape());
        assertThat(pixels.ints()).isEqualTo(expected.ints());
        for (int length = 0; length < file.length; length++) {
            endsSoon(Arrays.copyOf(file, length), name + " of " + length + " bytes");
        }
        var random = new Random(name.hashCode());
        for (int attempt = 0; attempt < 2000; attempt++) {
            byte[] broken = file.clone();
            for (int i = random.nextInt(3); i >= 0; i--) {
                broken[random.nextInt(file.length)] ^= (byte) (1 + random.nextInt(255));
            }
            endsSoon(broken, name + ", attempt " + attempt);
        }
    }

    /** Time is the thread's own, so that a busy machine does not matter. */
    private static void endsSoon(byte[] file, String what) {
        var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long time = threads.getCurrentThreadCpuTime();
        long memory = threads.getCurrentThreadAllocatedBytes();
        try {
            decode(file);
        } catch (EngineException e) {
            assertThat(e).hasMessageStartingWith("ImageDecoder -> 'out0': ");
        }
        assertThat(threads.getCurrentThreadCpuTime() - time).as(what).isLessThan(MOST_NANOSECONDS);
        assertThat(threads.getCurrentThreadAllocatedBytes() - memory).as(what).isLessThan(MOST_BYTES);
    }

    @Test
    void aSmallFileThatClaimsToBeLargeIsRefused() {
        byte[] lossless = bytes("webp/lossless-2-colours.webp");
        Arrays.fill(lossless, 21, 24, (byte) 255);
        lossless[24] |= 15;
        assertThatThrownBy(() -> decode(lossless))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("an image of 16384 × 16384 pixels in 72 bytes")
                .extracting(e -> ((EngineException) e).status())
                .isEqualTo(Status.INVALID_ARGUMENT);
    }

    @Test
    void aSmallCodestreamThatClaimsToBeLargeIsRefused() {
        byte[] file = bytes("jpeg2000/lossless-17x13.j2k");
        for (int extent : new int[] {8, 12, 24, 28}) {
            Arrays.fill(file, extent + 2, extent + 4, (byte) 255);
        }
        assertThatThrownBy(() -> decode(file))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("an image of 65535 × 65535 pixels in " + file.length + " bytes");
    }

    @Test
    void whatIsNotDecodedIsNamed() {
        byte[] file = bytes("jpeg2000/lossless-17x13.j2k");
        int comment = 0;
        while (file[comment] != (byte) 0xff || file[comment + 1] != 0x64) {
            comment++;
        }
        file[comment + 1] = 0x60;
        assertThatThrownBy(() -> decode(file))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("the JPEG 2000 image has what is not decoded")
                .hasMessageContaining("marker PPM")
                .extracting(e -> ((EngineException) e).status())
                .isEqualTo(Status.NOT_IMPLEMENTED);
    }
}
