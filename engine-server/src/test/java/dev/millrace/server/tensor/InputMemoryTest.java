package dev.millrace.server.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests when the memory of inputs is used again. */
class InputMemoryTest {
    /** A size that no other test has. */
    private static final long LARGE = 1_500_000;

    private static Tensor filled(long bytes, int value, AtomicLong address) {
        return InputMemory.filled(ElementType.INT8, Shape.of(bytes), to -> {
            address.set(to.address());
            to.fill((byte) value);
        });
    }

    private static void holds(Tensor tensor, int value) {
        byte[] expected = new byte[(int) tensor.elements()];
        Arrays.fill(expected, (byte) value);
        assertThat(MemorySegment.ofArray(expected).mismatch(tensor.segment())).isEqualTo(-1);
    }

    @Test
    void theMemoryOfAClosedInputIsUsedAgain() {
        var first = new AtomicLong();
        var second = new AtomicLong();
        filled(LARGE, 1, first).close();
        try (Tensor again = filled(LARGE + 1, 2, second)) {
            assertThat(second).hasValue(first.get());
            holds(again, 2);
        }
    }

    @Test
    void theMemoryOfAnInputThatARunReadsIsNotUsedAgain() {
        var first = new AtomicLong();
        var second = new AtomicLong();
        Tensor input = filled(LARGE, 1, first);
        Tensor read = input.retain();
        input.close();
        try (Tensor other = filled(LARGE, 2, second)) {
            assertThat(second).doesNotHaveValue(first.get());
            holds(other, 2);
        }
        holds(read, 1);
        input.release();
    }

    /** Below, at and above the sizes that are kept. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, (1 << 17) - 1, 1 << 17, (1 << 17) + 1, 1 << 21, (1 << 21) + 1, 9_000_000})
    void anyNumberOfBytesIsHeld(long bytes) {
        for (int i = 1; i < 4; i++) {
            try (Tensor tensor = filled(bytes, i, new AtomicLong())) {
                holds(tensor, i);
            }
        }
    }

    @Test
    void theMemoryOfAnInputThatCannotBeFilledIsUsedAgain() {
        var first = new AtomicLong();
        var second = new AtomicLong();
        assertThatThrownBy(() -> InputMemory.filled(ElementType.INT8, Shape.of(LARGE), to -> {
                    first.set(to.address());
                    throw new IllegalStateException("no bytes");
                }))
                .hasMessage("no bytes");
        try (Tensor other = filled(LARGE, 2, second)) {
            assertThat(second).hasValue(first.get());
            assertThat(other.elements()).isEqualTo(LARGE);
        }
    }
}
