package dev.millrace.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MappingGuardTest {
    private static final int BYTES = 1 << 20;
    private static final int LEFT = 100 << 10;

    @TempDir
    Path folder;

    @BeforeEach
    void isThere() {
        assumeTrue(MappingGuard.isThere(), "there is no guard on this system");
    }

    private Path file(String name) throws IOException {
        byte[] content = new byte[BYTES];
        Arrays.fill(content, (byte) 7);
        return Files.write(folder.resolve(name), content);
    }

    private static MemorySegment map(Path file, Arena arena) throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            return channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
        }
    }

    private static void cut(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(LEFT);
        }
    }

    private static byte at(MemorySegment mapping, long offset) {
        return mapping.get(ValueLayout.JAVA_BYTE, offset);
    }

    @Test
    void whatIsGoneReadsAsZerosAndIsKnown() throws IOException {
        Path file = file("cut");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mapping = map(file, arena);
            MemorySegment whole = map(file("whole"), arena);
            WatchedMapping watched = Objects.requireNonNull(MappingGuard.watch(mapping, arena));
            WatchedMapping other = Objects.requireNonNull(MappingGuard.watch(whole, arena));
            cut(file);
            assertThat(at(mapping, LEFT - 1)).isEqualTo((byte) 7);
            assertThat(at(mapping, LEFT + (8 << 10))).isZero();
            assertThat(at(mapping, BYTES - 1)).isZero();
            assertThat(at(mapping, LEFT - 1)).isEqualTo((byte) 7);
            assertThat(watched.isDamaged()).isTrue();
            assertThat(at(whole, BYTES - 1)).isEqualTo((byte) 7);
            assertThat(other.isDamaged()).isFalse();
        }
    }

    /** Nothing faults: the system leaves the rest of the page, as zeros. */
    @Test
    void aPartOfAPageThatIsGoneIsKnown() throws IOException {
        Path file = file("cut");
        try (Arena arena = Arena.ofShared()) {
            MemorySegment mapping = map(file, arena);
            WatchedMapping watched = Objects.requireNonNull(MappingGuard.watch(mapping, arena));
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
                channel.truncate(BYTES - 1);
            }
            assertThat(watched.isDamaged()).isTrue();
            assertThat(MappingGuard.isDamaged(mapping.asSlice(5_000, 10))).isTrue();
        }
    }

    /** The checksum is an instruction sequence of the JVM's own, which ended the process without the guard. */
    @Test
    void stubsOfTheJvmGoOnToo() throws IOException {
        Path file = file("cut");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment mapping = map(file, arena);
            WatchedMapping watched = Objects.requireNonNull(MappingGuard.watch(mapping, arena));
            cut(file);
            var checksum = new CRC32C();
            for (int i = 0; i < 200; i++) {
                checksum.update(mapping.asByteBuffer());
            }
            assertThat(watched.isDamaged()).isTrue();
            byte[] expected = new byte[BYTES];
            Arrays.fill(expected, 0, LEFT, (byte) 7);
            assertThat(mapping.toArray(ValueLayout.JAVA_BYTE)).isEqualTo(expected);
        }
    }

    @Test
    void faultsOfOthersAreLeftToTheJvm() throws IOException {
        Path file = file("cut");
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment unwatched = map(file, arena);
            cut(file);
            assertThatThrownBy(() -> at(unwatched, BYTES - 1)).isInstanceOf(InternalError.class);
        }
    }

    @Test
    void aMappingIsWatchedUntilItsArenaCloses() throws IOException {
        Path file = file("some");
        WatchedMapping watched;
        try (Arena arena = Arena.ofShared()) {
            watched = Objects.requireNonNull(MappingGuard.watch(map(file, arena), arena));
        }
        cut(file);
        assertThat(watched.isDamaged()).isFalse();
        for (int i = 0; i < 10_000; i++) {
            try (Arena arena = Arena.ofConfined()) {
                assertThat(MappingGuard.watch(map(file, arena), arena)).isNotNull();
            }
        }
    }
}
