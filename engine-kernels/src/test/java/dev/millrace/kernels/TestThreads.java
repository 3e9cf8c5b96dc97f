package dev.millrace.kernels;

import dev.millrace.kernels.call.Parallel;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** A {@link Parallel} on the common pool. */
public record TestThreads(int width) implements Parallel {
    public static Parallel of(int width) {
        return new TestThreads(width);
    }

    @Override
    public void run(int tasks, IntConsumer task) {
        IntStream.range(0, tasks).parallel().forEach(task);
    }
}
