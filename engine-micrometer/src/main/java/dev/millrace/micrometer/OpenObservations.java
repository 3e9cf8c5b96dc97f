package dev.millrace.micrometer;

import dev.millrace.session.Inputs;
import io.micrometer.observation.Observation;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The observations of a stream's requests that have no answer yet. The same inputs may be
 * requested several times. Thread-safe.
 */
final class OpenObservations {
    private final Map<Inputs, Queue<Observation>> open = new ConcurrentHashMap<>();
    /** The failure of the requests that come after the end of the stream, null before it. */
    private volatile @Nullable Throwable ended;

    /** Adds a request's observation, or ends it if the stream has ended meanwhile. */
    void add(Inputs request, Observation observation) {
        open.compute(request, (_, before) -> {
            Queue<Observation> waiting = before == null ? new ConcurrentLinkedQueue<>() : before;
            waiting.add(observation);
            return waiting;
        });
        Throwable failure = ended;
        if (failure != null) {
            endAll(failure);
        }
    }

    /** @param failure the failure that the request ended with, or null if it was answered */
    void end(Inputs request, @Nullable Throwable failure) {
        Queue<Observation> waiting = open.get(request);
        Observation first = waiting == null ? null : waiting.poll();
        if (first != null) {
            end(first, failure);
        }
        open.computeIfPresent(request, (_, left) -> left.isEmpty() ? null : left);
    }

    /** Ends the remaining observations, whose requests nobody will answer. */
    void endAll(Throwable failure) {
        ended = failure;
        for (Inputs request : open.keySet()) {
            Queue<Observation> waiting = open.remove(request);
            while (waiting != null && waiting.poll() instanceof Observation next) {
                end(next, failure);
            }
        }
    }

    private static void end(Observation observation, @Nullable Throwable failure) {
        if (failure != null) {
            observation.error(failure);
        }
        observation.stop();
    }
}
