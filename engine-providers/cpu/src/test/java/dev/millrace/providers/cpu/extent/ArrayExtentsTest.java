package dev.millrace.providers.cpu.extent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import org.assertj.core.api.AbstractThrowableAssert;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ArrayExtentsTest {
    private static final long LONGEST = Integer.MAX_VALUE - 8L;

    private static AbstractThrowableAssert<?, ? extends Throwable> refused(ThrowingCallable call) {
        return assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_IMPLEMENTED));
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 12_345, LONGEST})
    void anExtentThatAnArrayCanHaveStaysWhatItIs(long count) {
        assertThat(ArrayExtents.toInt("rows", count)).isEqualTo((int) count);
    }

    @ParameterizedTest
    @ValueSource(longs = {LONGEST + 1, 1L << 32, Long.MAX_VALUE, Long.MIN_VALUE, Integer.MIN_VALUE - 1L})
    void anExtentThatNoArrayHasIsRefusedByName(long count) {
        refused(() -> ArrayExtents.toInt("rows", count))
                .hasMessageContaining(count + " rows are more than the 2147483639 that this kernel handles");
    }

    @ParameterizedTest
    @CsvSource({"3, 4, 12", "0, 9223372036854775807, 0", "46340, 46340, 2147395600", "1, 2147483639, 2147483639"})
    void aProductIsThatOfTheCounts(long a, long b, int product) {
        assertThat(ArrayExtents.product("rows", a, b)).isEqualTo(product);
        assertThat(ArrayExtents.product("rows", b, a)).isEqualTo(product);
    }

    @ParameterizedTest
    @CsvSource({"46341, 46341, 2147488281", "1073741820, 2, 2147483640"})
    void aProductThatNoArrayHasIsRefused(long a, long b, long product) {
        refused(() -> ArrayExtents.product("rows", a, b))
                .hasMessageContaining(product + " rows are more than the 2147483639 that this kernel handles");
    }

    /** The low words of the products are negative, and zero. */
    @ParameterizedTest
    @CsvSource({"4611686018427387904, 2", "4294967296, 4294967296"})
    void aProductThatNoLongHasIsRefusedWithItsFactors(long a, long b) {
        refused(() -> ArrayExtents.product("rows", a, b))
                .hasMessageContaining(a + " times " + b + " rows are more than the 2147483639");
    }

    @Test
    void aTableTakesAtMostHalfOfTheHeap() {
        long bytes = 1 << 20;
        long most = Runtime.getRuntime().maxMemory() / 2 / bytes;
        assertThat(ArrayExtents.table("places", most, bytes)).isEqualTo((int) most);
        refused(() -> ArrayExtents.table("places", most + 1, bytes))
                .hasMessageContaining("a table for " + (most + 1) + " places takes " + bytes + " bytes for each")
                .hasMessageContaining("the heap has room for " + most + ", raise -Xmx");
    }
}
