package dev.millrace.graph.tensor;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;

class LastingMemoryTest {
    @Test
    void memoryOfArenasThatCanBeClosedMayGoAway() {
        assertThat(LastingMemory.holds(Arena.ofAuto().allocate(8).asSlice(4))).isTrue();
        assertThat(LastingMemory.holds(Arena.global().allocate(8))).isTrue();
        try (Arena shared = Arena.ofShared();
                Arena confined = Arena.ofConfined()) {
            assertThat(LastingMemory.holds(shared.allocate(8))).isFalse();
            assertThat(LastingMemory.holds(confined.allocate(8).asReadOnly())).isFalse();
        }
    }
}
