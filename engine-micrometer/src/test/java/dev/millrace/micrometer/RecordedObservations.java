package dev.millrace.micrometer;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** A registry that keeps the contexts of its observations, in their order. */
final class RecordedObservations implements ObservationHandler<Observation.Context> {
    private final ObservationRegistry registry = ObservationRegistry.create();
    private final List<Observation.Context> started = new CopyOnWriteArrayList<>();
    private final BlockingQueue<Observation.Context> stopped = new LinkedBlockingQueue<>();

    RecordedObservations() {
        registry.observationConfig().observationHandler(this);
    }

    ObservationRegistry registry() {
        return registry;
    }

    List<Observation.Context> started() {
        return started;
    }

    List<Observation.Context> stopped() {
        return List.copyOf(stopped);
    }

    /** Waits until an observation has stopped, which a thread of the engine may do after the answer, and takes it out. */
    Observation.Context takeStopped() throws InterruptedException {
        return Objects.requireNonNull(stopped.poll(20, TimeUnit.SECONDS));
    }

    /** Waits until all observations that have started have stopped. */
    void awaitAllStopped() throws InterruptedException {
        for (int i = 0; i < 500 && stopped.size() != started.size(); i++) {
            Thread.sleep(10);
        }
    }

    @Override
    public void onStart(Observation.Context context) {
        started.add(context);
    }

    @Override
    public void onStop(Observation.Context context) {
        stopped.add(context);
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return true;
    }
}
