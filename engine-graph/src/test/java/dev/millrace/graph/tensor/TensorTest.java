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
}
