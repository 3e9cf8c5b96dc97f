package dev.millrace.providers.testkit.device;

import dev.millrace.providers.testkit.device.MachineOptions.Order;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The state that all parts of a simulated machine share: events, virtual time, random numbers, errors, the checker. */
final class Simulation {
    private final MachineOptions options;
    private final SplittableRandom random;
    private final List<EventSource> sources = new ArrayList<>();
    private final List<MachineEvent> ofHost = new ArrayList<>();
    private final Set<String> errors = new LinkedHashSet<>();
    private final List<ScheduledOperation> schedule = new ArrayList<>();
    private final RaceChecker checker = new RaceChecker(this::error);
    private final HostMemory hostMemory = new HostMemory(this::error);
    /** The operations that the host knows to be over. */
    private final VectorClock host = new VectorClock();

    private @Nullable Thread thread;
    private long waits;
    private long droppedWait = -1;
    private int streams;
    private long now;

    Simulation(long seed, MachineOptions options) {
        this.options = options;
        random = new SplittableRandom(seed);
    }

    MachineOptions options() {
        return options;
    }

    RandomGenerator random() {
        return random;
    }

    RaceChecker checker() {
        return checker;
    }

    HostMemory hostMemory() {
        return hostMemory;
    }

    VectorClock host() {
        return host;
    }

    long now() {
        return now;
    }

    void advanceTo(long time) {
        now = Math.max(now, time);
    }

    List<ScheduledOperation> schedule() {
        return schedule;
    }

    void error(String text) {
        errors.add(text);
    }

    Set<String> errors() {
        return errors;
    }

    /** Returns the index of another stream in vector clocks. */
    int newStream() {
        return streams++;
    }

    long waits() {
        return waits;
    }

    void dropWait(long number) {
        droppedWait = number;
    }

    /** Counts a wait of a stream; whether it is to be dropped. */
    boolean dropsNextWait() {
        return waits++ == droppedWait;
    }

    void add(EventSource source) {
        sources.add(source);
    }

    void remove(EventSource source) {
        sources.remove(source);
    }

    /** Adds something that happens on a thread of the host. */
    void post(long time, boolean isLate, Runnable task) {
        ofHost.add(new MachineEvent(time, isLate, task));
    }

    /** Checks that one thread does everything: two would make the order depend on more than the seed. */
    void checkThread() {
        if (thread == null) {
            thread = Thread.currentThread();
        }
        if (thread != Thread.currentThread()) {
            throw new IllegalStateException("a simulated machine belongs to the first thread that uses it, "
                    + thread.getName() + "; " + Thread.currentThread().getName() + " called it");
        }
    }

    /** Does one thing; false where there is none. */
    boolean step() {
        checkThread();
        MachineEvent event = pick();
        if (event == null) {
            return false;
        }
        if (ofHost.remove(event)) {
            advanceTo(event.time());
            runOnHost(event.action());
        } else {
            event.action().run();
        }
        return true;
    }

    private @Nullable MachineEvent pick() {
        var ready = new ArrayList<>(ofHost);
        for (EventSource source : sources) {
            MachineEvent next = source.next();
            if (next != null) {
                ready.add(next);
            }
        }
        if (ready.stream().anyMatch(event -> !event.isLate())) {
            ready.removeIf(MachineEvent::isLate);
        }
        if (options.order() == Order.TIME) {
            long first = ready.stream().mapToLong(MachineEvent::time).min().orElse(0);
            ready.removeIf(event -> event.time() > first);
        }
        return ready.isEmpty() ? null : ready.get(random.nextInt(ready.size()));
    }

    private void runOnHost(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException thrown) {
            error("a task of the host threw " + thrown);
        }
    }

    /** Goes on until something is so, or nothing is left to do; whether it is so. */
    boolean stepUntil(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            if (!step()) {
                return false;
            }
        }
        return true;
    }

    /** Goes on until nothing is left to do and no stream waits. */
    void settle() {
        while (step()) {
            // each step does one thing
        }
        if (!sources.stream().allMatch(EventSource::isIdle)) {
            throw deadlock("the machine cannot settle");
        }
        sources.forEach(source -> advanceTo(source.time()));
    }

    /** Returns, and notes, the error that nothing can go on. */
    AssertionError deadlock(String who) {
        var text = new StringBuilder(who).append(": a wait that nobody will signal");
        sources.forEach(source -> text.append("\n  ").append(source.describe()));
        error(text.toString());
        return new AssertionError(text.toString());
    }
}
