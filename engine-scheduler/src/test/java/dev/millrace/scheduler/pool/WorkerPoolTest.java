package dev.millrace.scheduler.pool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class WorkerPoolTest {
    /** Returns a loop that calls {@code check} where a loop looks at cancellation. */
    private static LoopBody checking(Runnable check, LoopBody body) {
        return new LoopBody() {
            @Override
            public void run(long from, long to, Scratch scratch) {
                body.run(from, to, scratch);
            }

            @Override
            public void checkCancelled() {
                check.run();
            }
        };
    }

    @Test
    void everyItemIsDoneOnceHoweverManyCallersThereAre() throws InterruptedException {
        try (var pool = new WorkerPool(3)) {
            int callers = 16;
            var failures = new AtomicInteger();
            var threads = new Thread[callers];
            for (int c = 0; c < callers; c++) {
                threads[c] = Thread.ofPlatform().start(() -> {
                    var job = new ParallelJob();
                    var scratch = new Scratch();
                    for (int round = 0; round < 500; round++) {
                        int items = 1 + round % 97;
                        var seen = new AtomicIntegerArray(items);
                        pool.parallelFor(
                                job,
                                4,
                                items,
                                1,
                                (from, to, mine) -> {
                                    for (long i = from; i < to; i++) {
                                        seen.incrementAndGet((int) i);
                                    }
                                },
                                Long.MAX_VALUE,
                                scratch);
                        for (int i = 0; i < items; i++) {
                            if (seen.get(i) != 1) {
                                failures.incrementAndGet();
                            }
                        }
                    }
                });
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(failures).hasValue(0);
        }
    }

    private static Set<Thread> threadsOf(WorkerPool pool) {
        return threadsOf(pool, new ParallelJob(), Long.MAX_VALUE);
    }

    /**
     * Returns the threads that take part in a loop of 64 items of a millisecond each, with {@code nanos} as its
     * estimated time.
     */
    static Set<Thread> threadsOf(WorkerPool pool, ParallelJob job, long nanos) {
        Set<Thread> seen = ConcurrentHashMap.newKeySet();
        pool.parallelFor(
                job,
                2,
                64,
                1,
                (from, to, mine) -> {
                    seen.add(Thread.currentThread());
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
                },
                nanos,
                new Scratch());
        return seen;
    }

    @Test
    void aRunThatHasAProcessorOfItsOwnTakesItFromTheHelpersOfOthers() {
        try (var pool = new WorkerPool(1)) {
            pool.runBegins();
            assertThat(threadsOf(pool)).hasSize(2);
            pool.runBegins();
            assertThat(threadsOf(pool)).containsExactly(Thread.currentThread());
            pool.runEnds();
            assertThat(threadsOf(pool)).hasSize(2);
        }
    }

    @Test
    void whoIsToldOfAnAnswerHasAProcessorUnlessItTakesLong() {
        try (var pool = new WorkerPool(1)) {
            pool.runBegins();
            boolean counted = false;
            // a thread may lose its processor for longer than that counts
            for (int i = 0; i < 100 && !counted; i++) {
                pool.tellBegins();
                counted = threadsOf(pool).equals(Set.of(Thread.currentThread()));
                pool.tellEnds();
            }
            assertThat(counted).isTrue();
            pool.tellBegins();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
            assertThat(threadsOf(pool)).hasSize(2);
            pool.tellEnds();
        }
    }

    @Test
    void whatATaskThrowsReachesTheCallerAndThePoolGoesOn() {
        try (var pool = new WorkerPool(2)) {
            var job = new ParallelJob();
            var scratch = new Scratch();
            for (int round = 0; round < 100; round++) {
                assertThatThrownBy(() -> pool.parallelFor(
                                job,
                                3,
                                64,
                                1,
                                (from, to, mine) -> {
                                    if (from >= 32) {
                                        throw new IllegalStateException("planted");
                                    }
                                },
                                Long.MAX_VALUE,
                                scratch))
                        .hasMessage("planted");
            }
            var done = new AtomicInteger();
            pool.parallelFor(
                    job, 3, 64, 1, (from, to, mine) -> done.addAndGet((int) (to - from)), Long.MAX_VALUE, scratch);
            assertThat(done).hasValue(64);
        }
    }

    @Test
    void aPoolWithoutWorkersRunsEverythingOnItsCaller() {
        try (var pool = new WorkerPool(0)) {
            var thread = new Thread[1];
            pool.parallelFor(
                    new ParallelJob(),
                    8,
                    100,
                    1,
                    (from, to, mine) -> thread[0] = Thread.currentThread(),
                    Long.MAX_VALUE,
                    new Scratch());
            assertThat(thread[0]).isSameAs(Thread.currentThread());
            var executed = new Thread[1];
            pool.execute(() -> executed[0] = Thread.currentThread());
            assertThat(executed[0]).isSameAs(Thread.currentThread());
        }
    }

    @Test
    void aLoopOfOneThreadIsLeftLongBeforeItsEndWhenTheRunIsCancelled() {
        try (var pool = new WorkerPool(0)) {
            var done = new AtomicLong();
            LoopBody task = checking(
                    () -> {
                        throw new IllegalStateException("cancelled");
                    },
                    (from, to, mine) -> done.addAndGet(to - from));
            assertThatThrownBy(() ->
                            pool.parallelFor(new ParallelJob(), 1, 1L << 40, 8, task, Long.MAX_VALUE, new Scratch()))
                    .hasMessage("cancelled");
            assertThat(done).hasValueLessThan(1L << 20);
        }
    }

    @Test
    void everyItemIsDoneOnceWhereCancellationIsLookedAtInBetween() {
        try (var pool = new WorkerPool(0)) {
            var looks = new AtomicInteger();
            var next = new long[1];
            LoopBody task = checking(looks::incrementAndGet, (from, to, mine) -> {
                assertThat(from).isEqualTo(next[0]);
                next[0] = to;
            });
            for (long items : new long[] {1, 31, 32, 33, 1000, Integer.MAX_VALUE + 7L, Long.MAX_VALUE}) {
                next[0] = 0;
                looks.set(0);
                pool.parallelFor(new ParallelJob(), 1, items, 8, task, Long.MAX_VALUE, new Scratch());
                assertThat(next[0]).isEqualTo(items);
                assertThat(looks.get() > 0).isEqualTo(items > 32);
            }
        }
    }

    @Test
    void tasksRunOnWorkers() throws InterruptedException {
        try (var pool = new WorkerPool(1)) {
            var latch = new CountDownLatch(1000);
            for (int i = 0; i < 1000; i++) {
                pool.execute(latch::countDown);
            }
            assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void idleWorkersUseNoProcessor() throws InterruptedException {
        try (var pool = new WorkerPool(1)) {
            var worker = new Thread[1];
            var started = new CountDownLatch(1);
            pool.execute(() -> {
                worker[0] = Thread.currentThread();
                started.countDown();
            });
            assertThat(started.await(30, TimeUnit.SECONDS)).isTrue();
            assertParksWithoutWork(worker[0]);
            worker[0].interrupt();
            assertParksWithoutWork(worker[0]);
            var done = new CountDownLatch(1);
            pool.execute(done::countDown);
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void assertParksWithoutWork(Thread worker) {
        while (worker.getState() == Thread.State.RUNNABLE) {
            Thread.onSpinWait();
        }
        var threads = ManagementFactory.getThreadMXBean();
        long before = threads.getThreadCpuTime(worker.threadId());
        long end = System.nanoTime() + 300_000_000L;
        while (System.nanoTime() < end) {
            Thread.yield();
        }
        assertThat(threads.getThreadCpuTime(worker.threadId()) - before).isLessThan(20_000_000L);
    }

    @Test
    void aWorkerOutlivesWhatItsTasksThrow() throws InterruptedException {
        try (var pool = new WorkerPool(1)) {
            var heard = new CountDownLatch(1);
            pool.execute(() -> {
                Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> heard.countDown());
                throw new AssertionError("planted");
            });
            assertThat(heard.await(30, TimeUnit.SECONDS)).isTrue();
            var done = new CountDownLatch(1);
            pool.execute(done::countDown);
            assertThat(done.await(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Test
    void aCallerThatIsInterruptedWaitsAndKeepsItsFlag() {
        try (var pool = new WorkerPool(1)) {
            Thread.currentThread().interrupt();
            var done = new AtomicInteger();
            pool.parallelFor(
                    new ParallelJob(),
                    2,
                    64,
                    1,
                    (from, to, mine) -> done.addAndGet((int) (to - from)),
                    Long.MAX_VALUE,
                    new Scratch());
            assertThat(done).hasValue(64);
            assertThat(Thread.interrupted()).isTrue();
        }
    }

    @Test
    void aLargeArrayOfAWorkerIsDroppedWhileThePoolGoesOnWithSmallWork() {
        long keepNanos = TimeUnit.MILLISECONDS.toNanos(200);
        try (var pool = new WorkerPool(1, keepNanos)) {
            var job = new ParallelJob();
            var own = new Scratch();
            var large = new AtomicReference<WeakReference<float[]>>();
            Thread caller = Thread.currentThread();
            while (large.get() == null) {
                pool.parallelFor(job, 2, 8, 1, (_, _, scratch) -> keepOf(large, caller, scratch), 1L << 40, own);
            }
            long begun = System.nanoTime();
            while (!large.get().refersTo(null)) {
                long next = System.nanoTime() + keepNanos / 4;
                pool.parallelFor(job, 2, 8, 1, (_, _, scratch) -> scratch.floats(0, 16), 1L << 40, own);
                LockSupport.parkNanos(next - System.nanoTime());
                System.gc();
                assertThat(System.nanoTime() - begun).isLessThan(TimeUnit.SECONDS.toNanos(30));
            }
        }
    }

    @Test
    void aLargeArrayOfAWorkerIsDroppedBetweenTwoPiecesOfWorkThatFollowEachOther() throws Exception {
        try (var pool = new WorkerPool(1, 1)) {
            var large = new AtomicReference<WeakReference<float[]>>();
            var isDropped = new CompletableFuture<Boolean>();
            Thread caller = Thread.currentThread();
            LoopBody body = (_, _, scratch) -> {
                keepOf(large, caller, scratch);
                if (!Thread.currentThread().equals(caller)) {
                    // the worker finds them when its part of the loop is done, and so never rests
                    pool.execute(() -> {});
                    pool.execute(() -> {});
                    pool.execute(() -> {
                        System.gc();
                        isDropped.complete(large.get().refersTo(null));
                    });
                }
            };
            while (large.get() == null) {
                pool.parallelFor(new ParallelJob(), 2, 2, 1, body, 1L << 40, new Scratch());
            }
            assertThat(isDropped.get(30, TimeUnit.SECONDS)).isTrue();
        }
    }

    private static void keepOf(AtomicReference<WeakReference<float[]>> large, Thread caller, Scratch scratch) {
        if (!Thread.currentThread().equals(caller)) {
            large.set(new WeakReference<>(scratch.floats(0, 1 << 20)));
        }
        // both threads get a share
        LockSupport.parkNanos(1_000_000);
    }
}
