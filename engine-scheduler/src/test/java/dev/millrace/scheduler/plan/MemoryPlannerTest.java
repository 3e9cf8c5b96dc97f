package dev.millrace.scheduler.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.scheduler.plan.MemoryPlanner.Buffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
    void veryManyBuffersNeverOverlapEither() {
        var random = new Random(2);
        var buffers = new ArrayList<Buffer>();
        for (int i = 0; i < 20_000; i++) {
            int from = random.nextInt(5000);
            buffers.add(new Buffer(random.nextInt(5000), from, from + random.nextInt(10)));
        }
        long end = MemoryPlanner.place(buffers, 128);

        var atOnce = new ArrayList<List<Buffer>>();
        for (int step = 0; step < 5010; step++) {
            atOnce.add(new ArrayList<>());
        }
        buffers.forEach(buffer -> {
            for (int step = buffer.from(); step <= buffer.to(); step++) {
                atOnce.get(step).add(buffer);
            }
        });
        long most = 0;
        for (List<Buffer> together : atOnce) {
            together.sort(Comparator.comparingLong(Buffer::offset));
            long free = 128;
            long bytes = 0;
            for (Buffer buffer : together) {
                assertThat(buffer.offset()).isGreaterThanOrEqualTo(free);
                assertThat(buffer.offset() % MemoryPlanner.ALIGNMENT).isZero();
                free = buffer.offset() + buffer.bytes();
                bytes += buffer.bytes();
            }
            assertThat(free).isLessThanOrEqualTo(end);
            most = Math.max(most, bytes);
        }
        assertThat(end).isLessThan(most * 3 / 2);
    }

    @Test
    @Timeout(20)
    void buffersThatAllLiveToTheEndArePlacedInTime() {
        var buffers = new ArrayList<Buffer>();
        for (int i = 0; i < 300_000; i++) {
            buffers.add(new Buffer(64, i, Integer.MAX_VALUE));
        }
        assertThat(MemoryPlanner.place(buffers, 0)).isEqualTo(300_000L * 64);
    }

    @Test
    void nothingNeedsNothing() {
        assertThat(MemoryPlanner.place(List.of(), 64)).isEqualTo(64);
    }
}
