package dev.millrace.scheduler.run;

import dev.millrace.scheduler.device.CompletionListener;
import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.plan.PlanStep;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/** Tells a listener what the streams of devices do in one run of a stretch: it marks each step, and hears of its end. */
final class StreamReports {
    private final String plan;
    private final RunListener listener;
    /** The time at which each stream ended its last step, as the host heard. */
    private final AtomicLongArray ends;

    /** When the host heard that each notification was reached; 0 before. */
    private final AtomicLongArray reached;

    StreamReports(String plan, RunListener listener, int streams, int notifications) {
        this.plan = plan;
        this.listener = listener;
        this.ends = new AtomicLongArray(streams);
        this.reached = new AtomicLongArray(notifications);
    }

    /** A step was given to a device. */
    void submitted(PlanStep step, DeviceStream queue, long startNanos) {
        queue.whenCompleted(queue.signal(), CompletionListener.once(failed -> {
            long end = System.nanoTime();
            long start = Math.max(startNanos, ends.getAndSet(step.stream(), end));
            listener.deviceStepEnded(plan, step, queue, start, end);
        }));
    }

    /** A notification was activated, whose time was just signalled. */
    void activated(int notification, DeviceStream queue, long time) {
        queue.whenCompleted(time, CompletionListener.once(failed -> reached.set(notification, System.nanoTime())));
    }

    /** A device was told to wait for a notification. */
    void waits(int notification, DeviceStream from, DeviceStream by) {
        by.whenCompleted(by.signal(), CompletionListener.once(failed -> passed(notification, from, by)));
    }

    /** A stream went on behind a notification. */
    void passed(int notification, DeviceStream from, @Nullable DeviceStream by) {
        long now = System.nanoTime();
        long heard = reached.get(notification);
        listener.waitEnded(plan, from, by, heard == 0 ? now : heard, now);
    }
}
