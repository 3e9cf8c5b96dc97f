package dev.millrace.scheduler.event;

import dev.millrace.scheduler.device.DeviceStream;
import dev.millrace.scheduler.kernel.Work;
import dev.millrace.scheduler.plan.PlanStep;
import org.jspecify.annotations.Nullable;

/**
 * Hears of steps as they end. Called on the threads that run them, several at a time; it must not block. What it throws
 * goes to its thread's handler of uncaught exceptions and harms no run of a session.
 */
public interface RunListener {
    /**
     * Whether it wants to hear of steps and of work, whose times have to be taken then: asked as they run, and of no bearing
     * on what another listener of the same run hears.
     */
    default boolean hearsSteps() {
        return true;
    }

    /** A step has run; times are those of {@link System#nanoTime()}. */
    void stepEnded(String plan, PlanStep step, long startNanos, long endNanos);

    /**
     * A device has done a step that it was given on a stream. It counts as any step where this is not overridden. Times are
     * those at which the host gave the step and heard of its end, or of the end of the step before.
     */
    default void deviceStepEnded(String plan, PlanStep step, DeviceStream stream, long startNanos, long endNanos) {
        stepEnded(plan, step, startNanos, endNanos);
    }

    /**
     * A stream has waited for another one, or found that it need not.
     *
     * @param by the stream that waited; null for the host
     * @param reachedNanos when the host heard that {@code from} had come so far
     * @param passedNanos when the host heard that the other one went on
     */
    default void waitEnded(
            String plan, DeviceStream from, @Nullable DeviceStream by, long reachedNanos, long passedNanos) {
        // most want to hear of steps alone
    }

    /** A piece of work inside of a step has ended. */
    default void workEnded(String plan, PlanStep step, Work work, long startNanos, long endNanos) {
        // most want to hear of steps alone
    }

    /**
     * A part of the plan is about to be bound to shapes, or to contents, that are new. What is returned hears of it when that
     * has been done; null where nobody wants to.
     */
    default @Nullable BindingListener bindingBegins(String plan) {
        return null;
    }

    /** Hears that a part of a plan was bound. */
    @FunctionalInterface
    interface BindingListener {
        /** @param values that it was bound for, such as {@code ids int64[1,8]} */
        void ended(String values);
    }

    /**
     * Whether it wants to hear of what providers know about their devices, which are then asked to profile each run. Asked
     * before a run.
     */
    default boolean hearsDevices() {
        return false;
    }

    /** A period of activity of a provider's device during a run, reported after the run. */
    default void deviceActivity(String provider, DeviceActivity activity) {
        // most want to hear of steps alone
    }

    /** A run has ended, whether well or not. */
    void runEnded(String plan, long startNanos, long endNanos, boolean failed);

    /** A listener that tells both; one of them, or null, where the other is null. */
    static @Nullable RunListener both(@Nullable RunListener one, @Nullable RunListener other) {
        if (one == null || other == null) {
            return one == null ? other : one;
        }
        return new RunListener() {
            @Override
            public boolean hearsSteps() {
                return one.hearsSteps() || other.hearsSteps();
            }

            @Override
            public void stepEnded(String plan, PlanStep step, long startNanos, long endNanos) {
                if (one.hearsSteps()) {
                    one.stepEnded(plan, step, startNanos, endNanos);
                }
                if (other.hearsSteps()) {
                    other.stepEnded(plan, step, startNanos, endNanos);
                }
            }

            @Override
            public void deviceStepEnded(
                    String plan, PlanStep step, DeviceStream stream, long startNanos, long endNanos) {
                if (one.hearsSteps()) {
                    one.deviceStepEnded(plan, step, stream, startNanos, endNanos);
                }
                if (other.hearsSteps()) {
                    other.deviceStepEnded(plan, step, stream, startNanos, endNanos);
                }
            }

            @Override
            public void waitEnded(
                    String plan, DeviceStream from, @Nullable DeviceStream by, long reachedNanos, long passedNanos) {
                if (one.hearsSteps()) {
                    one.waitEnded(plan, from, by, reachedNanos, passedNanos);
                }
                if (other.hearsSteps()) {
                    other.waitEnded(plan, from, by, reachedNanos, passedNanos);
                }
            }

            @Override
            public void workEnded(String plan, PlanStep step, Work work, long startNanos, long endNanos) {
                if (one.hearsSteps()) {
                    one.workEnded(plan, step, work, startNanos, endNanos);
                }
                if (other.hearsSteps()) {
                    other.workEnded(plan, step, work, startNanos, endNanos);
                }
            }

            @Override
            public @Nullable BindingListener bindingBegins(String plan) {
                BindingListener first = one.bindingBegins(plan);
                BindingListener second = other.bindingBegins(plan);
                if (first == null || second == null) {
                    return first == null ? second : first;
                }
                return values -> {
                    first.ended(values);
                    second.ended(values);
                };
            }

            @Override
            public boolean hearsDevices() {
                return one.hearsDevices() || other.hearsDevices();
            }

            @Override
            public void deviceActivity(String provider, DeviceActivity activity) {
                if (one.hearsDevices()) {
                    one.deviceActivity(provider, activity);
                }
                if (other.hearsDevices()) {
                    other.deviceActivity(provider, activity);
                }
            }

            @Override
            public void runEnded(String plan, long startNanos, long endNanos, boolean failed) {
                one.runEnded(plan, startNanos, endNanos, failed);
                other.runEnded(plan, startNanos, endNanos, failed);
            }
        };
    }
}
