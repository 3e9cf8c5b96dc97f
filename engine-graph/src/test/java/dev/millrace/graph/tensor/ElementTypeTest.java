package dev.millrace.graph.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import org.junit.jupiter.api.Test;

class ElementTypeTest {
    @Test
    void bytesThatNoNumberHoldsAreRefused() {
        assertThat(ElementType.INT4.bytes(3)).isEqualTo(2);
        assertThatThrownBy(() -> ElementType.FLOAT.bytes(Long.MAX_VALUE / 2))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                .hasMessageContaining("elements of type float");
    }
}
