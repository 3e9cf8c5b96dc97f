package dev.millrace.server.model;

import dev.millrace.session.BatchReport;
import dev.millrace.session.GenerationReport;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import dev.millrace.session.SessionLabel;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** The counters of all models, which hear of runs from the engine. */
public final class CounterBook implements RequestListener {
    private record Key(String name, String version) {}

    private final Map<Key, InferenceCounters> counters = new ConcurrentHashMap<>();
    private final RequestListener next;

    /** @param next hears of the same runs */
    public CounterBook(RequestListener next) {
        this.next = next;
    }

    public InferenceCounters of(String name, String version) {
        return counters.computeIfAbsent(new Key(name, version), _ -> new InferenceCounters());
    }

    private InferenceCounters of(SessionLabel label) {
        return of(label.name(), label.version());
    }

    @Override
    public void ended(RequestReport request) {
        if (request.ranNanos() > 0) {
            of(request.of()).ran(request.queuedNanos(), request.ranNanos());
        }
        next.ended(request);
    }

    @Override
    public void began(SessionLabel of, String tag) {
        next.began(of, tag);
    }

    @Override
    public void joined(SessionLabel of, String tag, int requests) {
        next.joined(of, tag, requests);
    }

    @Override
    public void generationEnded(GenerationReport generation) {
        next.generationEnded(generation);
    }

    @Override
    public void batchEnded(BatchReport batch) {
        of(batch.of()).joined(batch.size(), batch.copiedNanos(), batch.ranNanos());
        next.batchEnded(batch);
    }
}
