package dev.millrace.session.build;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.Tensor;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class SharedConstantsTest {
    private final SharedConstants constants = new SharedConstants();
    private final Object one = new Object();
    private final Object other = new Object();

    @Test
    void equal_ones_are_one() {
        Tensor first = tensor(1);

        assertThat(constants.of(first, one)).isSameAs(first);
        assertThat(constants.of(tensor(1), one)).isSameAs(first);
        assertThat(constants.of(tensor(1), other)).isSameAs(first);
        assertThat(constants.of(tensor(2), other)).isNotSameAs(first);
    }

    @Test
    void what_its_maker_alone_has_seen_can_be_taken_back_and_is_given_to_nobody() {
        Tensor first = tensor(1);
        constants.of(first, one);
        constants.of(tensor(1), one);

        assertThat(constants.takeBack(first, one)).isTrue();
        assertThat(constants.takeBack(first, one)).isFalse();
        assertThat(constants.of(tensor(1), other)).isNotSameAs(first);
    }

    @Test
    void what_somebody_else_has_seen_stays() {
        Tensor first = tensor(1);
        constants.of(first, one);
        constants.of(tensor(1), other);

        assertThat(constants.takeBack(first, one)).isFalse();
        assertThat(constants.takeBack(first, other)).isFalse();
    }

    private static Tensor tensor(float value) {
        float[] values = new float[1 << 15];
        Arrays.fill(values, value);
        return Tensor.copyOf(values, values.length);
    }
}
