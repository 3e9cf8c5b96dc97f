package dev.millrace.session.runtime;

import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.event.DeviceActivity;
import dev.millrace.scheduler.event.RunListener;
import dev.millrace.scheduler.kernel.Work;
import dev.millrace.scheduler.plan.PlanStep;
import dev.millrace.session.util.Callbacks;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
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
        return ask(listener::hearsSteps, false);
    }

    @Override
    public boolean hearsDevices() {
        return ask(listener::hearsDevices, false);
    }

    @Override
    public void deviceActivity(String provider, DeviceActivity activity) {
        tell(() -> listener.deviceActivity(provider, activity));
    }

    @Override
    public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
        tell(() -> listener.stepEnded(plan, step, startNanos, endNanos));
    }

    @Override
    public void deviceStepEnded(String plan, PlanStep step, DeviceStream stream, long startNanos, long endNanos) {
        tell(() -> listener.deviceStepEnded(plan, step, stream, startNanos, endNanos));
    }

    @Override
    public void waitEnded(
            String plan, DeviceStream from, @Nullable DeviceStream by, long reachedNanos, long passedNanos) {
        tell(() -> listener.waitEnded(plan, from, by, reachedNanos, passedNanos));
    }

    @Override
    public void workEnded(String plan, PlanStep step, Work work, long startNanos, long endNanos) {
        tell(() -> listener.workEnded(plan, step, work, startNanos, endNanos));
    }

    @Override
    public @Nullable BindingListener bindingBegins(String plan) {
        BindingListener heard = ask(() -> listener.bindingBegins(plan), null);
        return heard == null ? null : values -> tell(() -> heard.ended(values));
    }

    @Override
    public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
        tell(() -> listener.runEnded(plan, startNanos, endNanos, failed));
    }

    private void tell(Runnable call) {
        this.<@Nullable Object>ask(
                () -> {
                    call.run();
                    return null;
                },
                null);
    }

    /** @param otherwise the answer of a listener that throws */
    private <T extends @Nullable Object> T ask(Supplier<T> call, T otherwise) {
        boolean outermost = callbacks.enter();
        try {
            return call.get();
        } catch (Throwable thrown) {
            if (!hasThrown.getAndSet(true)) {
                Thread self = Thread.currentThread();
                self.getUncaughtExceptionHandler().uncaughtException(self, thrown);
            }
            return otherwise;
        } finally {
            callbacks.leave(outermost);
        }
    }
}
