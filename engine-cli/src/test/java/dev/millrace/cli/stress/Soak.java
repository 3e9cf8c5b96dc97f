package dev.millrace.cli.stress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.fire.Fire;
import dev.millrace.cli.fire.FireModels;
import dev.millrace.cli.fire.MadeInputs;
import dev.millrace.graph.EngineException;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A JVM of its own with many models for a long time: run, cancelled, closed and opened again from several threads. Its heap
 * is as large as it ever gets and resident from the start: a collector that makes a heap larger and smaller as it goes moves
 * resident memory by more than a leak would.
 */
final class Soak {
    /** Threads and descriptors of the JDK's own that come and go. */
    private static final int SLACK = 6;

    /** Kilobytes of small blocks that a later collection finds. */
    private static final int SMALL_SLACK = 1024;

    private static final long SHORT_SECONDS = 8;
    private static final Duration AT_REST = Duration.ofMillis(300);

    private final boolean isLong;
    private final int threads;
    private final long length;
    /** So long before a third of the time is over, what is held is looked at, while all is still going on. */
    private final long sampling;

    private final int looks;

    private final AtomicLong runs = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();

    private Soak(long minutes, int threads) {
        this.threads = threads;
        isLong = minutes > 0;
        length = isLong ? TimeUnit.MINUTES.toNanos(minutes) : TimeUnit.SECONDS.toNanos(SHORT_SECONDS);
        sampling = TimeUnit.MILLISECONDS.toNanos(isLong ? 10_000 : 300);
        looks = isLong ? 9 : 1;
    }

    /** @param arguments how many minutes, or 0 for some seconds, after which memory is not looked at, and threads */
    public static void main(String[] arguments) throws Exception {
        new Soak(Long.parseLong(arguments[0]), Integer.parseInt(arguments[1])).go();
    }

    private void go() throws Exception {
        // an engine is compared with one that was used for a while: compiled code stays with the JVM
        round(isLong ? TimeUnit.MINUTES.toNanos(1) : TimeUnit.SECONDS.toNanos(2));
        Held empty = Held.settled(looks, AT_REST);
        List<Held> samples = round(length);
        Held end = Held.settled(looks, AT_REST);
        Held third = samples.getFirst();
        Held last = samples.getLast();
        System.out.printf(
                "soak of %d s: %d runs, %d refused or cancelled%n  empty %s%n  a third in %s%n  last %s%n  closed %s%n",
                TimeUnit.NANOSECONDS.toSeconds(length), runs.get(), refusals.get(), empty, third, last, end);
        assertThat(end.threads()).as("threads").isLessThanOrEqualTo(empty.threads() + SLACK);
        assertThat(end.descriptors()).as("descriptors").isLessThanOrEqualTo(empty.descriptors() + SLACK);
        if (isLong) {
            assertThat(last.kilobytes()).as("resident").isLessThanOrEqualTo((long) (third.kilobytes() * 1.05));
            assertThat(end.kilobytes()).as("resident when closed").isLessThanOrEqualTo((long)
                    (empty.kilobytes() * 1.2));
            assertThat(end.live()).as("objects when closed").isLessThanOrEqualTo((long) (empty.live() * 1.2));
            assertThat(end.small()).as("small blocks when closed").isLessThanOrEqualTo(empty.small() + SMALL_SLACK);
        }
    }

    /** All models with a new engine, which is closed in the end; what was held when each third of the time was over. */
    private List<Held> round(long nanos) throws Exception {
        long start = System.nanoTime();
        long end = start + nanos;
        var samples = new ArrayList<Held>();
        try (Engine engine = Engine.create(EngineOptions.builder().threads(2).build())) {
            var users = new ArrayList<Thread>();
            for (int i = 0; i < threads; i++) {
                var random = new Random(Fire.SEED + i);
                users.add(Thread.ofPlatform().start(() -> use(engine, random, end)));
            }
            for (int part = 1; part <= 3; part++) {
                long left = start + part * (nanos / 3) - sampling - System.nanoTime();
                users.getFirst().join(Duration.ofNanos(Math.max(0, left)));
                samples.add(Held.settled(looks, Duration.ofNanos(sampling / looks / 2)));
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
            Outputs outputs = session.run(
                    inputs, RunOptions.builder().cancellation(cancellation).build());
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
