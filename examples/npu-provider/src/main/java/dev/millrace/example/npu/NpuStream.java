package dev.millrace.example.npu;

import dev.millrace.scheduler.device.CompletionListener;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceStream;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A queue of the NPU, with a thread that takes one piece of work after the other. */
final class NpuStream implements DeviceStream {
    private final NpuDevice device;
    private final int id;
    private final BlockingQueue<Runnable> queue = new LinkedBlockingQueue<>();
    private final List<Awaited> awaited = new ArrayList<>();
    private final Thread thread;
    private long signalled;
    private long completed;
    private @Nullable DeviceFailure failure;
    private boolean isClosed;

    private record Awaited(long time, CompletionListener completion) {}

    NpuStream(NpuDevice device, int id, String name) {
        this.device = device;
        this.id = id;
        thread = Thread.ofPlatform().daemon(true).name("npu " + id + " " + name).start(this::work);
    }

    private void work() {
        while (!isEnded()) {
            try {
                queue.take().run();
            } catch (InterruptedException _) {
                // nobody has a reason to interrupt it
            }
        }
    }

    private synchronized boolean isEnded() {
        return isClosed && queue.isEmpty();
    }

    /** Gives work to the stream, whose failure is that of the run. A lost device takes none. */
    void submit(Runnable work) {
        device.failure().ifPresent(lost -> {
            throw lost;
        });
        queue.add(() -> {
            try {
                if (device.failure().isEmpty()) {
                    work.run();
                }
            } catch (RuntimeException | Error thrown) {
                fail(new DeviceFailure(this + ": " + thrown, false));
            }
        });
    }

    private synchronized void fail(DeviceFailure first) {
        failure = failure == null ? first : failure;
    }

    /** Frees memory in the order of the stream, whether or not work before it failed. */
    void release(Arena arena) {
        queue.add(arena::close);
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public Device device() {
        return device;
    }

    @Override
    public synchronized long signal() {
        long time = ++signalled;
        queue.add(() -> reach(time));
        return time;
    }

    private void reach(long time) {
        var told = new ArrayList<CompletionListener>();
        synchronized (this) {
            completed = time;
            notifyAll();
            awaited.removeIf(each -> each.time <= time && told.add(each.completion));
        }
        told.forEach(each -> each.completed(failure()));
    }

    private synchronized @Nullable DeviceFailure failure() {
        return device.failure().orElse(failure);
    }

    @Override
    public void waitFor(DeviceStream other, long time) {
        queue.add(() -> ((NpuStream) other).reached(time, Long.MAX_VALUE));
    }

    @Override
    public boolean canWaitFor(DeviceStream other) {
        return other instanceof NpuStream stream && stream.device == device;
    }

    @Override
    public synchronized long completed() {
        return completed;
    }

    @Override
    public void whenCompleted(long time, CompletionListener completion) {
        synchronized (this) {
            if (completed < time) {
                awaited.add(new Awaited(time, completion));
                return;
            }
        }
        completion.completed(failure());
    }

    @Override
    public boolean await(long time, Duration limit) {
        if (!reached(time, limit.toNanos())) {
            return false;
        }
        DeviceFailure failed = failure();
        if (failed != null) {
            throw failed;
        }
        return true;
    }

    /** Blocks until a time is reached; false where it is not within some nanoseconds, or the thread is interrupted. */
    private synchronized boolean reached(long time, long nanos) {
        long start = System.nanoTime();
        try {
            while (completed < time) {
                long left = nanos - (System.nanoTime() - start);
                if (left <= 0) {
                    return false;
                }
                wait(Math.min(TimeUnit.NANOSECONDS.toMillis(left) + 1, TimeUnit.HOURS.toMillis(1)));
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return false;
        }
        return true;
    }

    /** Nothing is kept back: the thread takes work as soon as it can. */
    @Override
    public void flush() {}

    @Override
    public synchronized void onRunEnd() {
        failure = null;
    }

    @Override
    public void close() {
        queue.add(this::end);
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void end() {
        isClosed = true;
    }

    @Override
    public String toString() {
        return device + "/" + id;
    }
}
