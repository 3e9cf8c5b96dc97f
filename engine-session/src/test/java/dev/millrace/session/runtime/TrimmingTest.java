package dev.millrace.session.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
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
    void aSessionThatIsClosedIsNotHeldByWhatIsStillToCome() throws InterruptedException {
        var collected = new ReferenceQueue<AtomicInteger>();
        Reference<AtomicInteger> session = closed(collected);
        System.gc();
        assertThat(collected.remove(10_000)).isSameAs(session);
        later.remove().run();
        assertThat(later).isEmpty();
    }

    /**
     * Returns a reference to a stand-in for a session that ran and was closed while its next trim is still scheduled.
     */
    private Reference<AtomicInteger> closed(ReferenceQueue<AtomicInteger> collected) {
        var session = new AtomicInteger();
        var ofSession = new Trimming(later::add, session::incrementAndGet);
        ofSession.ran();
        ofSession.end();
        return new WeakReference<>(session, collected);
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
