package dev.millrace.kernels.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.conv.Reorder;
import org.junit.jupiter.api.Test;

class CallPlanTest {
    @Test
    void aPlanOfTooManyCallsIsRefused() {
        Kernels kernels = Kernels.shared();
        int channels = kernels.set().target().lanes() * CallPlan.MOST_CALLS;
        assertThat(new Reorder(kernels.set(), 1, channels, 1)).isNotNull();
        assertThatThrownBy(() -> new Reorder(kernels.set(), 1, channels + 1, 1))
                .isInstanceOf(TooManyCalls.class)
                .hasMessageContaining("524288 calls");
    }
}
