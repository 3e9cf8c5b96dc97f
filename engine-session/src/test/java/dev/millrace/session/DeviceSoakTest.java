package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.optimise.Optimiser;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.providers.testkit.device.ThreadedFactory;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;

/**
 * Tests many runs over two devices, of which some fail, some are cancelled, some are late, and whose sessions are closed in
 * between: each ends once, with the right answer or the right failure, and nothing is left.
 */
@Timeout(900)
class DeviceSoakTest {
    private static final int RUNS = Integer.getInteger("millrace.devices.soak", 3000);
    private static final int WIDTH = 8;
    private static final int AT_A_TIME = 64;
    private static final int RUNS_OF_A_SESSION = 500;
    private static final Set<Status> EXPECTED = EnumSet.of(Status.EP_FAIL, Status.CANCELLED, Status.DEADLINE_EXCEEDED);

    private final Random random = new Random(1);
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger failed = new AtomicInteger();
    private final AtomicInteger wrong = new AtomicInteger();

    @Test
    void everyRunEndsOnceAndLeavesNothing() throws InterruptedException {
        var one = new ThreadedFactory("one", 0, "MatMul");
        var two = new ThreadedFactory("two", 0, "Relu");
        int cancelled = 0;
        try (Engine engine = TestEngines.with(
                List.of(one, two), EngineOptions.builder().threads(2).build())) {
            float[] expected = expected(engine);
            int threads = 0;
            for (int done = 0; done < RUNS; done += RUNS_OF_A_SESSION) {
                one.device().failOneIn(0);
                try (Session session = session(engine, "one", "two")) {
                    one.device().failOneIn(997);
                    cancelled += runs(session, expected);
                }
                assertThat(one.device().openStreams() + two.device().openStreams())
                        .isLessThanOrEqualTo(10);
                if (done == 0) {
                    threads = Thread.activeCount();
                }
                assertThat(Thread.activeCount()).isLessThanOrEqualTo(threads + 4);
            }
        }
        assertThat(wrong).hasValue(0);
        assertThat(answered.get() + failed.get()).isGreaterThanOrEqualTo(RUNS - cancelled);
        assertThat(failed).hasPositiveValue();
        assertThat(one.device().openStreams() + two.device().openStreams()).isZero();
        assertThat(one.device().usedBytes() + two.device().usedBytes()).isZero();
    }

    private static Session session(Engine engine, String... providers) {
        var options = SessionOptions.builder()
                .optimiser(Optimiser.Options.builder().level(Level.DISABLED).build());
        for (String provider : providers) {
            options.provider(provider);
        }
        return engine.session(
                TestModels.perceptron(3, WIDTH, 2), options.provider("cpu").build());
    }

    private static float[] expected(Engine engine) {
        try (Session session = session(engine)) {
            return TestModels.answer(session, WIDTH);
        }
    }

    /** Runs a session many times, and returns how many runs were cancelled. */
    private int runs(Session session, float[] expected) throws InterruptedException {
        var places = new Semaphore(AT_A_TIME);
        var left = new CountDownLatch(RUNS_OF_A_SESSION);
        int cancelled = 0;
        for (int i = 0; i < RUNS_OF_A_SESSION; i++) {
            places.acquire();
            var options = RunOptions.builder();
            if (random.nextInt(10) == 0) {
                options.deadline(Instant.now().plus(Duration.ofNanos(random.nextInt(2_000_000))));
            }
            Disposable run = session.mono(Inputs.of("x", TestModels.halves(WIDTH)), options.build())
                    .doFinally(end -> {
                        places.release();
                        left.countDown();
                    })
                    .subscribe(outputs -> answer(outputs, expected), this::fail);
            if (random.nextInt(10) == 0) {
                run.dispose();
                cancelled++;
            }
        }
        assertThat(left.await(5, TimeUnit.MINUTES)).isTrue();
        return cancelled;
    }

    private void answer(Outputs outputs, float[] expected) {
        try (outputs) {
            answered.incrementAndGet();
            if (!Arrays.equals(outputs.get(0).floats(), expected)) {
                wrong.incrementAndGet();
            }
        }
    }

    private void fail(Throwable failure) {
        failed.incrementAndGet();
        if (!(failure instanceof EngineException known) || !EXPECTED.contains(known.status())) {
            wrong.incrementAndGet();
        }
    }
}
