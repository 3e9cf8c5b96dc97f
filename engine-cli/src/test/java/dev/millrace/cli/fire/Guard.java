package dev.millrace.cli.fire;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Runs an action that may hang on a thread of its own. After {@value #SECONDS} seconds it is cancelled, and has
 * {@value #SECONDS_TO_STOP} seconds to stop, of processor time if other work keeps the processors busy. Any outcome
 * other than an answer or an intended refusal is an {@link AssertionError}.
 */
final class Guard {
    private static final int SECONDS = 5;
    /**
     * The seconds to stop: the JDK collects garbage for a while before it reports that memory is
     * short, and cannot be stopped meanwhile.
     */
    private static final int SECONDS_TO_STOP = 20;

    private static final int MOST_WAITS = 15;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private Guard() {}

    /** The outcome: an answer, or a refusal, or neither if it took too long and stopped when cancelled. */
    record Outcome<T>(@Nullable T answer, @Nullable EngineException refusal) {
        boolean isAnswer() {
            return answer != null;
        }
    }

    static <T> Outcome<T> outcome(String what, Function<Cancellation, T> attempt) {
        var cancellation = new Cancellation();
        var task = new FutureTask<T>(() -> attempt.apply(cancellation));
        Thread thread = Thread.ofPlatform().daemon(true).start(task);
        try {
            return get(what, task, thread, SECONDS);
        } catch (TimeoutException slow) {
            cancellation.cancel();
        }
        long before = THREADS.getThreadCpuTime(thread.threadId());
        for (int waits = 1; ; waits++) {
            try {
                return get(what, task, thread, SECONDS_TO_STOP);
            } catch (TimeoutException e) {
                if (waits == MOST_WAITS || !isStarved(thread, before)) {
                    var hanging = new AssertionError(
                            what + " does not stop when it is cancelled: " + Arrays.toString(thread.getStackTrace()));
                    hanging.setStackTrace(thread.getStackTrace());
                    throw hanging;
                }
            }
        }
    }

    /** Whether a thread wants to go on and has not yet had the processor time that it may take. */
    private static boolean isStarved(Thread thread, long before) {
        long had = THREADS.getThreadCpuTime(thread.threadId()) - before;
        return thread.getState() == Thread.State.RUNNABLE && had < TimeUnit.SECONDS.toNanos(SECONDS_TO_STOP);
    }

    private static <T> Outcome<T> get(String what, FutureTask<T> task, Thread thread, int seconds)
            throws TimeoutException {
        try {
            return new Outcome<>(task.get(seconds, TimeUnit.SECONDS), null);
        } catch (ExecutionException e) {
            return refusal(what, e.getCause());
        } catch (InterruptedException e) {
            thread.interrupt();
            throw new AssertionError(what + " was interrupted", e);
        }
    }

    private static <T> Outcome<T> refusal(String what, @Nullable Throwable thrown) {
        if (!(thrown instanceof EngineException refused)) {
            throw new AssertionError(what + " lets out " + thrown + " " + place(thrown), thrown);
        }
        if (refused.status() == Status.CANCELLED || refused.status() == Status.MODEL_LOAD_CANCELED) {
            return new Outcome<>(null, null);
        }
        String accident = Accidents.in(refused);
        if (accident != null) {
            throw new AssertionError(what + " " + accident, refused);
        }
        return new Outcome<>(null, refused);
    }

    private static String place(@Nullable Throwable thrown) {
        return thrown == null || thrown.getStackTrace().length == 0 ? "" : "at " + thrown.getStackTrace()[0];
    }
}
