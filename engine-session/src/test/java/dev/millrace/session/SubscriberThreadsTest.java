package dev.millrace.session;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.NonBlocking;

/** Subscribers and their functions run where runs do, on threads that wait for nobody, and never on the engine's workers. */
class SubscriberThreadsTest {
    private static final int WIDTH = 256;
    private static final int ROWS = 64;
    private static final int MANY = 40;
    private static final long PAUSE_NANOS = 1_000_000;
    private static final String WORKER = "millrace-worker-";

    private final Set<Thread> seen = ConcurrentHashMap.newKeySet();
    private final Engine engine =
            Engine.create(EngineOptions.builder().threads(4).build());
    private final Session session = engine.session(
            TestModels.perceptron(3, WIDTH, 5),
            SessionOptions.builder().threads(4).build());

    @BeforeEach
    void workersTakePart() {
        session.run(inputs()).close();
        assertThat(Thread.getAllStackTraces().keySet())
                .extracting(Thread::getName)
                .anyMatch(SubscriberThreadsTest::isWorker);
    }

    @AfterEach
    void close() {
        session.close();
        engine.close();
    }

    private static boolean isWorker(String name) {
        return name.startsWith(WORKER);
    }

    private static Inputs inputs() {
        float[] x = new float[ROWS * WIDTH];
        Arrays.fill(x, 0.25f);
        return Inputs.of("x", Tensor.copyOf(x, ROWS, WIDTH));
    }

    private Inputs asked(int index) {
        seen.add(Thread.currentThread());
        return inputs();
    }

    private int told(Outputs outputs) {
        seen.add(Thread.currentThread());
        outputs.close();
        return 1;
    }

    private void noneIsAWorker() {
        assertThat(seen).isNotEmpty().extracting(Thread::getName).noneMatch(SubscriberThreadsTest::isWorker);
        assertThat(seen)
                .allMatch(thread -> thread instanceof NonBlocking || thread.equals(Thread.currentThread()))
                .anyMatch(NonBlocking.class::isInstance);
    }

    @Test
    void answersOfAFluxComeOnRunThreads() {
        FluxOptions three = FluxOptions.builder().concurrency(3).build();
        for (FluxOptions each :
                new FluxOptions[] {three, three.toBuilder().ordered(false).build()}) {
            assertThat(session.flux(Flux.range(0, MANY).map(this::asked), each)
                            .map(this::told)
                            .reduce(0, Integer::sum)
                            .block())
                    .isEqualTo(MANY);
        }
        noneIsAWorker();
    }

    @Test
    void answersOfAMonoAndOfResultsComeOnRunThreads() {
        Flux.range(0, MANY)
                .flatMap(i -> session.mono(asked(i)).map(this::told), 4)
                .blockLast();
        session.results(Flux.range(0, MANY).map(this::asked))
                .doOnNext(_ -> seen.add(Thread.currentThread()))
                .doOnNext(RunResult::close)
                .blockLast();
        noneIsAWorker();
    }

    @Test
    void batchesPipelinesAndTasksOfTheSchedulerKeepToThem() {
        Inference batched = session.batched(BatchOptions.defaults());
        Flux.range(0, MANY)
                .flatMap(i -> batched.mono(asked(i)).map(this::told), 16)
                .blockLast();
        session.then(session, outputs -> {
                    seen.add(Thread.currentThread());
                    return Inputs.of("x", outputs.get(0));
                })
                .flux(Flux.range(0, MANY).map(this::asked))
                .map(this::told)
                .blockLast();
        Mono.fromCallable(() -> seen.add(Thread.currentThread()))
                .subscribeOn(engine.scheduler())
                .block();
        noneIsAWorker();
    }

    @Test
    void whoBlocksOnAMonoRunsItWhereRunsAreShort() {
        try (Session small = engine.session(TestModels.perceptron(1, 8, 1), SessionOptions.defaults());
                Session batched = engine.session(TestModels.perceptron(1, 8, 1), SessionOptions.defaults())) {
            Inputs row = Inputs.of("x", Tensor.copyOf(new float[8], 1, 8));
            Inference batches = batched.batched(BatchOptions.defaults());
            for (Inference each : List.of(small, batches)) {
                // the first ones, which prepare for the shape, are long
                for (int i = 0; i < MANY; i++) {
                    requireNonNull(each.mono(row).block(Duration.ofSeconds(20))).close();
                }
                // the thread of the last one may yet be at its end, and then does the next one
                assertThat(Stream.generate(() -> {
                                    LockSupport.parkNanos(PAUSE_NANOS);
                                    return threadOf(each.mono(row, noted()));
                                })
                                .limit(MANY))
                        .contains(Thread.currentThread());
                assertThat(threadOf(each.mono(row, noted()).hide())).isInstanceOf(NonBlocking.class);
            }
        }
    }

    private RunOptions noted() {
        seen.clear();
        return RunOptions.builder()
                .listener(new RunListener() {
                    @Override
                    public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
                        // nothing to hear
                    }

                    @Override
                    public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
                        seen.add(Thread.currentThread());
                    }
                })
                .build();
    }

    private Thread threadOf(Mono<Outputs> mono) {
        requireNonNull(mono.block()).close();
        return seen.iterator().next();
    }

    @Test
    void whoWaitsOnARunThreadIsToldAtOnce() {
        Mono<Integer> waiting = session.mono(inputs())
                .map(outputs -> told(outputs)
                        + told(requireNonNull(session.mono(inputs()).block())));
        assertThatThrownBy(() -> waiting.block(Duration.ofSeconds(20)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("blocking")
                .hasMessageContaining("millrace-run-");
        assertThatThrownBy(() -> Flux.just(1)
                        .publishOn(engine.scheduler())
                        .map(_ -> told(
                                requireNonNull(session.flux(Flux.just(inputs())).blockLast())))
                        .blockLast(Duration.ofSeconds(20)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("millrace-run-");
    }
}
