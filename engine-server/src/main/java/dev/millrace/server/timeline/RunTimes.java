package dev.millrace.server.timeline;

/**
 * The times of one run of a request, in nanoseconds of {@link System#nanoTime()}; 0 for what has not happened. Written by the
 * threads of the engine.
 */
public final class RunTimes {
    private final String model;
    private final long queued = System.nanoTime();
    private volatile long joined;
    private volatile int batch = 1;
    private volatile long began;
    private volatile long ended;

    RunTimes(String model) {
        this.model = model;
    }

    public String model() {
        return model;
    }

    /** The time when the request began to wait for the run. */
    public long queued() {
        return queued;
    }

    /** The time when its batch was put together; 0 for a run of its own. */
    public long joined() {
        return joined;
    }

    /** How many requests the run answers. */
    public int batch() {
        return batch;
    }

    public long began() {
        return began;
    }

    public long ended() {
        return ended;
    }

    /** The request is part of a batch of so many. */
    public void join(int requests) {
        joined = System.nanoTime();
        batch = requests;
    }

    /** The run begins. A run that failed in a batch begins again alone, which is what counts. */
    public void begin() {
        if (began != 0) {
            joined = 0;
            batch = 1;
        }
        began = System.nanoTime();
    }

    /** The request has its part of the run's answer, or has failed. */
    public void end() {
        ended = System.nanoTime();
    }
}
