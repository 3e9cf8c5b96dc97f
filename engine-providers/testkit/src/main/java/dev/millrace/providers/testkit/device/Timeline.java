package dev.millrace.providers.testkit.device;

import dev.millrace.scheduler.device.CompletionListener;
import dev.millrace.scheduler.device.DeviceFailure;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The times of a stream: those that are marked, those that have completed, and who wants to hear of them. */
final class Timeline {
    private final Simulation simulation;
    private final String name;
    private final List<Point> completed = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    /** The times right behind an operation. */
    private final BitSet behindWork = new BitSet();

    private long marked;
    private @Nullable DeviceFailure lost;

    /** A time that has completed. */
    record Point(long at, VectorClock clock, @Nullable DeviceFailure failure) {}

    /** The ways in which completion is told. */
    enum Telling {
        USUAL,
        LATE,
        TWICE
    }

    private record Listener(long time, CompletionListener completion) {}

    Timeline(Simulation simulation, String name) {
        this.simulation = simulation;
        this.name = name;
    }

    /**
     * Returns the next time.
     *
     * @param isBehindWork whether an operation is right before it
     */
    long mark(boolean isBehindWork) {
        marked++;
        behindWork.set((int) marked, isBehindWork);
        return marked;
    }

    boolean isBehindWork(long time) {
        return behindWork.get((int) time);
    }

    void checkMarked(long time) {
        if (time < 0 || time > marked) {
            String text = "a wait for " + name + " at " + time + ", which it was not given: it has times to " + marked;
            simulation.error(text);
            throw new IllegalArgumentException(text);
        }
    }

    /** Whether the time has completed, well or not, or will never. */
    boolean isOver(long time) {
        return time <= completed.size() || lost != null;
    }

    /** The point of a time that is over. */
    Point point(long time) {
        if (time > completed.size()) {
            return new Point(simulation.now(), new VectorClock(), lost);
        }
        return time == 0 ? new Point(0, new VectorClock(), null) : completed.get((int) time - 1);
    }

    void complete(Point point, Telling telling) {
        completed.add(point);
        tell(telling);
    }

    /** Tells all who wait that nothing completes from now on. */
    void lose(DeviceFailure failure) {
        lost = failure;
        tell(Telling.USUAL);
    }

    private void tell(Telling telling) {
        for (Listener listener : List.copyOf(listeners)) {
            if (isOver(listener.time)) {
                listeners.remove(listener);
                Point point = point(listener.time);
                for (int i = telling == Telling.TWICE ? 2 : 1; i > 0; i--) {
                    simulation.post(point.at, telling == Telling.LATE, () -> hear(point, listener.completion));
                }
            }
        }
    }

    private void hear(Point point, CompletionListener completion) {
        simulation.host().join(point.clock);
        completion.completed(point.failure);
    }

    void whenOver(long time, CompletionListener completion) {
        checkMarked(time);
        if (isOver(time)) {
            hear(point(time), completion);
        } else {
            listeners.add(new Listener(time, completion));
        }
    }

    /** The latest time that has completed, of which the host knows now. */
    long completed() {
        simulation.host().join(point(completed.size()).clock);
        return completed.size();
    }

    /** Returns the times that somebody waits for. */
    String describe() {
        return name + " has reached " + completed.size() + " of " + marked
                + (listeners.isEmpty()
                        ? ""
                        : "; completions of "
                                + listeners.stream()
                                        .map(Listener::time)
                                        .sorted()
                                        .toList()
                                + " are awaited");
    }

    @Override
    public String toString() {
        return name;
    }
}
