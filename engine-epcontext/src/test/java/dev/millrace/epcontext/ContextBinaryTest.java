package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.bytes;
import static dev.millrace.epcontext.Fixtures.partition;
import static dev.millrace.epcontext.Fixtures.random;
import static dev.millrace.epcontext.Fixtures.utf8;
import static dev.millrace.epcontext.Fixtures.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.providers.spi.CompiledGraph;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ContextBinaryTest {
    @TempDir
    Path folder;

    @Test
    void graphsAndSegmentsComeBackFromAFileAsTheyWereHandedIn() {
        var writer = new ContextBinaryWriter("fast");
        byte[] small = random(1, 100);
        byte[] large = random(2, 200_000);
        int first = writer.segment(MemorySegment.ofArray(small));
        int second = writer.segment(MemorySegment.ofArray(large));
        int empty = writer.segment(MemorySegment.ofArray(new byte[0]));
        writer.graph(partition("model_fast_1"), utf8("one"), new int[] {second, first, second});
        writer.graph(partition("größe_2"), new byte[0], new int[] {empty});
        Path file = folder.resolve("a.bin");
        writer.write(file);

        ContextBinary binary = ContextBinary.map(file);

        binary.verify();
        assertThat(binary.partitions()).containsExactly("model_fast_1", "größe_2");
        assertThat(binary.source(0)).isEqualTo("fast");
        assertThat(binary.indexOf("größe_2")).isEqualTo(1);
        assertThat(binary.indexOf("nothing")).isEqualTo(-1);
        CompiledGraph graph = binary.graph(0);
        assertThat(graph.partition()).isEqualTo("model_fast_1");
        assertThat(bytes(graph.plan())).isEqualTo(utf8("one"));
        assertThat(graph.segmentCount()).isEqualTo(3);
        assertThat(bytes(graph.segment(0))).isEqualTo(large);
        assertThat(bytes(graph.segment(1))).isEqualTo(small);
        assertThat(bytes(graph.segment(2))).isEqualTo(large);
        assertThat(bytes(binary.graph(1).plan())).isEmpty();
        assertThat(bytes(binary.graph(1).segment(0))).isEmpty();
    }

    @Test
    void bytesAndFileAreTheSame() throws IOException {
        ContextBinaryWriter writer = writer("a", "b");
        Path file = folder.resolve("a.bin");
        writer.write(file);

        assertThat(Files.readAllBytes(file)).isEqualTo(writer.toBytes());
    }

    @Test
    void segmentsOfAnyKindOfMemoryAreTaken() {
        float[] values = {1, 2, 3};
        var writer = new ContextBinaryWriter("fast");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment copied = arena.allocateFrom(ValueLayout.JAVA_FLOAT, values);
            assertThat(writer.segment(MemorySegment.ofArray(values))).isEqualTo(writer.segment(copied));
        }
        writer.graph(partition("a"), new byte[0], new int[] {0});

        ContextBinary binary = ContextBinary.of(MemorySegment.ofArray(writer.toBytes()), "test");

        assertThat(binary.segment(0).toArray(ByteLayouts.FLOAT)).isEqualTo(values);
    }

    @Test
    void equalSegmentsAreKeptOnce() {
        var writer = new ContextBinaryWriter("fast");
        int one = writer.segment(MemorySegment.ofArray(random(1, 5000)));
        int other = writer.segment(MemorySegment.ofArray(random(2, 5000)));
        int again = writer.segment(MemorySegment.ofArray(random(1, 5000)));
        writer.graph(partition("a"), new byte[0], new int[] {one, other, again});

        ContextBinary binary = ContextBinary.of(MemorySegment.ofArray(writer.toBytes()), "test");

        assertThat(again).isEqualTo(one).isNotEqualTo(other);
        assertThat(binary.segmentCount()).isEqualTo(2);
        assertThat(binary.graph(0).segment(2).address())
                .isEqualTo(binary.graph(0).segment(0).address());
    }

    @Test
    void segmentsAreAlignedInTheMapping() {
        var writer = new ContextBinaryWriter("fast");
        int[] sizes = {1, 63, 64, 65_535, 65_536, 3, 100_000};
        for (int i = 0; i < sizes.length; i++) {
            writer.segment(MemorySegment.ofArray(random(i, sizes[i])));
        }
        Path file = folder.resolve("a.bin");
        writer.write(file);

        ContextBinary binary = ContextBinary.map(file);

        for (int i = 0; i < sizes.length; i++) {
            assertThat(binary.segment(i).address() % (sizes[i] < 65_536 ? 64 : 4096))
                    .as("segment of %d bytes", sizes[i])
                    .isZero();
        }
    }

    @Test
    void whatIsGivenOutCannotBeWritten() {
        ContextBinary binary =
                ContextBinary.of(MemorySegment.ofArray(writer("a").toBytes()), "test");

        assertThat(binary.graph(0).plan().isReadOnly()).isTrue();
        assertThat(binary.graph(0).segment(0).isReadOnly()).isTrue();
    }

    @Test
    void aGraphIsTheSameViewEachTime() {
        ContextBinary binary =
                ContextBinary.of(MemorySegment.ofArray(writer("a", "b").toBytes()), "test");

        assertThat(binary.graph(1)).isSameAs(binary.graph(1));
    }

    @Test
    void aPrefixStandsBeforeEveryPartition() {
        byte[] image = writer("a", "b").image("left_").toBytes();

        assertThat(ContextBinary.of(MemorySegment.ofArray(image), "test").partitions())
                .containsExactly("left_a", "left_b");
    }

    @Test
    void aSegmentIsCheckedOnDemandOnly() {
        byte[] image = writer("a").toBytes();
        image[image.length - 1] ^= 1;
        ContextBinary binary = ContextBinary.of(MemorySegment.ofArray(image), "broken.bin");

        assertThat(bytes(binary.graph(0).plan())).isEqualTo(utf8("plan of a"));
        assertThatThrownBy(binary::verify)
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("broken.bin")
                .hasMessageContaining("digest of segment 0");
    }

    @Test
    void misuseNamesProviderAndPartition() {
        ContextBinaryWriter writer = writer("a");

        assertThatThrownBy(() -> writer.graph(partition("a"), new byte[0], new int[0]))
                .hasMessageContaining("'fast'")
                .hasMessageContaining("'a'")
                .hasMessageContaining("twice");
        assertThatThrownBy(() -> writer.graph(partition("b"), new byte[0], new int[] {1}))
                .hasMessageContaining("'b'")
                .hasMessageContaining("segment 1");
    }

    @Test
    void writingReplacesInOneStepAndLeavesNothingElse() throws IOException {
        Path file = folder.resolve("a.bin");
        writer("a").write(file);
        ContextBinary old = ContextBinary.map(file);
        writer("b", "c").write(file);

        assertThat(bytes(old.graph(0).plan())).isEqualTo(utf8("plan of a"));
        assertThat(ContextBinary.map(file).partitions()).containsExactly("b", "c");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }

    @Test
    void aFailedWriteLeavesTheOldFileAndNothingElse() throws IOException {
        Path file = folder.resolve("a.bin");
        writer("a").write(file);
        var writer = new ContextBinaryWriter("fast");
        try (Arena arena = Arena.ofConfined()) {
            writer.segment(arena.allocate(100));
        }

        assertThatThrownBy(() -> writer.write(file)).isInstanceOf(IllegalStateException.class);

        assertThat(ContextBinary.map(file).partitions()).containsExactly("a");
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files).containsExactly(file);
        }
    }
}
