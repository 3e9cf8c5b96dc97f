package dev.millrace.graph.tensor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import org.junit.jupiter.api.Test;

class ElementTypeTest {
    @Test
    void packedElementsShareBytes() {
        assertThat(ElementType.UINT4.bytes(3)).isEqualTo(2);
        assertThat(ElementType.INT2.bytes(5)).isEqualTo(2);
        assertThat(ElementType.FLOAT16.bytes(3)).isEqualTo(6);
        assertThat(ElementType.STRING.bytes(Long.MAX_VALUE)).isZero();
    }

    @Test
    void moreBytesThanALongCountsAreRefused() {
        assertThat(ElementType.DOUBLE.bytes(Long.MAX_VALUE / 8)).isEqualTo(Long.MAX_VALUE - 7);
        for (ElementType type : new ElementType[] {ElementType.DOUBLE, ElementType.UINT4}) {
            assertThatThrownBy(() -> type.bytes(1L << 61))
                    .isInstanceOfSatisfying(
                            EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_ARGUMENT))
                    .hasMessageContaining("2305843009213693952 elements of type " + type);
        }
    }
}
