package dev.millrace.scheduler.pool;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SpinThenParkTest {
    @Test
    void parksWhenItHasLookedForLongAndGoesOnWhenWoken() throws InterruptedException {
        var wait = new SpinThenPark(TimeUnit.MILLISECONDS.toNanos(1));
        var over = new AtomicBoolean();
        Thread waiting = Thread.ofPlatform().start(() -> {
            wait.reset();
            while (!over.get()) {
                wait.idle();
            }
        });
        while (waiting.getState() != Thread.State.WAITING) {
            Thread.onSpinWait();
        }

        over.set(true);
        LockSupport.unpark(waiting);

        waiting.join();
        assertThat(waiting.isAlive()).isFalse();
    }

    @Test
    void looksAgainForAsLongAsItWasTold() throws InterruptedException {
        var wait = new SpinThenPark(Long.MAX_VALUE);
        Thread looking = Thread.ofPlatform().start(() -> {
            wait.reset();
            wait.idle();
            wait.idle(0);
            wait.idle(1);
        });

        assertThat(looking.join(Duration.ofSeconds(30))).isTrue();
    }
}
