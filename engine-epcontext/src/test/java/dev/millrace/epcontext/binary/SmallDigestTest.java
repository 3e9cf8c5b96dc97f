package dev.millrace.epcontext.binary;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SmallDigestTest {
    @Test
    void itIsTheOneOfTheJdkForEveryLengthAroundABlock() {
        var random = new Random(3);
        for (int length = 0; length < 260; length++) {
            byte[] data = new byte[length];
            random.nextBytes(data);
            assertThat(SmallDigest.sha256(data)).isEqualTo(Chunks.sha256(MemorySegment.ofArray(data)));
        }
        byte[] most = new byte[SmallDigest.MOST_BYTES];
        random.nextBytes(most);
        assertThat(SmallDigest.sha256(most)).isEqualTo(Chunks.sha256(MemorySegment.ofArray(most)));
    }
}
