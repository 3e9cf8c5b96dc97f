package dev.millrace.providers.testkit.device;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** The thread of a {@link ThreadedDevice}: it does what is ready on any of its streams, one thing at a time. */
final class DeviceThread implements AutoCloseable {
    private final long operationNanos;
    private final List<ThreadedStream> streams = new ArrayList<>();
    private final Thread thread;
    private volatile int failOneIn;
    private long operations;
    private int next;
    private boolean isClosed;
    private boolean mayBeReady;

    DeviceThread(String name, long operationNanos) {
        this.operationNanos = operationNanos;
        thread = Thread.ofPlatform().name(name).daemon(true).start(this::work);
    }

    synchronized void add(ThreadedStream stream) {
        streams.add(stream);
    }

    synchronized void remove(ThreadedStream stream) {
        streams.remove(stream);
    }

    /** Says that something may be ready. */
    synchronized void look() {
        mayBeReady = true;
        notifyAll();
    }

    void failOneIn(int operations) {
        failOneIn = operations;
    }

    /** Takes as long as an operation does at least, and fails where it is to. */
    void begin() {
        int every = failOneIn;
        if (every > 0 && ++operations % every == 0) {
            throw new IllegalStateException("planted");
        }
        if (operationNanos > 0) {
            LockSupport.parkNanos(operationNanos);
        }
    }

    private void work() {
        for (Runnable ready = take(); ready != null; ready = take()) {
            ready.run();
        }
    }

    /** Waits for something to do; null where the device is closed. */
    private synchronized @Nullable Runnable take() {
        while (!isClosed) {
            mayBeReady = false;
            for (int i = 0; i < streams.size(); i++) {
                ThreadedStream stream = streams.get((next + i) % streams.size());
                Runnable ready = stream.poll();
                if (ready != null) {
                    next = (next + i + 1) % streams.size();
                    return ready;
                }
            }
            while (!mayBeReady && !isClosed) {
                try {
                    wait();
                } catch (InterruptedException _) {
                    // nobody has a reason to interrupt it
                }
            }
        }
        return null;
    }

    @Override
    public void close() {
        synchronized (this) {
            isClosed = true;
            notifyAll();
        }
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
