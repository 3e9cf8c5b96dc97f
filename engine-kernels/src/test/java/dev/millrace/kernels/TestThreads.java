package dev.millrace.kernels;

import dev.millrace.codegen.code.Recording;
import dev.millrace.kernels.call.Parallel;
import java.util.function.IntConsumer;
import java.util.stream.IntStream;

/** A {@link Parallel} on the common pool, which lets a recording know what it shares. */
public record TestThreads(int width) implements Parallel {
    public static Parallel of(int width) {
        return new TestThreads(width);
    }

    @Override
    public void run(int tasks, IntConsumer task) {
        Recording recording = Recording.ofThread();
        if (recording != null) {
            recording.tasks(tasks, task);
        } else {
            share(tasks, task);
        }
    }

    public static void share(int tasks, IntConsumer task) {
        IntStream.range(0, tasks).parallel().forEach(task);
    }
}
