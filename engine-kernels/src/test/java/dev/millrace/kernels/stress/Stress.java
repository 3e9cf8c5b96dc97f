package dev.millrace.kernels.stress;

import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.kernels.expression.Elementwise;
import dev.millrace.kernels.expression.Expr;
import dev.millrace.kernels.gemm.Gemm;
import dev.millrace.kernels.gemm.GemmProduct;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Two threads emit kernels and free them, two others run them meanwhile, also those that are about to be freed. A
 * process of its own: {@code main(seconds)} ends with status 0 if all results were right and nothing grew.
 */
public final class Stress {
    private static final int COUNT = 1000;
    private static final int SIDE = 24;
    private static final int KERNELS_AT_ONCE = 25;
    private static final long HEAP_SLACK = 32 << 20;
    /** Kernels that live long may still be emitted; a page lost each time would be more. */
    private static final long CODE_SLACK = 64 << 10;

    private final long end;
    private final AtomicReference<@Nullable Expiring> newest = new AtomicReference<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final AtomicLong emitted = new AtomicLong();
    private final AtomicLong runs = new AtomicLong();
    private final AtomicLong late = new AtomicLong();

    /** A kernel that adds a number, until its code is freed. */
    private record Expiring(Elementwise elementwise, float number) {}

    private Stress(long nanos) {
        end = System.nanoTime() + nanos;
    }

    public static void main(String[] arguments) throws InterruptedException {
        long seconds = Long.parseLong(arguments[0]);
        new Stress(1_000_000_000).run();
        long heap = usedHeap();
        long code = executableBytes();
        Stress stress = new Stress(seconds * 1_000_000_000);
        stress.run();
        long heapGrowth = usedHeap() - heap;
        long codeGrowth = executableBytes() - code;
        System.out.printf(
                "%d kernels emitted, %d runs, %d calls of freed kernels refused, heap grew by %d KB, code by %d KB%n",
                stress.emitted.get(), stress.runs.get(), stress.late.get(), heapGrowth >> 10, codeGrowth >> 10);
        boolean used = stress.emitted.get() > 0 && stress.runs.get() > 0;
        System.exit(used && heapGrowth < HEAP_SLACK && codeGrowth < CODE_SLACK ? 0 : 1);
    }

    private static long usedHeap() {
        System.gc();
        return Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
    }

    /** Memory that may be executed and belongs to no file and not to the JVM, whose own code stays writable. */
    private static long executableBytes() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps"))) {
            return lines.filter(line -> line.contains(" r-xp ") && line.strip().endsWith(" 0"))
                    .mapToLong(Stress::size)
                    .sum();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long size(String line) {
        String[] range = line.substring(0, line.indexOf(' ')).split("-");
        return Long.parseUnsignedLong(range[1], 16) - Long.parseUnsignedLong(range[0], 16);
    }

    private void run() throws InterruptedException {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            Random random = new Random(i);
            threads.add(Thread.ofPlatform().start(() -> repeat(() -> emitAndFree(random))));
        }
        for (int i = 0; i < 2; i++) {
            Runner runner = new Runner();
            threads.add(Thread.ofPlatform().start(() -> repeat(runner::run)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        Throwable seen = failure.get();
        if (seen != null) {
            throw new AssertionError(seen);
        }
    }

    private void repeat(Runnable step) {
        try {
            while (System.nanoTime() < end && failure.get() == null) {
                step.run();
            }
        } catch (RuntimeException | Error thrown) {
            failure.compareAndSet(null, thrown);
        }
    }

    private void emitAndFree(Random random) {
        Kernels kernels = Kernels.open(System::getProperty);
        for (int i = 0; i < KERNELS_AT_ONCE; i++) {
            float number = random.nextInt(1000);
            Expr expression = Expr.input(0).plus(Expr.number(number));
            newest.set(new Expiring(kernels.elementwise(expression), number));
            emitted.incrementAndGet();
        }
        while (!freed(kernels)) {
            Thread.onSpinWait();
        }
    }

    /** Code that is running is not freed. */
    private static boolean freed(Kernels kernels) {
        try {
            kernels.close();
            return true;
        } catch (IllegalStateException running) {
            return false;
        }
    }

    /** Runs kernels that live long, and the newest of those that do not. */
    private final class Runner {
        private final Arena arena = Arena.ofAuto();
        private final MemorySegment in = arena.allocate(4L * COUNT, 64);
        private final MemorySegment out = arena.allocate(4L * COUNT, 64);
        private final MemorySegment square = arena.allocate(4L * SIDE * SIDE, 64);
        private final Gemm gemm = Kernels.shared().gemm();
        private final MemorySegment identity = arena.allocate(gemm.packedBytes(SIDE, SIDE), 64);

        Runner() {
            for (int i = 0; i < COUNT; i++) {
                in.setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
            }
            MemorySegment plain = arena.allocate(4L * SIDE * SIDE, 64);
            for (int i = 0; i < SIDE; i++) {
                plain.setAtIndex(ValueLayout.JAVA_FLOAT, (long) i * SIDE + i, 1);
            }
            gemm.pack(plain, SIDE, SIDE, SIDE, identity);
        }

        void run() {
            square.fill((byte) 0);
            gemm.run(GemmProduct.of(in, identity, square, SIDE, SIDE, SIDE), Parallel.NONE);
            check(square, SIDE * SIDE, 0);
            Expiring expiring = newest.get();
            if (expiring != null) {
                try {
                    expiring.elementwise.run(List.of(in), out, COUNT, Parallel.NONE);
                    check(out, COUNT, expiring.number);
                } catch (IllegalStateException freed) {
                    late.incrementAndGet();
                }
            }
            runs.incrementAndGet();
        }

        private void check(MemorySegment result, int count, float added) {
            for (int i = 0; i < count; i++) {
                float value = result.getAtIndex(ValueLayout.JAVA_FLOAT, i);
                if (value != i + added) {
                    throw new AssertionError(value + " in place of " + (i + added));
                }
            }
        }
    }
}
