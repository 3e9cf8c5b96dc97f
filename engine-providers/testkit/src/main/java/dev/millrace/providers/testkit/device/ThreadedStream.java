package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.CompletionListener;
import dev.millrace.scheduler.device.Device;
import dev.millrace.scheduler.device.DeviceFailure;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.kernel.LaunchContext;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A stream of a {@link ThreadedDevice}. */
final class ThreadedStream implements DeviceStream, KernelStream {
    private final ThreadedDevice device;
    private final DeviceThread thread;
    private final int id;
    private final Consumer<ThreadedStream> onClose;
    private final Deque<Entry> entries = new ArrayDeque<>();
    private final List<Awaited> awaited = new ArrayList<>();
    private long signalled;
    private long completed;
    private boolean isBusy;
    private @Nullable DeviceFailure failure;

    ThreadedStream(ThreadedDevice device, DeviceThread thread, int id, Consumer<ThreadedStream> onClose) {
        this.device = device;
        this.thread = thread;
        this.id = id;
        this.onClose = onClose;
        thread.add(this);
    }

    private sealed interface Entry {
        record Work(Runnable code) implements Entry {}

        record Signal(long time) implements Entry {}

        record Wait(ThreadedStream other, long time) implements Entry {}
    }

    private record Awaited(long time, CompletionListener completion) {}

    void add(Runnable work) {
        put(new Entry.Work(work));
    }

    private void put(Entry entry) {
        synchronized (this) {
            entries.add(entry);
        }
        thread.look();
    }

    @Override
    public void submit(String operation, LaunchArguments arguments, LaunchContext context, Operation.Body body) {
        var reads = new ArrayList<MemorySegment>();
        arguments.inputs().forEach(index -> reads.add(ThreadedAllocator.memory(context.inputRange(index))));
        arguments.hostInputs().forEach(index -> reads.add(context.input(index)));
        var writes = new ArrayList<MemorySegment>();
        arguments.outputs().forEach(index -> writes.add(ThreadedAllocator.memory(context.outputRange(index))));
        if (arguments.hasWorkspace()) {
            writes.add(ThreadedAllocator.memory(context.workspaceRange()));
        }
        add(() -> body.run(reads, writes));
    }

    /** Takes what the stream does next, if that is ready. */
    @Nullable
    Runnable poll() {
        while (true) {
            Entry entry;
            synchronized (this) {
                entry = isBusy ? null : entries.peek();
            }
            if (entry == null || entry instanceof Entry.Wait wait && !wait.other.isOver(wait.time, thread::look)) {
                return null;
            }
            synchronized (this) {
                entries.remove();
                if (entry instanceof Entry.Work work) {
                    isBusy = true;
                    return () -> run(work.code);
                }
            }
            if (entry instanceof Entry.Signal signal) {
                // told outside of the device's lock
                return () -> complete(signal.time);
            }
        }
    }

    private void run(Runnable code) {
        DeviceFailure failed = null;
        try {
            thread.begin();
            code.run();
        } catch (RuntimeException | Error thrown) {
            failed = new DeviceFailure(device.info().name() + ": " + thrown, false);
        }
        synchronized (this) {
            isBusy = false;
            if (failure == null) {
                failure = failed;
            }
        }
    }

    /** Whether a time is over; calls {@code look} when it is, where it is not yet. */
    private boolean isOver(long time, Runnable look) {
        synchronized (this) {
            if (completed < time) {
                awaited.add(new Awaited(time, failed -> look.run()));
                return false;
            }
        }
        return true;
    }

    private void complete(long time) {
        List<Awaited> over = new ArrayList<>();
        DeviceFailure failed;
        synchronized (this) {
            completed = time;
            failed = failure;
            awaited.removeIf(each -> each.time <= time && over.add(each));
        }
        over.forEach(each -> each.completion.completed(failed));
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
    public long signal() {
        long time;
        synchronized (this) {
            time = ++signalled;
        }
        put(new Entry.Signal(time));
        return time;
    }

    @Override
    public void waitFor(DeviceStream other, long time) {
        put(new Entry.Wait((ThreadedStream) other, time));
    }

    @Override
    public boolean canWaitFor(DeviceStream other) {
        return other instanceof ThreadedStream;
    }

    @Override
    public synchronized long completed() {
        return completed;
    }

    @Override
    public void whenCompleted(long time, CompletionListener completion) {
        DeviceFailure failed;
        synchronized (this) {
            if (completed < time) {
                awaited.add(new Awaited(time, completion));
                return;
            }
            failed = failure;
        }
        completion.completed(failed);
    }

    @Override
    public boolean await(long time, Duration limit) {
        var latch = new CountDownLatch(1);
        var heard = new AtomicReference<@Nullable DeviceFailure>();
        whenCompleted(time, failed -> {
            heard.set(failed);
            latch.countDown();
        });
        try {
            if (!latch.await(limit.toNanos(), TimeUnit.NANOSECONDS)) {
                return false;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
        DeviceFailure failed = heard.get();
        if (failed != null) {
            throw failed;
        }
        return true;
    }

    @Override
    public void flush() {
        // nothing is kept back
    }

    /** A failure is that of one run. */
    @Override
    public synchronized void onRunEnd() {
        failure = null;
    }

    @Override
    public void close() {
        onRunEnd();
        await(signal(), Duration.ofSeconds(10));
        thread.remove(this);
        onClose.accept(this);
    }

    @Override
    public String toString() {
        return device.info().name() + "/" + id;
    }
}
