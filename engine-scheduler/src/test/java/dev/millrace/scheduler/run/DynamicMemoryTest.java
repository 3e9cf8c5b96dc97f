package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import org.junit.jupiter.api.Test;

class DynamicMemoryTest {
    private final DynamicMemory memory = new DynamicMemory();

    private long address(long elements) {
        return memory.allocate(ElementType.INT64, Shape.of(elements), "a test")
                .segment()
                .address();
    }

    @Test
    void piecesOfARunAreApartAndThoseOfTheNextRunTakeTheirPlaces() {
        long first = address(1000);
        long second = address(1000);
        assertThat(second).isNotEqualTo(first);
        memory.reset();
        assertThat(address(900)).isEqualTo(first);
        assertThat(address(1000)).isEqualTo(second);
    }

    @Test
    void whatIsTooSmallOrFarTooLargeIsReplaced() {
        long first = address(1000);
        memory.reset();
        long larger = address(1001);
        memory.reset();
        assertThat(address(1001)).isEqualTo(larger).isNotEqualTo(first);
        memory.reset();
        assertThat(address(100)).isNotEqualTo(larger);
    }

    @Test
    void whatNoRunTakesIsDropped() {
        address(1000);
        long second = address(1000);
        memory.reset();
        address(1000);
        memory.trim();
        memory.reset();
        address(1000);
        memory.trim();
        memory.reset();
        address(1000);
        assertThat(address(1000)).isNotEqualTo(second);
    }

    @Test
    void aTensorIsAsLongAsItsElements() {
        memory.allocate(ElementType.INT64, Shape.of(1000), "a test");
        memory.reset();
        assertThat(memory.allocate(ElementType.INT32, Shape.of(999), "a test")
                        .segment()
                        .byteSize())
                .isEqualTo(4 * 999);
    }
}
