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
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
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
                "webp/animation.webp"
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
}
