package dev.millrace.scheduler.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
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

    private Tensor result(Tensor made) {
        return Objects.requireNonNull(memory.handOver(made));
    }

    @Test
    void whatIsHandedOverServesAgainWhenItIsClosed() {
        Tensor made = memory.allocate(ElementType.INT64, Shape.of(1000), "a test");
        long first = made.segment().address();
        Tensor result = result(made);
        assertThat(memory.handOver(made)).isNull();
        memory.reset();
        Tensor second = memory.allocate(ElementType.INT64, Shape.of(1000), "a test");
        assertThat(second.segment().address()).isNotEqualTo(first);
        result(second);
        result.close();
        memory.reset();
        assertThat(address(1000)).isEqualTo(first);
    }

    @Test
    void aPieceServesAgainWhenAllResultsInItAreClosed() {
        MemorySegment whole =
                memory.allocate(ElementType.INT64, Shape.of(1000), "a test").segment();
        Tensor upper = result(Tensor.wrap(ElementType.INT64, Shape.of(500), whole.asSlice(0, 4000)));
        Tensor lower = result(Tensor.wrap(ElementType.INT64, Shape.of(500), whole.asSlice(4000, 4000)));
        memory.reset();
        upper.close();
        Tensor other = memory.allocate(ElementType.INT64, Shape.of(1000), "a test");
        assertThat(other.segment().address()).isNotEqualTo(whole.address());
        result(other);
        lower.close();
        memory.reset();
        assertThat(address(1000)).isEqualTo(whole.address());
    }

    @Test
    void whatLiesElsewhereIsNotHandedOver() {
        memory.allocate(ElementType.INT64, Shape.of(1000), "a test");
        assertThat(memory.handOver(Tensor.scalar(1L))).isNull();
        assertThat(memory.handOver(Tensor.ofStrings(Shape.of(1), "a"))).isNull();
    }
}
