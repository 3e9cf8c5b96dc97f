package dev.millrace.session.stream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Jobs that are done by who waits for them. */
@Timeout(60)
class AwaitedJobsTest {
    private static final long LONG_NANOS = 20_000_000;
    /** After so many, one that waited for a processor no longer counts. */
    private static final int SOME = 10;

    private final RunThreads threads = new RunThreads(1);
    private final RunQueue queue = threads.queue(10, 1, 1);

    private static final class Noted extends Job {
        private final Runnable work;
        private final CountDownLatch done = new CountDownLatch(1);
        private volatile @Nullable Thread by;

        Noted(Runnable work) {
            super(0);
            this.work = work;
        }

        static Noted idle() {
            return new Noted(() -> {});
        }

        @Override
        public void run() {
            by = Thread.currentThread();
            work.run();
            done.countDown();
        }
    }

    @AfterEach
    void close() {
        threads.close();
    }

    /** Has jobs done by the threads, until the queue knows what one takes and is idle. */
    private void known(int jobs) throws InterruptedException {
        for (int i = 0; i < jobs; i++) {
            add(Noted.idle()).done.await();
        }
        while (!queue.isAtRest()) {
            Thread.onSpinWait();
        }
    }

    /** Has a job done here, as soon as short ones are: one that waits for a processor while it runs counts as long. */
    private Noted doneHere(Runnable work) throws InterruptedException {
        while (true) {
            known(SOME);
            var job = new Noted(work);
            if (queue.run(job)) {
                return job;
            }
        }
    }

    private Noted add(Noted job) {
        queue.add(job);
        return job;
    }

    @Test
    void aShortOneIsDoneByWhoWaits() throws InterruptedException {
        Noted job = doneHere(() -> {});
        assertThat(job.by).isSameAs(Thread.currentThread());
        assertThat(queue.isAtRest()).isTrue();
    }

    @Test
    void theFirstIsNotForNobodyKnowsHowLongItTakes() {
        Noted job = Noted.idle();
        assertThat(queue.run(job)).isFalse();
        assertThat(job.by).isNull();
    }

    @Test
    void longOnesAreNot() throws InterruptedException {
        add(new Noted(AwaitedJobsTest::work)).done.await();
        known(0);
        assertThat(queue.run(Noted.idle())).isFalse();
        doneHere(() -> {});
    }

    /** Works for longer than a short job may take. */
    private static void work() {
        long end = System.nanoTime() + LONG_NANOS;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    @Test
    void oneIsNotWhileAnotherWaitsOrRuns() throws InterruptedException {
        List<Boolean> here = new ArrayList<>();
        doneHere(() -> here.add(queue.run(Noted.idle())));
        RunQueue other = threads.queue(10, 1, 1);
        var begun = new CountDownLatch(1);
        var end = new CountDownLatch(1);
        other.add(new Noted(() -> {
            begun.countDown();
            await(end);
        }));
        begun.await();
        here.add(queue.run(Noted.idle()));
        end.countDown();
        assertThat(here).containsExactly(false, false);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void whatComesMeanwhileIsDoneByAThreadAfterwards() throws InterruptedException {
        List<Noted> later = List.of(Noted.idle(), Noted.idle(), Noted.idle());
        RunQueue other = threads.queue(10, 1, 1);
        doneHere(() -> {
            add(later.get(0));
            add(later.get(1));
            other.add(later.get(2));
        });
        for (Noted each : later) {
            each.done.await();
            assertThat(each.by).isNotSameAs(Thread.currentThread());
        }
    }

    @Test
    void noneIsWhereNothingIsDoneAnyMore() throws InterruptedException {
        known(SOME);
        threads.close();
        assertThat(queue.run(Noted.idle())).isFalse();
    }
}
