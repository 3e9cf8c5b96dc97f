package dev.millrace.cli.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.codegen.testing.TestScale;
import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.util.ArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tests that a run in the middle of one enormous node stops soon after it is cancelled.
 * {@code -Dmillrace.cancel.only=simd.*Conv} selects the cases that match,
 * {@code -Dmillrace.cancel.millis=50} sets how soon that is.
 */
@Tag("slow")
class CancelIT {
    private static final @Nullable String ONLY = System.getProperty("millrace.cancel.only");
    private static final int THREADS = Integer.getInteger("millrace.cancel.threads", 1);
    private static final long CANCELLED_AFTER_MILLIS = 100;
    /** The limit in nanoseconds; by default a second, because a build may run on a slow machine beside others. */
    private static final long BOUND_NANOS =
            TimeUnit.MILLISECONDS.toNanos(Integer.getInteger("millrace.cancel.millis", 1000));
    /** The number of late runs after which a case fails, and the number of timely runs that it needs. */
    private static final int LATE = 3;

    private static final int IN_TIME = Integer.getInteger("millrace.cancel.times", 1);

    /** The number of dependent steps, whose time measures how busy the machine is. */
    private static final int SPINS = 10_000_000;

    private static final long SPIN_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    @ParameterizedTest
    @ValueSource(strings = {"cpu", "simd"})
    void aRunStopsInTheMiddleOfAnEnormousNode(String provider) {
        var late = new ArrayList<String>();
        for (String name : Giants.names()) {
            String test = provider + " " + name;
            if (ONLY == null ? TestScale.has(test) : test.matches(ONLY)) {
                String found = late(provider, name);
                if (found != null) {
                    late.add(found);
                }
            }
        }
        assertThat(late).isEmpty();
    }

    private static @Nullable String late(String provider, String name) {
        SessionOptions options = provider.equals("cpu")
                ? SessionOptions.builder().provider("cpu").build()
                : SessionOptions.defaults();
        try (Engine engine =
                        Engine.create(EngineOptions.builder().threads(THREADS).build());
                Session session = engine.session(Giants.model(name), options)) {
            Inputs inputs = RepeatedInputs.of(session.inputs());
            var took = new ArrayList<Long>();
            int late = 0;
            while (late < LATE && took.size() - late < IN_TIME) {
                double load = load();
                long nanos = nanosToStop(session, inputs);
                took.add(TimeUnit.NANOSECONDS.toMicros(nanos));
                late += nanos > BOUND_NANOS * load ? 1 : 0;
            }
            return late == LATE ? provider + ", " + name + ": " + took + " us" : null;
        }
    }

    /** Returns the nanoseconds for which a run goes on after it was cancelled; 0 if it ended before. */
    private static long nanosToStop(Session session, Inputs inputs) {
        var cancellation = new Cancellation();
        var run = new FutureTask<Long>(() -> {
            try {
                session.run(
                                inputs,
                                RunOptions.builder().cancellation(cancellation).build())
                        .close();
            } catch (EngineException e) {
                if (e.status() != Status.CANCELLED) {
                    throw e;
                }
            }
            return System.nanoTime();
        });
        Thread.ofPlatform().start(run);
        try {
            try {
                run.get(CANCELLED_AFTER_MILLIS, TimeUnit.MILLISECONDS);
                return 0;
            } catch (TimeoutException stillRunning) {
                long start = System.nanoTime();
                cancellation.cancel();
                return Math.max(0, run.get() - start);
            }
        } catch (ExecutionException | InterruptedException e) {
            throw new AssertionError(e.getCause());
        }
    }

    /** Returns how many times slower than when idle this machine is now. */
    private static double load() {
        long start = System.nanoTime();
        long value = start;
        for (int i = 0; i < SPINS; i++) {
            value = value * 6364136223846793005L + 1442695040888963407L;
        }
        assertThat(value).isNotEqualTo(start);
        return Math.max(1, (System.nanoTime() - start) / (double) SPIN_NANOS);
    }
}
