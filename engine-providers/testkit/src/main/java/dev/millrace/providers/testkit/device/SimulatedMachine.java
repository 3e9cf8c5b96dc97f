package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.pool.HostThreads;
import java.util.ArrayList;
import java.util.List;

/**
 * A machine of simulated devices, with the threads of its host. All of it runs on the one thread that calls, and the
 * seed decides what happens next: of all operations that are ready on any stream, completions that are to be told, and
 * tasks of the host. Equal seeds give equal runs.
 *
 * <p>The machine notes each use of its devices that breaks the contract of {@link dev.millrace.scheduler.device}, even
 * where the results are right. {@link #close} throws where there were any.
 */
public final class SimulatedMachine implements HostThreads, AutoCloseable {
    private final Simulation simulation;
    private final List<SimulatedDevice> devices = new ArrayList<>();
    private boolean isPermitted;
    private long unparks;

    /** Makes a machine with {@link MachineOptions#defaults()}. */
    public SimulatedMachine(long seed) {
        this(seed, MachineOptions.defaults());
    }

    public SimulatedMachine(long seed, MachineOptions options) {
        simulation = new Simulation(seed, options);
    }

    /** Adds a device that counts on one stream for each run. */
    public SimulatedDevice device(String name) {
        return device(name, 1);
    }

    /**
     * Adds a device.
     *
     * @param concurrentStreams the number of streams that the device says it works on at a time
     */
    public SimulatedDevice device(String name, int concurrentStreams) {
        var device = new SimulatedDevice(simulation, devices.size(), name, concurrentStreams);
        devices.add(device);
        return device;
    }

    /** Queues a task of the host, which runs when the seed says so. */
    @Override
    public void execute(Runnable task) {
        simulation.checkThread();
        simulation.post(simulation.now(), false, task);
    }

    /**
     * Lets the machine go on, by one event at least, until the thread is unparked.
     *
     * @throws AssertionError where nothing is left to do, with what each stream waits for
     */
    @Override
    public void park(Object waitsFor) {
        long before = unparks;
        boolean wasPermitted = isPermitted;
        isPermitted = false;
        boolean hasStepped = simulation.step();
        while (!wasPermitted && unparks == before) {
            if (!hasStepped) {
                throw simulation.deadlock("parked for " + waitsFor);
            }
            hasStepped = simulation.step();
        }
        // a task of the host that parks itself may take the permit of the thread that it runs on
        isPermitted = isPermitted && wasPermitted;
    }

    @Override
    public void unpark(Thread thread) {
        simulation.checkThread();
        isPermitted = true;
        unparks++;
    }

    /**
     * The number of waits that streams have been given, which is the number of the next one. Only waits for an operation
     * count: those for a time that is right behind one.
     */
    public long waits() {
        return simulation.waits();
    }

    /** Plans to drop a wait, to prove that it is needed: without it the machine should find an error. */
    public void dropWait(long number) {
        simulation.dropWait(number);
    }

    /** The virtual time of the host, in nanoseconds. */
    public long now() {
        return simulation.now();
    }

    /** Lets the host work for a time. */
    public void host(long nanos) {
        long start = simulation.now();
        simulation.advanceTo(start + nanos);
        simulation.schedule().add(new ScheduledOperation("host", 0, "host", start, start + nanos));
    }

    /**
     * Lets the machine go on until nothing is left to do.
     *
     * @throws AssertionError where a stream waits all the same
     */
    public void settle() {
        simulation.settle();
    }

    /** The operations that have ended, in the order in which they did. */
    public List<ScheduledOperation> schedule() {
        return List.copyOf(simulation.schedule());
    }

    /** The time from the start of the first operation to the end of the last one. */
    public long makespan() {
        List<ScheduledOperation> all = simulation.schedule();
        long start = all.stream().mapToLong(ScheduledOperation::start).min().orElse(0);
        return all.stream().mapToLong(ScheduledOperation::end).max().orElse(0) - start;
    }

    /** The errors so far. */
    public List<String> errors() {
        return List.copyOf(simulation.errors());
    }

    /** Returns the errors so far, and forgets them: for tests of errors. */
    public List<String> takeErrors() {
        List<String> errors = errors();
        simulation.errors().clear();
        return errors;
    }

    /**
     * Closes the devices.
     *
     * @throws AssertionError where there were errors, or where buffers or streams are still open
     */
    @Override
    public void close() {
        devices.forEach(SimulatedDevice::close);
        List<String> errors = takeErrors();
        if (!errors.isEmpty()) {
            throw new AssertionError(errors.size() + " errors on simulated devices:\n" + String.join("\n", errors));
        }
    }
}
