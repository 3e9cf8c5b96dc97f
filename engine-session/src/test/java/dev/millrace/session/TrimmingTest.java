package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TrimmingTest {
    private final ArrayDeque<Runnable> later = new ArrayDeque<>();
    private final AtomicInteger trims = new AtomicInteger();
    private final Trimming trimming = new Trimming(later::add, trims::incrementAndGet);

    @Test
    void aSessionThatHasComeToRestIsTrimmedTwiceAndThenLeftAlone() {
        for (int i = 0; i < 10; i++) {
            trimming.ran();
        }
        assertThat(later).hasSize(1);
        later.remove().run();
        assertThat(later).hasSize(1);
        later.remove().run();
        assertThat(later).isEmpty();
        assertThat(trims).hasValue(2);
    }

    @Test
    void aSessionThatGoesOnIsTrimmedAgainAndAgain() {
        for (int i = 1; i <= 5; i++) {
            trimming.ran();
            later.remove().run();
            assertThat(later).hasSize(1);
            assertThat(trims).hasValue(i);
        }
    }
}
