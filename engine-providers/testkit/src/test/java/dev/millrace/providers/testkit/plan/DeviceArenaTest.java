package dev.millrace.providers.testkit.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.providers.testkit.device.MachineOptions;
import dev.millrace.providers.testkit.device.SimulatedDevice;
import dev.millrace.providers.testkit.device.SimulatedMachine;
import dev.millrace.scheduler.device.DeviceArena;
import dev.millrace.scheduler.device.DeviceArena.Options;
import dev.millrace.scheduler.device.DeviceRange;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Tests the arena of a device's memory. */
class DeviceArenaTest {
    private final SimulatedMachine machine = new SimulatedMachine(1, MachineOptions.drawn(1));
    private final SimulatedDevice device = machine.device("device");

    @AfterEach
    void nothingIsLeft() {
        machine.settle();
        machine.close();
    }

    private DeviceArena arena(long firstChunk, long largestChunk, long limit) {
        return new DeviceArena(device.place(), new Options(firstChunk, largestChunk, limit));
    }

    @Test
    void theFirstRangeExtendsTheArenaByAChunk() {
        try (DeviceArena arena = arena(4096, 1 << 20, Long.MAX_VALUE)) {
            DeviceRange range = arena.allocate(1000);
            assertThat(range.bytes()).isEqualTo(1000);
            assertThat(arena.statistics())
                    .satisfies(
                            statistics -> assertThat(statistics.allocations()).isOne())
                    .satisfies(statistics -> assertThat(statistics.extensions()).isOne())
                    .satisfies(statistics -> assertThat(statistics.heldBytes()).isEqualTo(4096))
                    .satisfies(statistics -> assertThat(statistics.usedBytes()).isEqualTo(1024));
            arena.free(range);
        }
    }

    @Test
    void rangesDoNotOverlapAndMemoryIsUsedAgain() {
        var random = new Random(7);
        try (DeviceArena arena = arena(1024, 1 << 14, Long.MAX_VALUE)) {
            List<DeviceRange> ranges = new ArrayList<>();
            for (int i = 0; i < 5000; i++) {
                if (ranges.size() < 40 && random.nextInt(5) < 3 || ranges.isEmpty()) {
                    DeviceRange range = arena.allocate(random.nextInt(3000));
                    assertThat(ranges).noneMatch(other -> other.overlaps(range));
                    ranges.add(range);
                } else {
                    arena.free(ranges.remove(random.nextInt(ranges.size())));
                }
                long asked = ranges.stream().mapToLong(DeviceRange::bytes).sum();
                assertThat(arena.statistics().usedBytes()).isBetween(asked, asked + 256L * ranges.size());
            }
            assertThat(arena.statistics().heldBytes()).isLessThan(40 * 3072 * 2);
            ranges.forEach(arena::free);
            assertThat(arena.statistics().usedBytes()).isZero();
            long held = arena.statistics().heldBytes();
            assertThat(arena.shrink(0)).isEqualTo(held).isPositive();
            assertThat(arena.statistics().heldBytes()).isZero();
        }
    }

    @Test
    void anArenaShrinksByItsEmptyChunks() {
        try (DeviceArena arena = arena(1024, 1024, Long.MAX_VALUE)) {
            DeviceRange first = arena.allocate(1024);
            DeviceRange second = arena.allocate(1024);
            arena.free(first);
            assertThat(arena.shrink(0)).isEqualTo(1024);
            assertThat(arena.statistics().shrinkages()).isOne();
            arena.free(second);
            arena.trim();
            assertThat(arena.statistics().heldBytes()).isEqualTo(1024);
            arena.trim();
            assertThat(arena.statistics().heldBytes()).isZero();
        }
    }

    @Test
    void theLimitCountsWhatIsHeld() {
        try (DeviceArena arena = arena(1024, 1 << 20, 4096)) {
            DeviceRange first = arena.allocate(3000);
            assertThatThrownBy(() -> arena.allocate(3000))
                    .isInstanceOf(EngineException.class)
                    .hasMessageContaining("limit of 4096 bytes")
                    .hasMessageContaining("EngineOptions.deviceMemory")
                    .hasCauseInstanceOf(OutOfMemoryError.class);
            arena.free(first);
            arena.free(arena.allocate(4096));
        }
    }

    @Test
    void whatIsFreedAfterTheEndIsGivenBackThen() {
        DeviceArena arena = arena(1024, 1 << 20, Long.MAX_VALUE);
        DeviceRange range = arena.allocate(10);
        arena.close();
        assertThat(arena.statistics().heldBytes()).isEqualTo(1024);
        arena.free(range);
        assertThat(arena.statistics().heldBytes()).isZero();
    }
}
