package dev.millrace.scheduler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MemoryPlannerTest {
    @Test
    void buffersAliveTogetherNeverOverlapAndAllAreAligned() {
        var random = new Random(1);
        for (int round = 0; round < 200; round++) {
            var buffers = new ArrayList<Buffer>();
            for (int i = 0; i < 60; i++) {
                int from = random.nextInt(50);
                buffers.add(new Buffer(random.nextInt(5000), from, from + random.nextInt(10)));
            }
            long end = MemoryPlanner.place(buffers, 128);
            for (Buffer a : buffers) {
                assertThat(a.offset() % MemoryPlanner.ALIGNMENT).isZero();
                assertThat(a.offset()).isGreaterThanOrEqualTo(128);
                assertThat(a.offset() + a.bytes()).isLessThanOrEqualTo(end);
                for (Buffer b : buffers) {
                    boolean together = a.from() <= b.to() && b.from() <= a.to();
                    boolean apart = a.offset() + a.bytes() <= b.offset() || b.offset() + b.bytes() <= a.offset();
                    assertThat(a == b || !together || apart).isTrue();
                }
            }
        }
    }

    @Test
    void aChainOfEqualBuffersNeedsTwoOfThem() {
        var chain = new ArrayList<Buffer>();
        for (int i = 0; i < 100; i++) {
            chain.add(new Buffer(1024, i, i + 1));
        }
        assertThat(MemoryPlanner.place(chain, 0)).isEqualTo(2048);
    }

    @Test
    void nothingNeedsNothing() {
        assertThat(MemoryPlanner.place(List.of(), 64)).isEqualTo(64);
    }
}
