package dev.millrace.session.stream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When whoever asks runs its request itself, by what came before. */
class InlineExecutionPolicyTest {
    private static final long SIZE = 10;

    private final InlineExecutionPolicy solitude = new InlineExecutionPolicy();

    private void alone(int times, long nanos) {
        for (int i = 0; i < times; i++) {
            solitude.alone(SIZE, nanos);
        }
    }

    @Test
    void itTakesManyShortRequestsThatMetNobody() {
        alone(InlineExecutionPolicy.ENOUGH - 1, 1_000);
        assertThat(solitude.holds(SIZE)).isFalse();
        alone(1, 1_000);
        assertThat(solitude.holds(SIZE)).isTrue();
    }

    @Test
    void itEndsWithARequestThatMeetsAnother() {
        alone(InlineExecutionPolicy.ENOUGH, 1_000);
        solitude.ends();
        assertThat(solitude.holds(SIZE)).isFalse();
    }

    @Test
    void aLargerRequestThanWasMeasuredIsNotTakenForShort() {
        alone(InlineExecutionPolicy.ENOUGH, 1_000);
        assertThat(solitude.holds(SIZE + 1)).isFalse();
        assertThat(solitude.holds(SIZE - 1)).isTrue();
        solitude.alone(SIZE + 1, 1_000);
        assertThat(solitude.holds(SIZE + 1)).isTrue();
    }

    @Test
    void longRequestsEndItUnlessAFewWaitedForAProcessor() {
        alone(InlineExecutionPolicy.ENOUGH, 1_000);
        alone(InlineExecutionPolicy.LONG_RUN - 1, 10_000_000);
        assertThat(solitude.holds(SIZE)).isTrue();
        alone(1, 1_000);
        alone(InlineExecutionPolicy.LONG_RUN - 1, 10_000_000);
        assertThat(solitude.holds(SIZE)).isTrue();
        alone(1, 10_000_000);
        assertThat(solitude.holds(SIZE)).isFalse();
    }

    @Test
    void oneThatWaitedForAProcessorDoesNotBeginItAnew() {
        alone(InlineExecutionPolicy.ENOUGH - 1, 1_000);
        alone(1, 10_000_000);
        assertThat(solitude.holds(SIZE)).isFalse();
        alone(1, 1_000);
        assertThat(solitude.holds(SIZE)).isTrue();
    }

    @Test
    void aLargerRequestThatIsLongIsNotTakenForShort() {
        alone(InlineExecutionPolicy.ENOUGH, 1_000);
        solitude.alone(10 * SIZE, 10_000_000);
        assertThat(solitude.holds(10 * SIZE)).isFalse();
        assertThat(solitude.holds(SIZE)).isTrue();
    }

    @Test
    void longRequestsMakeNone() {
        alone(10 * InlineExecutionPolicy.ENOUGH, InlineExecutionPolicy.SHORT_NANOS + 1);
        assertThat(solitude.holds(SIZE)).isFalse();
    }

    @Test
    void oneOfManyIsHandedOver() {
        alone(InlineExecutionPolicy.ENOUGH, 1_000);
        int handedOver = 0;
        for (int i = 0; i < 10 * InlineExecutionPolicy.PROBE; i++) {
            handedOver += solitude.holds(SIZE) ? 0 : 1;
        }
        assertThat(handedOver).isEqualTo(10);
    }
}
