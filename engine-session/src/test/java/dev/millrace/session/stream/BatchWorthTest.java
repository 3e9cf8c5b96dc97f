package dev.millrace.session.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When batches are made, by what was measured. */
class BatchWorthTest {
    private final BatchWorth worth = new BatchWorth();

    private void took(int size, long nanos) {
        for (int i = 0; i < 3; i++) {
            worth.took(size, nanos);
        }
    }

    @Test
    void noBatchIsMadeBeforeSingleRunsWereMeasured() {
        assertThat(worth.pays(4)).isFalse();
        took(1, 100);
        assertThat(worth.pays(4)).isTrue();
    }

    @Test
    void batchesThatSaveNothingAreNotMadeButTriedAgainInTime() {
        took(1, 100);
        took(4, 400);
        for (int i = 0; i < 63; i++) {
            assertThat(worth.pays(4)).isFalse();
        }
        assertThat(worth.pays(4)).isFalse();
        assertThat(worth.pays(4)).isTrue();
    }

    @Test
    void batchesThatSaveTimeAreMade() {
        took(1, 100);
        took(4, 200);
        assertThat(worth.pays(4)).isTrue();
    }

    @Test
    void aBatchThatWaitedForAProcessorChangesNothing() {
        took(1, 100);
        took(4, 200);
        worth.took(4, 400_000);
        assertThat(worth.pays(4)).isTrue();
    }

    @Test
    void batchesThatHaveBecomeSlowAreNotMadeAnyMore() {
        took(1, 100);
        took(4, 200);
        for (int i = 0; i < 8; i++) {
            took(4, 800);
        }
        assertThat(worth.pays(4)).isFalse();
    }
}
