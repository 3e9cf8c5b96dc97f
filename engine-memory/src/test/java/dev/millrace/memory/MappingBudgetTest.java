package dev.millrace.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class MappingBudgetTest {
    private static final long MEGA = 1 << 20;

    @Test
    void whatIsTakenIsLimitedTogetherWithWhatTheJdkHas() {
        var others = new AtomicLong(50 * MEGA);
        var budget = new MappingBudget(() -> 100 * MEGA, others::get);
        budget.take(50 * MEGA);
        assertThatThrownBy(() -> budget.take(1))
                .isInstanceOf(OutOfMemoryError.class)
                .hasMessageContaining("no native memory for 1 bytes")
                .hasMessageContaining(Long.toString(100 * MEGA));
        others.set(49 * MEGA);
        budget.take(MEGA);
        budget.giveBack(51 * MEGA);
        others.set(0);
        budget.take(100 * MEGA);
    }

    @Test
    void aLittleIsTakenWithoutALookAtTheLimit() {
        var budget = new MappingBudget(
                () -> {
                    throw new AssertionError("looked up");
                },
                () -> 0);
        budget.take(32 * MEGA);
        assertThatThrownBy(() -> budget.take(1)).hasMessage("looked up");
    }

    @Test
    void anInterruptStaysAndDoesNotEndTheSearch() {
        var budget = new MappingBudget(() -> 0, () -> 0);
        Thread.currentThread().interrupt();
        assertThatThrownBy(() -> budget.take(33 * MEGA)).isInstanceOf(OutOfMemoryError.class);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void garbageIsCollectedBeforeAnythingIsRefused() {
        var budget = new MappingBudget(() -> 40 * MEGA, () -> 0);
        budget.take(40 * MEGA);
        Thread.ofPlatform().start(() -> budget.giveBack(40 * MEGA));
        budget.take(40 * MEGA);
    }
}
