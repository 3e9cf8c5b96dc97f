package dev.millrace.codegen.code;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class BackgroundExecutorTest {
    private final BackgroundExecutor beside = new BackgroundExecutor("beside-test");

    @Test
    void piecesAreDoneInTheirOrderOnAnotherThread() throws InterruptedException {
        List<Integer> done = Collections.synchronizedList(new ArrayList<>());
        var thread = new AtomicReference<Thread>();
        var end = new CountDownLatch(1);
        for (int i = 0; i < 100; i++) {
            int number = i;
            beside.add(() -> done.add(number));
        }
        beside.add(() -> {
            thread.set(Thread.currentThread());
            end.countDown();
        });
        assertTrue(end.await(10, TimeUnit.SECONDS));
        assertEquals(100, done.size());
        assertEquals(done.stream().sorted().toList(), done);
        assertNotSame(Thread.currentThread(), thread.get());
    }

    @Test
    void onePieceThatFailsLeavesTheOthers() throws InterruptedException {
        var end = new CountDownLatch(1);
        beside.add(() -> {
            throw new IllegalStateException("a piece that fails");
        });
        beside.add(end::countDown);
        assertTrue(end.await(10, TimeUnit.SECONDS));
    }

    @Test
    void theThreadGoesWhenThereIsNothingToDoAndComesBack() throws InterruptedException {
        for (int round = 0; round < 2; round++) {
            var thread = new AtomicReference<Thread>();
            var end = new CountDownLatch(1);
            beside.add(() -> {
                thread.set(Thread.currentThread());
                end.countDown();
            });
            assertTrue(end.await(10, TimeUnit.SECONDS));
            Thread worker = thread.get();
            worker.join(TimeUnit.SECONDS.toMillis(10));
            assertFalse(worker.isAlive(), "it lingers");
        }
    }
}
