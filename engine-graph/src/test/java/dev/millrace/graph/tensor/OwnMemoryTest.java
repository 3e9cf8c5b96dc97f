package dev.millrace.graph.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class OwnMemoryTest {
    private static long collections() {
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .mapToLong(collector -> collector.getCollectionCount())
                .sum();
    }

    @Test
    void itIsZeroedAndAligned() {
        var memory = OwnMemory.allocate(100, 64);
        assertThat(memory.address() % 64).isZero();
        assertThat(memory.toArray(ByteLayouts.BYTE)).containsOnly(0);
    }

    @Test
    void whatCanNeverBeThereIsRefusedWithoutCollectingGarbage() {
        boolean collected = true;
        // garbage may be collected meanwhile for another reason, but not each time
        for (int i = 0; i < 20 && collected; i++) {
            long before = collections();
            refuseTwice();
            collected = collections() != before;
        }
        assertThat(collected).isFalse();
    }

    private static void refuseTwice() {
        assertThatThrownBy(() -> OwnMemory.allocate(1L << 42, 64))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.FAIL))
                .hasMessageContaining("4398046511104 bytes")
                .hasMessageContaining("-XX:MaxDirectMemorySize");
        assertThatThrownBy(() -> Tensor.allocate(ElementType.FLOAT, Shape.of(1L << 39)))
                .isInstanceOf(EngineException.class);
    }
}
