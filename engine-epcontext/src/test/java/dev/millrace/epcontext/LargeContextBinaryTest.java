package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.bytes;
import static dev.millrace.epcontext.Fixtures.utf8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.binary.Chunks;
import dev.millrace.epcontext.binary.ContextImage;
import dev.millrace.epcontext.binary.ContextTables;
import dev.millrace.epcontext.binary.ContextTables.GraphEntry;
import dev.millrace.epcontext.binary.ContextTables.SegmentEntry;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.ByteLayouts;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LargeContextBinaryTest {
    private static final long GIGABYTE = 1L << 30;
    private static final String NO_DIGEST = "00".repeat(32);

    @TempDir
    Path folder;

    @Test
    void offsetsAndLengthsBeyondFourGigabytesAreRead() {
        long far = 6 * GIGABYTE;
        byte[] plan = utf8("far plan");
        byte[] weights = utf8("far weights");
        var graph = new GraphEntry(
                "g", "fast", far, plan.length, Chunks.crc32c(MemorySegment.ofArray(plan)), NO_DIGEST, List.of(0, 1));
        var tables = new ContextTables(
                List.of(graph),
                List.of(
                        new SegmentEntry(4096, 5 * GIGABYTE, NO_DIGEST, null),
                        new SegmentEntry(far + 64, weights.length, NO_DIGEST, null)),
                0);
        Path file = sparse(tables.encode(far + 64 + weights.length), far, plan, far + 64, weights);

        ContextBinary binary = ContextBinary.map(file);

        assertThat(bytes(binary.graph(0).plan())).isEqualTo(plan);
        assertThat(bytes(binary.graph(0).segment(1))).isEqualTo(weights);
        MemorySegment hole = binary.graph(0).segment(0);
        assertThat(hole.byteSize()).isEqualTo(5 * GIGABYTE);
        assertThat(hole.get(ByteLayouts.BYTE, 5 * GIGABYTE - 1)).isZero();
    }

    private Path sparse(byte[] front, long planOffset, byte[] plan, long dataOffset, byte[] data) {
        Path file = folder.resolve("large.bin");
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, StandardOpenOption.SPARSE)) {
            channel.write(ByteBuffer.wrap(front), 0);
            channel.write(ByteBuffer.wrap(plan), planOffset);
            channel.write(ByteBuffer.wrap(data), dataOffset);
        } catch (IOException e) {
            Assumptions.abort("the file system has no room for a sparse file of 6 GB: " + e);
        }
        return file;
    }

    @Test
    void aBinaryOfMoreThanTwoGigabytesIsLaidOutButNotEmbedded() {
        MemorySegment unread = MemorySegment.ofAddress(4096).reinterpret(5 * GIGABYTE);
        var image = new ContextImage(
                "fast",
                List.of(new ContextImage.GraphPart("g", MemorySegment.ofArray(utf8("plan")), List.of(0))),
                List.of(new ContextImage.SegmentPart(unread, NO_DIGEST, null)));

        assertThat(image.byteSize()).isEqualTo(4096 + 5 * GIGABYTE);
        assertThatThrownBy(() -> ContextModel.checkEmbeddable("fast", image))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("larger than 2GB")
                .hasMessageContaining("ep.context_embed_mode 0");
    }
}
