package dev.millrace.scheduler.pool;

import static dev.millrace.scheduler.pool.WorkerPoolTest.threadsOf;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Parked workers are woken only for enough work to pay for it. */
@Timeout(60)
class WokenWorkersTest {
    /** No parked worker joins a loop that ends before it could wake up; only workers that are awake already do. */
    @Test
    void noWorkerIsWokenForALoopThatIsSoonDone() {
        try (var pool = new WorkerPool(1)) {
            assertThat(threadsOf(pool, new ParallelJob(), 5_000)).containsExactly(Thread.currentThread());
            assertThat(threadsOf(pool, new ParallelJob(), 100_000)).hasSize(2);
            boolean came = false;
            for (int i = 0; i < 1000 && !came; i++) {
                threadsOf(pool, new ParallelJob(), 100_000);
                came = threadsOf(pool, new ParallelJob(), 5_000).size() == 2;
            }
            assertThat(came).isTrue();
        }
    }

    @Test
    void aWorkerIsWokenForManyLoopsThatAreSoonDone() {
        try (var pool = new WorkerPool(1)) {
            var job = new ParallelJob();
            int alone = 0;
            while (threadsOf(pool, job, 30_000).size() == 1) {
                alone++;
                // so that no worker is still awake
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            }
            assertThat(alone).isEqualTo(3);
        }
    }

    @Test
    void manyWorkersAreWokenAgainAndAgain() {
        try (var pool = new WorkerPool(12)) {
            for (int round = 0; round < 5; round++) {
                meet(pool, 13);
                // all workers are parked after this time
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            }
        }
    }

    /** No wake-up is lost when a worker that was counted as awake parks before the loop is published. */
    @Test
    void workersThatFallAsleepMeanwhileComeAsWell() {
        try (var pool = new WorkerPool(3)) {
            for (int round = 0; round < 4000; round++) {
                meet(pool, 4);
                // workers park after 50 microseconds
                long until = System.nanoTime() + 30_000 + 10 * (round % 4000);
                while (System.nanoTime() < until) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    /** Runs a loop that ends when {@code threads} threads have joined it. */
    private static void meet(WorkerPool pool, int threads) {
        var all = ConcurrentHashMap.newKeySet();
        var there = new CountDownLatch(threads);
        pool.parallelFor(
                new ParallelJob(),
                threads,
                threads,
                1,
                (from, to, mine) -> {
                    all.add(Thread.currentThread());
                    there.countDown();
                    await(there);
                },
                Long.MAX_VALUE,
                new Scratch());
        assertThat(all).hasSize(threads);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
