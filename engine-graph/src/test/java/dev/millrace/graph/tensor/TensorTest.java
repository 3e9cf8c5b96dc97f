package dev.millrace.graph.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.lang.foreign.MemorySegment;
import org.junit.jupiter.api.Test;

class TensorTest {
    @Test
    void moreBytesThanANumberHoldsAreRefused() {
        Shape shape = Shape.of(Long.MAX_VALUE / 2);
        for (Runnable attempt : new Runnable[] {
            () -> Tensor.allocate(ElementType.FLOAT, shape),
            () -> Tensor.wrap(ElementType.FLOAT, shape, MemorySegment.ofArray(new float[1]))
        }) {
            assertThatThrownBy(attempt::run)
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                    .hasMessageContaining("elements of type float");
        }
    }

    @Test
    void whoReadsByTheWrongTypeIsToldTheRightReader() {
        assertThatThrownBy(() -> Tensor.scalar(1f).ints())
                .hasMessage("ints() does not fit a tensor of float; use floats()");
        assertThatThrownBy(() -> Tensor.scalar(1L).ints())
                .hasMessage("ints() does not fit a tensor of int64; use longs()");
        assertThatThrownBy(() -> Tensor.scalar(true).floats())
                .hasMessage("floats() does not fit a tensor of bool; use booleans()");
        assertThatThrownBy(() -> Tensor.copyOf(new double[] {1}).floats())
                .hasMessage("floats() does not fit a tensor of double; use doubles()");
        assertThatThrownBy(() -> Tensor.ofStrings(Shape.of(1), "a").segment())
                .hasMessage("segment() does not fit a tensor of string; use strings()");
    }
}
