package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.bytes;
import static dev.millrace.epcontext.Fixtures.partition;
import static dev.millrace.epcontext.Fixtures.random;
import static dev.millrace.epcontext.Fixtures.writer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.epcontext.binary.Chunks;
import dev.millrace.epcontext.binary.ContextTables;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.providers.spi.CompiledGraph;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of damaged binaries: they are refused, or read correctly if the damage has no effect. */
class ContextBinaryDamageTest {
    private static final int TRIALS = 10_000;
    private static final long[] HOSTILE = {
        0, 1, 63, 64, 1000, 1 << 20, Integer.MAX_VALUE, 0xFFFF_FFFFL, 1L << 40, Long.MAX_VALUE, Long.MIN_VALUE, -1, -64
    };

    @TempDir
    Path folder;

    private static byte[] sample() {
        var writer = new ContextBinaryWriter("fast");
        int[] segments = {
            writer.segment(MemorySegment.ofArray(random(1, 200))), writer.segment(MemorySegment.ofArray(random(2, 70)))
        };
        writer.graph(partition("first"), random(3, 90), segments);
        writer.graph(partition("second"), random(4, 10), new int[] {segments[1]});
        return writer.toBytes();
    }

    /** Returns everything that can be read from a binary. */
    private static List<Object> content(byte[] image) {
        ContextBinary binary = ContextBinary.of(MemorySegment.ofArray(image), "test.bin");
        var content = new ArrayList<Object>();
        for (int i = 0; i < binary.graphCount(); i++) {
            CompiledGraph graph = binary.graph(i);
            content.add(graph.partition());
            content.add(binary.source(i));
            content.add(Arrays.hashCode(bytes(graph.plan())));
            for (int k = 0; k < graph.segmentCount(); k++) {
                content.add(Arrays.hashCode(bytes(graph.segment(k))));
            }
        }
        binary.verify();
        return content;
    }

    @Test
    void everyMutationIsRefusedOrWithoutEffect() {
        byte[] image = sample();
        List<Object> expected = content(image);
        var random = new Random(20_260_101);
        int refused = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            byte[] mutant = mutant(image, random);
            try {
                assertThat(content(mutant)).as("trial %d", trial).isEqualTo(expected);
            } catch (EngineException e) {
                assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH);
                assertThat(e).hasMessageContaining("test.bin");
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(TRIALS / 2);
    }

    private static byte[] mutant(byte[] image, Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> Arrays.copyOf(image, random.nextInt(image.length));
            case 1 -> Arrays.copyOf(image, image.length + 1 + random.nextInt(100));
            case 2 -> {
                byte[] mutant = image.clone();
                mutant[random.nextInt(mutant.length)] ^= (byte) (1 << random.nextInt(8));
                yield mutant;
            }
            default -> {
                byte[] mutant = image.clone();
                for (int i = 1 + random.nextInt(8); i > 0; i--) {
                    mutant[random.nextInt(mutant.length)] = (byte) random.nextInt();
                }
                yield mutant;
            }
        };
    }

    /** An attacker's file has a correct checksum. */
    @Test
    void hostileNumbersWithARightChecksumNeverLeadOutOfTheFile() {
        byte[] image = sample();
        int tables = tablesEnd(image);
        var random = new Random(20_260_102);
        int refused = 0;
        for (int trial = 0; trial < TRIALS; trial++) {
            ByteBuffer mutant = ByteBuffer.wrap(image.clone()).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 1 + random.nextInt(2); i > 0; i--) {
                long value = HOSTILE[random.nextInt(HOSTILE.length)] + random.nextInt(2);
                if (random.nextBoolean()) {
                    mutant.putInt(random.nextInt(tables / 4) * 4, (int) value);
                } else {
                    mutant.putLong(random.nextInt(tables / 8) * 8, value);
                }
            }
            sign(mutant.array());
            try {
                content(mutant.array());
            } catch (EngineException e) {
                assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH);
                refused++;
            }
        }
        assertThat(refused).isGreaterThan(TRIALS / 2);
    }

    /** Corrects the checksum if the length of the tables makes sense. */
    private static void sign(byte[] image) {
        ByteBuffer bytes = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
        long end = ContextTables.HEADER + bytes.getLong(24);
        if (end >= ContextTables.HEADER && end <= image.length) {
            bytes.putInt(ContextTables.CHECKSUM_AT, 0);
            int checksum = Chunks.crc32c(MemorySegment.ofArray(Arrays.copyOf(image, (int) end)));
            bytes.putInt(ContextTables.CHECKSUM_AT, checksum);
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0, 0, does not start as one",
        "8, 4, version 4",
        "16, 100000000000, it was cut off or changed",
        "24, -1, length that their entries need",
        "32, 65537, graphs",
        "32, -1, graphs",
        "36, 1048577, segments",
        "40, 4194305, references",
        "44, 16777217, bytes of names",
        "32, 3, length that their entries need",
        "64, -1, longer than their table",
        "64, 4, do not use all",
        "72, 4, more references than there are",
        "72, 1, do not use all",
        "80, 0, outside of the data",
        "80, 1073741824, outside of the data",
        "80, 9223372036854775807, outside of the data",
        "80, 321, no multiple of 64",
        "88, -1, outside of the data",
        "88, 9223372036854775807, outside of the data",
        "128, 1, segment 0 lies at offset 1",
        "136, 9223372036854775807, segment 0 lies at",
        "224, 2, refers to segment 2 of 2",
        "224, -1, refers to segment"
    })
    void everyNumberIsCheckedAndTheMessageSaysWhich(int offset, long value, String message) {
        byte[] image = sample();
        ByteBuffer bytes = ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN);
        boolean isLong = offset == 0 || offset == 16 || offset == 24 || (offset >= 80 && offset < 224);
        if (isLong) {
            bytes.putLong(offset, value);
        } else {
            bytes.putInt(offset, (int) value);
        }
        if (offset != 24) {
            sign(image);
        }

        assertThatThrownBy(() -> content(image))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("test.bin")
                .hasMessageContaining(message);
    }

    @Test
    void twoGraphsOfOneNameAreRefused() {
        byte[] image = writer("twin1", "twin2").toBytes();
        int second = new String(image, StandardCharsets.ISO_8859_1).indexOf("twin2");
        image[second + 4] = '1';
        sign(image);

        assertThatThrownBy(() -> content(image)).hasMessageContaining("two graphs named 'twin1'");
    }

    @Test
    void aDamagedPlanIsRefusedWhenItIsAskedFor() {
        byte[] image = sample();
        int plan = (int) ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).getLong(80);
        image[plan] ^= 1;
        ContextBinary binary = ContextBinary.of(MemorySegment.ofArray(image), "test.bin");

        assertThat(binary.graph(1).partition()).isEqualTo("second");
        assertThatThrownBy(() -> binary.graph(0)).hasMessageContaining("plan of graph 'first'");
    }

    @Test
    void everyBitBehindTheTablesCounts() {
        byte[] image = sample();
        int start = tablesEnd(image);
        ContextBinary.of(MemorySegment.ofArray(image.clone()), "test.bin").check();
        for (int at = start; at < image.length; at++) {
            byte[] mutant = image.clone();
            mutant[at] ^= (byte) (1 << at % 8);
            ContextBinary binary = ContextBinary.of(MemorySegment.ofArray(mutant), "test.bin");
            assertThatThrownBy(binary::check)
                    .as("byte %d", at)
                    .hasMessageContaining("test.bin is damaged: the checksum of its content is wrong");
        }
    }

    @Test
    void aBinaryWithoutAChecksumOfItsContentIsHeldAgainstItsDigests() {
        byte[] older = sample();
        ByteBuffer.wrap(older).order(ByteOrder.LITTLE_ENDIAN).putInt(ContextTables.CONTENT_CHECKSUM_AT, 0);
        sign(older);
        ContextBinary.of(MemorySegment.ofArray(older.clone()), "test.bin").check();

        older[older.length - 1] ^= 1;
        assertThatThrownBy(() -> ContextBinary.of(MemorySegment.ofArray(older), "test.bin")
                        .check())
                .hasMessageContaining("the digest of segment 1 is wrong");
    }

    @Test
    void whatOlderWritersWroteIsRead() throws Exception {
        byte[] older;
        try (InputStream in = ContextBinaryDamageTest.class.getResourceAsStream("version1.bin")) {
            older = Objects.requireNonNull(in).readAllBytes();
        }
        assertThat(older[8]).isEqualTo((byte) 1);
        assertThat(sample()[8]).isEqualTo((byte) 3);
        assertThat(content(older)).isEqualTo(content(sample()));
        ContextBinary.of(MemorySegment.ofArray(older), "test.bin").prove();
    }

    /**
     * Changes content without changing its CRC-32C: adds the generator polynomial, whose first
     * bit is its highest power.
     */
    private static void forge(byte[] image, long at) {
        for (int i = 0; i <= Integer.SIZE; i++) {
            if ((0x1_1EDC_6F41L >>> (Integer.SIZE - i) & 1) != 0) {
                image[(int) at + i / Byte.SIZE] ^= (byte) (1 << i % Byte.SIZE);
            }
        }
    }

    private static long longAt(byte[] image, int at) {
        return ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).getLong(at);
    }

    @Test
    void aSegmentThatWasForgedBehindItsChecksumIsNoticedByItsDigest() {
        byte[] image = sample();
        int table = ContextTables.HEADER + 2 * 32;
        forge(image, longAt(image, table));
        ContextBinary binary = ContextBinary.of(MemorySegment.ofArray(image), "test.bin");
        binary.check();
        assertThatThrownBy(binary::prove).hasMessageContaining("the digest of segment 0 is wrong");
        CompiledGraph touched = binary.verified(0, binary.graph(0));
        assertThatThrownBy(() -> touched.segment(0)).hasMessageContaining("the digest of segment 0 is wrong");
    }

    @Test
    void aPlanThatWasForgedBehindItsChecksumIsNoticedByItsDigest() {
        byte[] image = sample();
        forge(image, longAt(image, ContextTables.HEADER + 16));
        ContextBinary binary = ContextBinary.of(MemorySegment.ofArray(image), "test.bin");
        binary.check();
        assertThatThrownBy(binary::prove).hasMessageContaining("the digest of the plan of graph 'first' is wrong");
        assertThatThrownBy(() -> binary.verified(0, binary.graph(0)))
                .hasMessageContaining("the digest of the plan of graph 'first' is wrong");
    }

    @Test
    void aMappedFileIsCheckedAsItIsMapped() throws Exception {
        byte[] damaged = sample();
        damaged[damaged.length - 1] ^= 1;
        Path file = folder.resolve("mapped.bin");
        ContextBinary whole = ContextBinary.map(Files.write(file, sample()));
        Files.move(Files.write(folder.resolve("next.bin"), damaged), file, StandardCopyOption.REPLACE_EXISTING);
        ContextBinary broken = ContextBinary.map(file);
        assertThatThrownBy(() -> ContextBinary.map(file).check()).hasMessageContaining("the checksum of its content");
        Files.move(Files.write(folder.resolve("next.bin"), sample()), file, StandardCopyOption.REPLACE_EXISTING);

        whole.check();
        ContextBinary.map(file).check();
        assertThatThrownBy(broken::check).hasMessageContaining("the checksum of its content is wrong");
    }

    @Test
    void aMappedFileIsCheckedByAnInterruptedThreadThatStaysInterrupted() throws Exception {
        ContextBinary binary = ContextBinary.map(Files.write(folder.resolve("mapped.bin"), sample()));
        Thread.currentThread().interrupt();
        binary.check();
        assertThat(Thread.interrupted()).isTrue();
    }

    private static int tablesEnd(byte[] image) {
        return ContextTables.HEADER
                + (int) ByteBuffer.wrap(image).order(ByteOrder.LITTLE_ENDIAN).getLong(24);
    }

    @Test
    void anEmptyFileAndAFolderAreRefused() throws Exception {
        Path empty = Files.createFile(folder.resolve("empty.bin"));

        assertThatThrownBy(() -> ContextBinary.map(empty)).hasMessageContaining(empty.toString());
        assertThatThrownBy(() -> ContextBinary.map(folder)).hasMessageContaining("is no file");
    }
}
