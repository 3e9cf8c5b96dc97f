package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import javax.management.ObjectName;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/**
 * Many models for a long time: run, cancelled, closed and opened again from several threads. By default only for some
 * seconds; {@code -Dmillrace.soak.minutes=N} goes on for so long, and then looks at memory, too.
 */
class SoakIT {
    private static final long MINUTES = Long.getLong("millrace.soak.minutes", 0);
    private static final long SHORT_SECONDS = 8;
    private static final int THREADS = Integer.getInteger("millrace.soak.threads", 3);
    /** Threads and descriptors of the JDK's own that come and go. */
    private static final int SLACK = 6;

    /**
     * So long before a third of the time is over, what is held is looked at, while all is still going on: several times,
     * since what counts is not what the models that happen to be open just then hold.
     */
    private static final long SAMPLING = TimeUnit.MILLISECONDS.toNanos(MINUTES > 0 ? 10_000 : 300);

    private static final int LOOKS = MINUTES > 0 ? 9 : 1;
    private static final Duration AT_REST = Duration.ofMillis(300);

    /** An engine is compared with one that was used for a while: compiled code stays with the JVM. */
    private static final long WARM_UP = MINUTES > 0 ? TimeUnit.MINUTES.toNanos(1) : TimeUnit.SECONDS.toNanos(2);

    private final AtomicLong runs = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();

    /** What the process holds. */
    private record Held(long kilobytes, int threads, int descriptors) {
        static Held now() throws IOException {
            long kilobytes = 0;
            int threads = 0;
            for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
                if (line.startsWith("VmRSS:")) {
                    kilobytes = number(line);
                } else if (line.startsWith("Threads:")) {
                    threads = (int) number(line);
                }
            }
            try (var descriptors = Files.list(Path.of("/proc/self/fd"))) {
                return new Held(kilobytes, threads, (int) descriptors.count());
            }
        }

        /**
         * Without garbage, and without what the C library keeps for later: how much of both there is follows from how
         * large the heap is, and how long ago it was collected.
         */
        static Held collected() throws Exception {
            System.gc();
            ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "systemTrimNativeHeap",
                            new Object[0],
                            new String[0]);
            return now();
        }

        /**
         * The least of several looks: the heap gives a part of what it does not need back at each collection, and what a
         * collection has found is unmapped by another thread, later.
         */
        static Held settled(Duration between) throws Exception {
            Held least = collected();
            for (int look = 1; look < LOOKS; look++) {
                LockSupport.parkNanos(between.toNanos());
                least = least.less(collected());
            }
            return least;
        }

        Held less(Held other) {
            return other.kilobytes < kilobytes ? other : this;
        }

        private static long number(String line) {
            return Long.parseLong(line.replaceAll("\\D", ""));
        }
    }

    @Test
    void memoryThreadsAndDescriptorsStayWhatTheyAre() throws Exception {
        Assumptions.assumeTrue(Files.exists(Path.of("/proc/self/status")), "there is no /proc to look at");
        round(WARM_UP);
        Held empty = Held.settled(AT_REST);
        long length = MINUTES > 0 ? TimeUnit.MINUTES.toNanos(MINUTES) : TimeUnit.SECONDS.toNanos(SHORT_SECONDS);
        List<Held> samples = round(length);
        Held end = Held.settled(AT_REST);
        Held third = samples.getFirst();
        Held last = samples.getLast();
        System.out.printf(
                "soak of %d s: %d runs, %d refused or cancelled; empty %s, a third in %s, last %s, closed %s%n",
                TimeUnit.NANOSECONDS.toSeconds(length), runs.get(), refusals.get(), empty, third, last, end);
        assertThat(end.threads).as("threads").isLessThanOrEqualTo(empty.threads + SLACK);
        assertThat(end.descriptors).as("descriptors").isLessThanOrEqualTo(empty.descriptors + SLACK);
        if (MINUTES > 0) {
            assertThat(last.kilobytes).as("resident").isLessThanOrEqualTo((long) (third.kilobytes * 1.05));
            assertThat(end.kilobytes).as("resident when closed").isLessThanOrEqualTo((long) (empty.kilobytes * 1.2));
        }
    }

    /** All models with a new engine, which is closed in the end; what was held when each third of the time was over. */
    private List<Held> round(long nanos) throws Exception {
        long start = System.nanoTime();
        long end = start + nanos;
        var samples = new ArrayList<Held>();
        try (Engine engine = Engine.create(EngineOptions.defaults().withThreads(2))) {
            var users = new ArrayList<Thread>();
            for (int i = 0; i < THREADS; i++) {
                var random = new Random(Fire.SEED + i);
                users.add(Thread.ofPlatform().start(() -> use(engine, random, end)));
            }
            for (int part = 1; part <= 3; part++) {
                long left = start + part * (nanos / 3) - SAMPLING - System.nanoTime();
                users.getFirst().join(Duration.ofNanos(Math.max(0, left)));
                samples.add(Held.settled(Duration.ofNanos(SAMPLING / LOOKS / 2)));
            }
            for (Thread user : users) {
                user.join();
            }
        }
        return samples;
    }

    private void use(Engine engine, Random random, long end) {
        List<byte[]> models = List.copyOf(FireModels.all().values());
        while (System.nanoTime() < end) {
            try (Session session =
                    engine.session(models.get(random.nextInt(models.size())), SessionOptions.defaults())) {
                for (int left = random.nextInt(200); left > 0 && System.nanoTime() < end; left--) {
                    run(session, random);
                }
            }
        }
    }

    private void run(Session session, Random random) {
        Inputs inputs = MadeInputs.of(session.inputs(), random);
        var cancellation = new Cancellation();
        if (random.nextInt(20) == 0) {
            cancellation.cancel();
        }
        try {
            Outputs outputs = session.run(inputs, RunOptions.create().cancelledBy(cancellation));
            runs.incrementAndGet();
            // one in so many is left to the collector
            if (random.nextInt(10) > 0) {
                outputs.close();
            }
        } catch (EngineException e) {
            refusals.incrementAndGet();
        }
    }
}
