package dev.millrace.session.runtime;

import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.event.DeviceActivity;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.kernel.Work;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.session.util.Callbacks;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A user's listener, kept from harming the runs that it hears of: what it throws goes to its thread's handler of uncaught
 * exceptions, the first time, and no further.
 */
final class SafeListener implements RunListener {
    private final RunListener listener;
    private final Callbacks callbacks;
    private final AtomicBoolean hasThrown = new AtomicBoolean();

    SafeListener(RunListener listener, Callbacks callbacks) {
        this.listener = listener;
        this.callbacks = callbacks;
    }

    @Override
    public boolean hearsSteps() {
        boolean outermost = callbacks.enter();
        try {
            return listener.hearsSteps();
        } catch (Throwable thrown) {
            threw(thrown);
            return false;
        } finally {
            callbacks.leave(outermost);
        }
    }

    @Override
    public boolean hearsDevices() {
        boolean outermost = callbacks.enter();
        try {
            return listener.hearsDevices();
        } catch (Throwable thrown) {
            threw(thrown);
            return false;
        } finally {
            callbacks.leave(outermost);
        }
    }

    @Override
    public void deviceActivity(String provider, DeviceActivity activity) {
        boolean outermost = callbacks.enter();
        try {
            listener.deviceActivity(provider, activity);
        } catch (Throwable thrown) {
            threw(thrown);
        } finally {
            callbacks.leave(outermost);
        }
    }

    @Override
    public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
        boolean outermost = callbacks.enter();
        try {
            listener.stepEnded(plan, step, startNanos, endNanos);
        } catch (Throwable thrown) {
            threw(thrown);
        } finally {
            callbacks.leave(outermost);
        }
    }

    @Override
    public void deviceStepEnded(String plan, PlanStep step, DeviceStream stream, long startNanos, long endNanos) {
        boolean outermost = callbacks.enter();
        try {
            listener.deviceStepEnded(plan, step, stream, startNanos, endNanos);
        } catch (Throwable thrown) {
            threw(thrown);
        } finally {
            callbacks.leave(outermost);
        }
    }

    @Override
    public void waitEnded(
            String plan, DeviceStream from, @Nullable DeviceStream by, long reachedNanos, long passedNanos) {
        boolean outermost = callbacks.enter();
        try {
            listener.waitEnded(plan, from, by, reachedNanos, passedNanos);
        } catch (Throwable thrown) {
            threw(thrown);
        } finally {
            callbacks.leave(outermost);
        }
    }

    @Override
    public void workEnded(String plan, PlanStep step, Work work, long startNanos, long endNanos) {
        boolean outermost = callbacks.enter();
        try {
            listener.workEnded(plan, step, work, startNanos, endNanos);
        } catch (Throwable thrown) {
            threw(thrown);
        } finally {
            callbacks.leave(outermost);
        }
    }

    @Override
    public @Nullable BindingListener bindingBegins(String plan) {
        boolean outermost = callbacks.enter();
        try {
            BindingListener heard = listener.bindingBegins(plan);
            return heard == null ? null : values -> bindingEnded(heard, values);
        } catch (Throwable thrown) {
            threw(thrown);
            return null;
        } finally {
            callbacks.leave(outermost);
        }
    }

    private void bindingEnded(BindingListener heard, String values) {
        boolean outermost = callbacks.enter();
        try {
            heard.ended(values);
        } catch (Throwable thrown) {
            threw(thrown);
        } finally {
            callbacks.leave(outermost);
        }
    }

    @Override
    public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
        boolean outermost = callbacks.enter();
        try {
            listener.runEnded(plan, startNanos, endNanos, failed);
        } catch (Throwable thrown) {
            threw(thrown);
        } finally {
            callbacks.leave(outermost);
        }
    }

    private void threw(Throwable thrown) {
        if (!hasThrown.getAndSet(true)) {
            Thread self = Thread.currentThread();
            self.getUncaughtExceptionHandler().uncaughtException(self, thrown);
        }
    }
}
