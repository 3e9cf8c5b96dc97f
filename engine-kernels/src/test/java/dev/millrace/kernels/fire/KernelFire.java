package dev.millrace.kernels.fire;

import dev.millrace.codegen.key.KernelSet;
import dev.millrace.kernels.Kernels;
import dev.millrace.kernels.TestThreads;
import dev.millrace.kernels.call.Parallel;
import dev.millrace.memory.MappingGuard;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A JVM of its own in which memory goes away, and threads are interrupted, under kernels that are called by their drivers
 * alone. That it lives to its end is what counts, and that nothing wrong comes out.
 */
final class KernelFire {
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final int MOST_ROWS = 1_024;
    private static final int PAGE = 4096;

    private final Random random;
    private final List<BareWork> works;
    private final AtomicInteger answered = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    private KernelFire(KernelSet kernels, long seed) {
        random = new Random(seed);
        works = BareWork.all(kernels);
    }

    /** @param arguments what happens, how often, the seed, and a folder */
    public static void main(String[] arguments) throws Exception {
        int tries = Integer.parseInt(arguments[1]);
        try (Kernels kernels = Kernels.open(System::getProperty)) {
            var fire = new KernelFire(kernels.set(), Long.parseLong(arguments[2]));
            switch (arguments[0]) {
                case "arenas" -> fire.arenas(tries);
                case "cut" -> fire.cut(tries, Path.of(arguments[3]));
                case "interrupts" -> fire.interrupts(tries);
                default -> throw new IllegalArgumentException(arguments[0]);
            }
            System.out.println(arguments[0] + " under bare kernels: " + tries + " tries, " + fire.answered
                    + " answered, " + fire.refused + " refused");
        }
    }

    private BareWork anyWork() {
        return works.get(random.nextInt(works.size()));
    }

    private int anyRows() {
        return 1 + random.nextInt(MOST_ROWS);
    }

    private Parallel anyThreads() {
        return random.nextBoolean() ? Parallel.NONE : TestThreads.of(2);
    }

    /** The input, or the output, or both, lie in an arena that another thread closes as soon as it can. */
    private void arenas(int tries) throws InterruptedException {
        for (int i = 0; i < tries; i++) {
            BareWork work = anyWork();
            int rows = anyRows();
            long bytes = work.bytes(rows);
            Arena arena = Arena.ofShared();
            int which = random.nextInt(3);
            MemorySegment in = (which == 1 ? Arena.ofAuto() : arena).allocate(bytes, 64);
            MemorySegment out = (which == 0 ? Arena.ofAuto() : arena).allocate(bytes, 64);
            fill(in);
            long nanos = random.nextInt(1_500_000);
            Thread closer = Thread.ofPlatform().start(() -> {
                pause(nanos);
                close(arena);
            });
            run(work, in, out, rows, anyThreads());
            closer.join();
        }
    }

    private void run(BareWork work, MemorySegment in, MemorySegment out, int rows, Parallel threads) {
        try {
            work.run(in, out, rows, threads);
            answered.incrementAndGet();
        } catch (IllegalStateException | IllegalArgumentException e) {
            // other memory may be where that was which is closed
            if (in.scope().isAlive() && out.scope().isAlive()) {
                throw e;
            }
            refused.incrementAndGet();
            // the JDK interrupts who is about to touch memory from Java when it is closed
            Thread.interrupted();
        }
    }

    private static void close(Arena arena) {
        while (arena.scope().isAlive()) {
            try {
                arena.close();
            } catch (IllegalStateException held) {
                Thread.onSpinWait();
            }
        }
    }

    /** The input is a mapped file that is cut short: what is gone reads as zeros, and the guard knows of it. */
    private void cut(int tries, Path folder) throws Exception {
        require(MappingGuard.isThere(), "there is no guard");
        for (int i = 0; i < tries; i++) {
            BareWork work = anyWork();
            int rows = MOST_ROWS / 2 + random.nextInt(MOST_ROWS / 2);
            Path file = Files.write(folder.resolve("try"), numbers(work.bytes(rows)));
            long left = random.nextLong(Files.size(file) / PAGE) * PAGE + random.nextInt(PAGE);
            try (Arena arena = Arena.ofShared();
                    FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
                MemorySegment in = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size(), arena);
                require(MappingGuard.watch(in, arena) != null, "the mapping is not watched");
                MemorySegment out = arena.allocate(in.byteSize(), 64);
                long nanos = random.nextInt(500_000);
                Thread spoiler = Thread.ofPlatform().start(() -> {
                    pause(nanos);
                    cut(file, left);
                });
                run(work, in, out, rows, anyThreads());
                spoiler.join();
                work.run(in, out, rows, Parallel.NONE);
                require(MappingGuard.isDamaged(in), "nobody has noticed that " + left + " bytes are left");
            }
            Files.delete(file);
        }
    }

    private static void cut(Path file, long left) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(left);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Platform threads and virtual ones that are interrupted while they compute: the answer is what it always is. */
    private void interrupts(int tries) throws InterruptedException {
        for (int done = 0; done < tries; ) {
            BareWork work = anyWork();
            int rows = anyRows();
            MemorySegment in = Arena.ofAuto().allocate(work.bytes(rows), 64);
            fill(in);
            MemorySegment expected = Arena.ofAuto().allocate(work.bytes(rows), 64);
            work.run(in, expected, rows, Parallel.NONE);
            var threads = new ArrayList<Thread>();
            var right = new AtomicInteger();
            for (int i = 0; i < 4; i++, done++) {
                Thread.Builder kind = i % 2 == 0 ? Thread.ofVirtual() : Thread.ofPlatform();
                Parallel parts = anyThreads();
                threads.add(kind.start(() -> {
                    MemorySegment out = Arena.ofAuto().allocate(work.bytes(rows), 64);
                    run(work, in, out, rows, parts);
                    right.addAndGet(out.mismatch(expected) < 0 ? 1 : 0);
                }));
            }
            pause(random.nextInt(300_000));
            threads.forEach(Thread::interrupt);
            for (Thread thread : threads) {
                thread.join();
            }
            require(right.get() == threads.size(), work.name() + " of " + rows + " rows answers otherwise");
        }
    }

    private void fill(MemorySegment numbers) {
        for (long i = 0; i < numbers.byteSize() / Float.BYTES; i++) {
            numbers.setAtIndex(FLOAT, i, random.nextFloat() + 0.5f);
        }
    }

    /** Bytes none of which is zero: a page without them is not what it was. */
    private byte[] numbers(long bytes) {
        byte[] numbers = new byte[Math.toIntExact(bytes)];
        Arrays.fill(numbers, (byte) (60 + random.nextInt(4)));
        return numbers;
    }

    private static void pause(long nanos) {
        long end = System.nanoTime() + nanos;
        while (System.nanoTime() < end) {
            Thread.onSpinWait();
        }
    }

    private static void require(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
