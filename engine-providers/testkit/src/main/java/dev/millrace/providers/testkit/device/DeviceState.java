package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.DeviceFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The state that the parts of a simulated device share: its faults, its failure, and what it has been given so far. */
final class DeviceState {
    private final String name;
    private final Faults faults = new Faults();
    private final List<Consumer<DeviceFailure>> listeners = new ArrayList<>();
    private @Nullable DeviceFailure failure;
    private long operations;
    /** The virtual time at which the last operation ends that has begun. */
    private long busyUntil;

    private long allocations;

    DeviceState(String name) {
        this.name = name;
    }

    String name() {
        return name;
    }

    long busyUntil() {
        return busyUntil;
    }

    void busyUntil(long time) {
        busyUntil = Math.max(busyUntil, time);
    }

    Faults faults() {
        return faults;
    }

    /** The failure of the device itself; null while it works. */
    @Nullable
    DeviceFailure failure() {
        return failure;
    }

    boolean isLost() {
        return failure != null && failure.isLost();
    }

    /** Throws where the device is lost. */
    void checkNotLost() {
        if (failure != null && failure.isLost()) {
            throw new DeviceFailure(String.valueOf(failure.getMessage()), true);
        }
    }

    /** Makes a failure of an operation the device's own, unless there is one. */
    void stick(DeviceFailure first) {
        if (failure == null) {
            failure = first;
        }
    }

    /** Loses the device, and tells its streams. */
    void lose(String reason) {
        if (!isLost()) {
            var loss = new DeviceFailure(name + " is lost: " + reason, true);
            failure = loss;
            listeners.forEach(listener -> listener.accept(loss));
        }
    }

    void whenLost(Consumer<DeviceFailure> listener) {
        listeners.add(listener);
    }

    long operations() {
        return operations;
    }

    long nextOperation() {
        return operations++;
    }

    long nextAllocation() {
        return allocations++;
    }
}
