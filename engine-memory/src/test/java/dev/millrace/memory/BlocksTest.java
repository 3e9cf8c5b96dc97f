package dev.millrace.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class BlocksTest {
    /** The file with an entry for each page of this process, negative where memory is present. */
    private static final Path PAGES = Path.of("/proc/self/pagemap");

    private static final Path MAPS = Path.of("/proc/self/maps");
    /** The file that describes each range of addresses of this process in several lines. */
    private static final Path AREAS = Path.of("/proc/self/smaps");

    private static final Path LARGE_PAGES = Path.of("/sys/kernel/mm/transparent_hugepage");
    private static final Pattern RANGE = Pattern.compile("^([0-9a-f]+)-([0-9a-f]+) ");

    @Test
    void blocksOfAnySizeAreAlignedAndZero() {
        for (long bytes :
                new long[] {1, 100, Blocks.MEDIUM, 5000, Blocks.LARGE - 1, Blocks.LARGE, 3 * Blocks.LARGE + 5}) {
            MemorySegment block = Blocks.allocate(bytes, 64);
            assertThat(block.byteSize()).isEqualTo(bytes);
            assertThat(block.address() % 64).isZero();
            assertThat(block.get(ValueLayout.JAVA_BYTE, 0)).isZero();
            assertThat(block.get(ValueLayout.JAVA_BYTE, bytes - 1)).isZero();
            block.fill((byte) 1);
        }
    }

    @Test
    void blocksThatWereInUseBeforeAreZeroAgain() {
        assumeTrue(Pages.areThere(), "the C library is not to be had");
        for (int i = 0; i < 200; i++) {
            long bytes = Blocks.MEDIUM + i;
            MemorySegment block = Blocks.allocate(bytes, 64);
            assertThat(block.mismatch(MemorySegment.ofArray(new byte[(int) bytes])))
                    .isEqualTo(-1);
            block.fill((byte) 1);
            if (i % 50 == 49) {
                System.gc();
            }
        }
    }

    @Test
    void largeBlocksHavePagesOfTheirOwn() {
        assumeTrue(Pages.areThere(), "the system gives no pages");
        assertThat(Blocks.allocate(Blocks.LARGE, 64).address() % Pages.SIZE).isZero();
    }

    @Test
    void emptyBlocksAreZeros() {
        assumeTrue(Pages.areThere(), "the system gives no pages");
        MemorySegment block = Blocks.allocate(3 * Blocks.LARGE, 64);
        block.fill((byte) 1);

        Blocks.empty(block);

        assertThat(block.mismatch(MemorySegment.ofArray(new byte[(int) block.byteSize()])))
                .isEqualTo(-1);
    }

    @Test
    void pagesOfABlockThatIsWrittenSoonArePresentBefore() throws Exception {
        assumeTrue(Pages.areThere() && Files.exists(PAGES), "there is nothing to look at");
        MemorySegment block = Blocks.allocate(8 * Blocks.LARGE, 64);
        for (long at = 0; at < block.byteSize(); at += Pages.SIZE) {
            assertThat(isPresent(block.address() + at)).isTrue();
        }
        MemorySegment large = Blocks.allocate(Pages.PRESENT + Pages.SIZE, 64);
        assertThat(isPresent(large.address() + Pages.PRESENT / 2)).isFalse();
    }

    @Test
    void pagesOfABlockThatIsReservedComeWhenItIsPopulated() throws Exception {
        assumeTrue(Pages.areThere() && Files.exists(PAGES), "there is nothing to look at");
        MemorySegment block = Blocks.reserve(8 * Blocks.LARGE, 64);
        assertThat(isPresent(block.address() + block.byteSize() / 2)).isFalse();
        block.set(ValueLayout.JAVA_BYTE, 5, (byte) 1);

        Blocks.populate(block);

        for (long at = 0; at < block.byteSize(); at += Pages.SIZE) {
            assertThat(isPresent(block.address() + at)).isTrue();
        }
        assertThat(block.get(ValueLayout.JAVA_BYTE, 5)).isEqualTo((byte) 1);
        MemorySegment large = Blocks.reserve(Pages.PRESENT + Pages.SIZE, 64);
        Blocks.populate(large);
        assertThat(isPresent(large.address() + Pages.PRESENT / 2)).isFalse();
    }

    @Test
    void wholeLargePagesOfABlockAreAskedFor() throws Exception {
        assumeTrue(Pages.areThere() && Files.exists(AREAS), "there is nothing to look at");
        assumeTrue(Files.exists(LARGE_PAGES), "this system has no large pages");
        MemorySegment block = Blocks.allocate(2 * Pages.LARGE + 3 * Pages.SIZE, 64);
        assertThat(block.address() % Pages.LARGE).isZero();
        assertThat(asksForLargePages(block.address())).isTrue();
        assertThat(asksForLargePages(block.address() + 2 * Pages.LARGE - 1)).isTrue();
        assertThat(asksForLargePages(block.address() + 2 * Pages.LARGE)).isFalse();
        assertThat(isPresent(block.address() + block.byteSize() - 1)).isTrue();
        MemorySegment later = Blocks.reserve(2 * Pages.LARGE, 64);
        assertThat(asksForLargePages(later.address())).isFalse();
    }

    /** Whether the area of an address has the flag of MADV_HUGEPAGE. */
    private static boolean asksForLargePages(long address) throws IOException {
        boolean inside = false;
        for (String line : Files.readAllLines(AREAS)) {
            Matcher range = RANGE.matcher(line);
            if (range.find()) {
                inside = Long.parseUnsignedLong(range.group(1), 16) <= address
                        && address < Long.parseUnsignedLong(range.group(2), 16);
            } else if (inside && line.startsWith("VmFlags:")) {
                return line.contains(" hg");
            }
        }
        return false;
    }

    private static boolean isPresent(long address) throws IOException {
        try (var pages = new RandomAccessFile(PAGES.toFile(), "r")) {
            pages.seek(address / Pages.SIZE * Long.BYTES);
            return Long.reverseBytes(pages.readLong()) < 0;
        }
    }

    /**
     * Large blocks must not come from the C library, whose heap stays resident after it was used; pages are unmapped.
     */
    @Test
    void largeBlocksThatNobodyRefersToGoBackToTheSystem() throws Exception {
        assumeTrue(Pages.areThere() && Files.exists(MAPS), "there is nothing to look at");
        long before = Blocks.mapped();
        long address = addressOfGarbage();
        assertThat(isMapped(address)).isTrue();
        assertThat(Blocks.mapped()).isGreaterThanOrEqualTo(before + (1L << 30));
        for (int i = 0; i < 100 && Blocks.mapped() >= before + (1L << 30); i++) {
            System.gc();
            Thread.onSpinWait();
        }
        assertThat(isMapped(address)).isFalse();
        assertThat(Blocks.mapped()).isLessThan(before + (1L << 30));
    }

    /** Returns an address in an unreachable block, so large that no other mapping comes to surround it. */
    private static long addressOfGarbage() {
        MemorySegment block = Blocks.allocate(1L << 30, 64);
        block.set(ValueLayout.JAVA_BYTE, 1 << 29, (byte) 1);
        return block.address() + (1 << 29);
    }

    private static boolean isMapped(long address) throws IOException {
        try (Stream<String> maps = Files.lines(MAPS)) {
            return maps.map(line -> line.split("[- ]", 3))
                    .anyMatch(range -> Long.parseUnsignedLong(range[0], 16) <= address
                            && address < Long.parseUnsignedLong(range[1], 16));
        }
    }
}
