package dev.millrace.bench.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class HeapMemoryTest {
    private static final String MAPPINGS = """
        3b000000-3bd90000 rw-p 00001000 fd:00 1234 /lib/server/classes.jsa
        Rss:               13888 kB
        687400000-69f400000 rw-p 00000000 00:00 0
        Size:             393216 kB
        Rss:               28672 kB
        Pss:               28672 kB
        69f400000-800000000 ---p 00000000 00:00 0
        Rss:                   4 kB
        7f1c00000000-7f1c00021000 rw-p 00000000 00:00 0
        Rss:                 132 kB
        """;

    private static long kib(String heap) {
        return HeapMemory.residentKib(MAPPINGS.lines().toList(), heap);
    }

    @Test
    void theHeapIsWhatLiesBetweenTheAddressesThatTheJvmSays() {
        assertThat(kib("garbage-first heap total reserved 6172672K [0x0000000687400000, 0x0000000800000000)"))
                .isEqualTo(28676);
        assertThat(kib("young [0x000000069f400000, 0x0000000800000000) old [0x0000000687400000, 0x000000069f400000)"))
                .isEqualTo(28676);
        assertThat(kib("nothing")).isZero();
    }

    @Test
    void anArrayThatWasFilledIsResident() throws IOException {
        assumeTrue(ProcessMemory.residentKib() > 0, "this system does not say what is resident");
        byte[] filled = new byte[32 << 20];
        Arrays.fill(filled, (byte) 1);
        // the collector may give memory back between the two calls, but the peak stays
        assertThat(HeapMemory.residentKib()).isBetween(32L << 10, ProcessMemory.peakKib());
        assertThat(filled[filled.length - 1]).isEqualTo((byte) 1);
    }
}
