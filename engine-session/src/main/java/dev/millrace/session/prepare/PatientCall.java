package dev.millrace.session.prepare;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A call into a provider that may take long, on a thread of its own. The caller stops waiting where the creation of the session
 * is cancelled; the call is interrupted then, and what it uses is closed when it returns.
 */
final class PatientCall {
    /** The time between two looks at the cancellation. */
    private static final long LOOK_MILLIS = 10;

    private static final Runnable RETURNED = () -> {};

    /** The thread's end, or what the caller left to the thread; null while neither has come. */
    private final AtomicReference<@Nullable Runnable> end = new AtomicReference<>();

    private PatientCall() {}

    /**
     * Returns the result of a call.
     *
     * @param checkCancelled throws where nobody waits for the result any more
     * @param detach called where the caller stops waiting; returns what is to be done when the call has returned
     */
    static <T> T get(String name, Supplier<T> call, Runnable checkCancelled, Supplier<Runnable> detach) {
        return new PatientCall().run(name, call, checkCancelled, detach);
    }

    private <T> T run(String name, Supplier<T> call, Runnable checkCancelled, Supplier<Runnable> detach) {
        var task = new FutureTask<>(call::get);
        Thread thread = Thread.ofPlatform()
                .name("millrace-" + name)
                .daemon(true)
                .start(() -> {
                    task.run();
                    if (!end.compareAndSet(null, RETURNED)) {
                        Objects.requireNonNull(end.get()).run();
                    }
                });
        try {
            while (true) {
                try {
                    return task.get(LOOK_MILLIS, TimeUnit.MILLISECONDS);
                } catch (TimeoutException _) {
                    checkCancelled.run();
                }
            }
        } catch (ExecutionException e) {
            throw failure(e);
        } catch (InterruptedException e) {
            leave(thread, detach);
            Thread.currentThread().interrupt();
            throw new EngineException(
                    Status.MODEL_LOAD_CANCELED, "the thread that creates a session was interrupted", e);
        } catch (EngineException e) {
            leave(thread, detach);
            throw e;
        }
    }

    private void leave(Thread thread, Supplier<Runnable> detach) {
        Runnable left = detach.get();
        if (end.compareAndSet(null, left)) {
            thread.interrupt();
        } else {
            left.run();
        }
    }

    private static RuntimeException failure(ExecutionException call) {
        return switch (call.getCause()) {
            case Error error -> throw error;
            case RuntimeException exception -> exception;
            case null, default -> new IllegalStateException(call);
        };
    }
}
