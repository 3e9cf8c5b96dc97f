package dev.millrace.session.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.management.ThreadMXBean;
import dev.millrace.session.Engine;
import dev.millrace.session.Inputs;
import dev.millrace.session.MiniLm;
import dev.millrace.session.Outputs;
import dev.millrace.session.Session;
import java.io.IOException;
import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One session of a real model under many threads: right answers, and memory that stays as it is. */
@Timeout(900)
class ManyThreadsIT {
    private static final int THREADS = 64;
    private static final int RUNS = 10_000;
    private static final int SENTENCES = 8;
    private static final int TOKENS = 4;

    /** The objects that a caller gets: outputs, a tensor, their arrays. Independent of the model's size. */
    private static final long BYTES_PER_RUN = 2048;

    private static final long KILOBYTES = 64 * 1024;
    /** After the first; what grows for ever grows in all of them. */
    private static final int PHASES = 6;

    /** Without a method compiled for so long, the compiler has nothing left to do. The JVM has no event for that. */
    private static final Duration QUIET = Duration.ofSeconds(2);

    private static final Duration COMPILER_LIMIT = Duration.ofMinutes(1);

    private static final Path STATUS = Path.of("/proc/self/status");

    private final Inputs[] inputs = new Inputs[SENTENCES];
    private final float[][] expected = new float[SENTENCES][];

    @Test
    void answersAreRightAndMemoryDoesNotGrow() throws Exception {
        try (Engine engine = Engine.create();
                Session session = engine.session(MiniLm.file())) {
            for (int i = 0; i < SENTENCES; i++) {
                inputs[i] = MiniLm.inputs(1, TOKENS, i);
                try (Outputs out = session.run(inputs[i])) {
                    expected[i] = out.get(0).floats();
                }
            }
            // the pools fill up to the number of runs in flight
            Phase last = phase(session, RUNS / 2);
            for (int i = 0; i < PHASES && !last.isSteady(); i++) {
                assertThat(last.wrong).isZero();
                awaitCompiler();
                last = phase(session, RUNS);
            }
            assertThat(last.wrong).isZero();
            assertThat(last.allocated / last.runs).isLessThan(BYTES_PER_RUN);
            assumeTrue(Files.exists(STATUS), () -> "resident memory is seen in " + STATUS + " only");
            assertThat(last.grown).isLessThan(KILOBYTES);
        }
    }

    /**
     * Many runs.
     *
     * @param grown what resident memory has gained meanwhile, in kilobytes
     */
    private record Phase(int runs, int wrong, long allocated, long grown) {
        boolean isSteady() {
            return allocated / runs < BYTES_PER_RUN && grown < KILOBYTES;
        }
    }

    private Phase phase(Session session, int runs) throws Exception {
        long resident = residentKilobytes();
        var meter = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        var wrong = new AtomicInteger();
        var allocated = new AtomicLong();
        var start = new CyclicBarrier(THREADS);
        var threads = new Thread[THREADS];
        for (int t = 0; t < THREADS; t++) {
            int share = runs / THREADS + (t < runs % THREADS ? 1 : 0);
            int offset = t;
            threads[t] = Thread.ofPlatform().start(() -> {
                try {
                    start.await();
                } catch (Exception e) {
                    wrong.incrementAndGet();
                    return;
                }
                for (int i = 0; i < share; i++) {
                    int which = (offset + i) % SENTENCES;
                    long before = meter.getCurrentThreadAllocatedBytes();
                    Outputs out = session.run(inputs[which]);
                    long after = meter.getCurrentThreadAllocatedBytes();
                    allocated.addAndGet(after - before);
                    if (!isRight(out, expected[which])) {
                        wrong.incrementAndGet();
                    }
                    out.close();
                }
            });
        }
        for (Thread thread : threads) {
            thread.join();
        }
        var phase = new Phase(runs, wrong.get(), allocated.get(), residentKilobytes() - resident);
        System.out.printf(
                "%d threads, %d runs: %d wrong, %d bytes allocated per run, resident memory %+d KiB%n",
                THREADS, runs, phase.wrong, phase.allocated / runs, phase.grown);
        return phase;
    }

    /**
     * Waits until the compiler has compiled what ran often. It has one thread beside the 64, so on a busy machine it lags behind
     * them, and code that it has not compiled yet allocates objects that compiled code does without.
     */
    private static void awaitCompiler() throws InterruptedException {
        CompilationMXBean compiler = ManagementFactory.getCompilationMXBean();
        long end = System.nanoTime() + COMPILER_LIMIT.toNanos();
        long before = -1;
        for (long now = compiler.getTotalCompilationTime(); now != before && System.nanoTime() < end; ) {
            before = now;
            Thread.sleep(QUIET);
            now = compiler.getTotalCompilationTime();
        }
    }

    private static boolean isRight(Outputs out, float[] expected) {
        float[] got = out.get(0).floats();
        for (int i = 0; i < expected.length; i++) {
            if (got[i] != expected[i]) {
                return false;
            }
        }
        return got.length == expected.length;
    }

    /** The memory that the system sees, after a collection; 0 where it does not tell. */
    private static long residentKilobytes() throws IOException {
        if (!Files.exists(STATUS)) {
            return 0;
        }
        System.gc();
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .findFirst()
                .orElse(0);
    }
}
