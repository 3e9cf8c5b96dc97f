package dev.millrace.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.memory.Blocks;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Sessions that are closed at all sorts of times and places. */
@Timeout(60)
class ClosingTest {
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(1).build());

    @AfterEach
    void closeEngine() {
        engine.close();
    }

    private Session session() {
        return engine.session(TestModels.sumAndProduct(), SessionOptions.defaults());
    }

    private static Inputs inputs() {
        return Inputs.of("a", 1f).and("b", Tensor.copyOf(new float[] {1}, 1));
    }

    /** Does something at the end of every step and run. */
    private record Each(Runnable action) implements RunListener {
        @Override
        public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
            action.run();
        }

        @Override
        public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
            action.run();
        }
    }

    private static void assertRefuses(Session session) {
        assertThatThrownBy(() -> session.run(inputs()))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void aListenerMayCloseTheSessionThatItHears() {
        Session session = session();
        var closes = RunOptions.builder().listener(new Each(session::close)).build();
        try (Outputs out = session.run(inputs(), closes)) {
            assertThat(out.get("sum").floats()).containsExactly(2);
        }
        session.close();
        assertRefuses(session);
    }

    @Test
    void aListenerMayCloseTheEngine() {
        try (Session session = session()) {
            session.run(
                            inputs(),
                            RunOptions.builder()
                                    .listener(new Each(engine::close))
                                    .build())
                    .close();
            session.run(inputs()).close();
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void answersMayCloseTheirSessionWhileOthersWaitForTheSameThread() {
        Session session = session();
        List<Mono<Outputs>> monos = new ArrayList<>();
        var accepted = new CountDownLatch(1);
        for (int i = 0; i < 20; i++) {
            monos.add(session.mono(inputs()).doOnNext(outputs -> {
                await(accepted);
                session.close();
            }));
        }
        var answers = Flux.merge(Flux.fromIterable(monos), 20)
                .doOnNext(Outputs::close)
                .count()
                .toFuture();
        accepted.countDown();
        assertThat(answers.join()).isEqualTo(20);
        assertRefuses(session);
    }

    @Test
    void closingLetsFinishWhatWasAccepted() {
        Session session = session();
        var answered = new AtomicInteger();
        var subscriptions = new ArrayList<Disposable>();
        for (int i = 0; i < 50; i++) {
            subscriptions.add(session.mono(inputs()).subscribe(outputs -> {
                outputs.close();
                answered.incrementAndGet();
            }));
        }
        session.close();
        // the last answer may still be on its way out
        while (!subscriptions.stream().allMatch(Disposable::isDisposed)) {
            Thread.onSpinWait();
        }
        assertThat(answered).hasValue(50);
    }

    @Test
    void aListenerThatThrowsFailsNoRun() throws InterruptedException {
        var heard = new AtomicInteger();
        var thrown = new AtomicInteger();
        try (Session session = session()) {
            var planted = RunOptions.builder()
                    .listener(new Each(() -> {
                        heard.incrementAndGet();
                        throw new AssertionError("planted");
                    }))
                    .build();
            Thread runner = Thread.ofPlatform()
                    .uncaughtExceptionHandler((thread, failure) -> thrown.incrementAndGet())
                    .start(() -> session.run(inputs(), planted).close());
            runner.join();
            assertThat(heard).hasValueGreaterThan(1);
            assertThat(thrown).hasValue(1);
        }
    }

    @Test
    void everyCloserWaitsInterruptedOrNotAndWithoutSpinning() throws InterruptedException {
        Session session = engine.session(TestModels.loop(), SessionOptions.defaults());
        var cancellation = new Cancellation();
        var status = new AtomicReference<Status>();
        var running = new CountDownLatch(1);
        var options = RunOptions.builder()
                .cancellation(cancellation)
                .listener(new Each(running::countDown))
                .build();
        Thread runner = Thread.ofPlatform().start(() -> {
            try {
                session.run(SessionTest.forever(), options);
            } catch (EngineException e) {
                status.set(e.status());
            }
        });
        running.await();
        var flags = new AtomicInteger();
        var closers = new ArrayList<Thread>();
        for (int i = 0; i < 2; i++) {
            closers.add(Thread.ofPlatform().start(() -> {
                Thread.currentThread().interrupt();
                session.close();
                flags.addAndGet(Thread.interrupted() ? 1 : 0);
            }));
        }
        for (Thread closer : closers) {
            while (closer.getState() != Thread.State.WAITING) {
                assertThat(closer.isAlive()).isTrue();
                Thread.onSpinWait();
            }
        }
        cancellation.cancel();
        for (Thread closer : closers) {
            closer.join();
        }
        runner.join();
        assertThat(status).hasValue(Status.CANCELLED);
        assertThat(flags).hasValue(2);
    }

    @Test
    void aClosedSessionHoldsNoMemoryAndHasNoPlan() {
        int length = 4 << 20;
        Session session = engine.session(
                TestModels.sumAndProduct(),
                SessionOptions.builder().provider("cpu").build());
        long before = held();
        session.run(large(length)).close();
        assertThat(held() - before).isGreaterThan(2L * 4 * length);
        session.close();
        do {
            System.gc();
        } while (held() - before >= length);
        assertThatThrownBy(session::stretches).hasMessageContaining("closed");
        assertRefuses(session);
    }

    private static Inputs large(int length) {
        float[] ones = new float[length];
        return Inputs.of("a", ones).and("b", Tensor.copyOf(ones, length));
    }

    /** Native memory, the JDK's and that in pages of its own. */
    private static long held() {
        return Blocks.mapped()
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .filter(pool -> pool.getName().equals("direct"))
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }
}
