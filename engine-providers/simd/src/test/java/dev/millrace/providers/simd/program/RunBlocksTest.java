package dev.millrace.providers.simd.program;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import org.junit.jupiter.api.Test;

class RunBlocksTest {
    private static final long BYTES = 1 << 20;
    private static final long COLLECTION_MILLIS = 10_000;

    private final RunBlocks blocks = new RunBlocks();

    @Test
    void aBlockThatWasGivenBackServesTheNext() {
        RunBlocks.Block first = blocks.take(BYTES, new Object());
        assertThat(first.take()).isFalse();
        first.give();
        assertThat(blocks.take(BYTES / 2, new Object())).isSameAs(first);
        assertThat(first.take()).isFalse();
    }

    @Test
    void whoFindsAllTakenGetsAnother() {
        RunBlocks.Block first = blocks.take(BYTES, new Object());
        RunBlocks.Block second = blocks.take(BYTES, new Object());
        assertThat(second).isNotSameAs(first);
        assertThat(second.memory().byteSize()).isEqualTo(BYTES);
    }

    @Test
    void aBlockIsNeitherTooSmallNorFarTooLarge() {
        RunBlocks.Block first = blocks.take(BYTES, new Object());
        first.give();
        assertThat(blocks.take(BYTES + 1, new Object())).isNotSameAs(first);
        assertThat(blocks.take(BYTES / 16, new Object())).isNotSameAs(first);
        assertThat(blocks.take(BYTES / 8, new Object())).isSameAs(first);
    }

    @Test
    void aProgramGetsNoBlockTwice() {
        Object program = new Object();
        RunBlocks.Block first = blocks.take(BYTES, program);
        first.give();
        assertThat(blocks.take(BYTES, program)).isNotSameAs(first);
        assertThat(blocks.take(BYTES, new Object())).isSameAs(first);
    }

    @Test
    void smallBlocksAreNotShared() {
        RunBlocks.Block first = blocks.take(100, new Object());
        first.give();
        assertThat(blocks.take(100, new Object())).isNotSameAs(first);
    }

    @Test
    void blocksThatNobodyHasAreCollected() throws InterruptedException {
        var collected = new ReferenceQueue<RunBlocks.Block>();
        var reference = new WeakReference<>(blocks.take(BYTES, new Object()), collected);
        System.gc();
        assertThat(collected.remove(COLLECTION_MILLIS)).isSameAs(reference);
    }
}
