package dev.millrace.session.stress;

import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.BatchOptions;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunResult;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import dev.millrace.session.TestModels;
import dev.millrace.session.runtime.QueuedRun;
import dev.millrace.session.runtime.QueuedRuns;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import reactor.blockhound.BlockHound;
import reactor.core.publisher.Flux;
import reactor.core.scheduler.NonBlocking;

/**
 * The main class of a process that streams in every way while BlockHound watches its non-blocking threads. It
 * prints each place where one of them blocked, and finally that it has finished. A run itself may wait for its
 * workers; a receiver of its answer may not.
 */
final class WatchedStreams {
    private static final String THREADS = "dev.millrace.session.stream.RunThreads";
    /** The queue of Reactor's own timers, which hold deadlines. */
    private static final String TIMERS = "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue";

    private static final int MANY = 500;
    private static final Set<String> WAITS = ConcurrentHashMap.newKeySet();

    private WatchedStreams() {}

    /** @param arguments {@code planted} for a subscriber that sleeps */
    public static void main(String[] arguments) {
        BlockHound.builder()
                .nonBlockingThreadPredicate(known -> known.or(thread -> thread instanceof NonBlocking))
                .allowBlockingCallsInside(THREADS, "serve")
                .disallowBlockingCallsInside(QueuedRun.class.getName(), "run")
                .allowBlockingCallsInside(QueuedRuns.class.getName(), "run")
                // locks that are held for a moment
                .allowBlockingCallsInside(THREADS, "add")
                .allowBlockingCallsInside(THREADS, "remove")
                .allowBlockingCallsInside(TIMERS, "offer")
                .allowBlockingCallsInside(TIMERS, "remove")
                .blockingMethodCallback(method -> waited(method.toString()))
                .install();
        try (Engine engine = Engine.create(EngineOptions.builder().threads(2).build());
                Session session = engine.session(TestModels.sumAndProduct(), SessionOptions.defaults())) {
            if (arguments.length > 0) {
                session.mono(inputs()).doOnNext(WatchedStreams::sleep).block();
            } else {
                stream(session);
                stream(session.batched(BatchOptions.defaults()));
            }
        }
        WAITS.forEach(System.out::println);
        System.out.println("end");
    }

    private static Inputs inputs() {
        return Inputs.of("a", 1f, 2f).and("b", Tensor.copyOf(new float[] {3, 4}, 2));
    }

    /** Blocks where it is forbidden, to show that BlockHound watches. */
    private static void sleep(Outputs outputs) {
        outputs.close();
        try {
            Thread.sleep(1);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void stream(Inference inference) {
        Flux<Inputs> requests = Flux.range(0, MANY).map(_ -> inputs());
        FluxOptions two = FluxOptions.builder().concurrency(2).prefetch(4).build();
        inference.flux(requests).doOnNext(Outputs::close).blockLast();
        inference
                .flux(requests, two.toBuilder().deadline(Duration.ofMinutes(1)).build())
                .doOnNext(Outputs::close)
                .blockLast();
        inference
                .flux(requests, two.toBuilder().ordered(false).build())
                .doOnNext(Outputs::close)
                .take(MANY / 2)
                .blockLast();
        inference
                .results(Flux.range(0, MANY).map(i -> i % 3 == 0 ? Inputs.empty() : inputs()), two)
                .doOnNext(RunResult::close)
                .blockLast();
        Flux.range(0, MANY)
                .flatMap(_ -> inference.mono(inputs()).doOnNext(Outputs::close), 32)
                .blockLast();
    }

    /**
     * Records a blocking call. One without any of the engine's methods on its stack is that of
     * an idle thread of Reactor.
     */
    private static void waited(String method) {
        List<String> callers = StackWalker.getInstance()
                .walk(frames -> frames.map(StackWalker.StackFrame::toString)
                        .filter(frame -> frame.startsWith("dev.millrace.")
                                && !frame.startsWith(WatchedStreams.class.getName() + ".waited"))
                        .limit(6)
                        .toList());
        if (callers.stream().anyMatch(frame -> !frame.startsWith(WatchedStreams.class.getName()))) {
            WAITS.add(method + " in " + callers);
        }
    }
}
