package dev.millrace.session;

import dev.millrace.graph.EngineException;
import java.util.ArrayList;
import java.util.List;

/** Requests that wait for the next batch, in the order in which they came. Guarded by its user. */
final class BatchQueue {
    private final BatchOptions options;
    private final BatchAxes axes;
    private final ArrayList<BatchMember> waiting = new ArrayList<>();

    BatchQueue(BatchOptions options, BatchAxes axes) {
        this.options = options;
        this.axes = axes;
    }

    void add(BatchMember member) {
        waiting.add(member);
    }

    void remove(BatchMember member) {
        waiting.remove(member);
    }

    int size() {
        return waiting.size();
    }

    boolean isEmpty() {
        return waiting.isEmpty();
    }

    boolean isFull() {
        return waiting.size() >= options.maxSize();
    }

    BatchMember first() {
        return waiting.getFirst();
    }

    /** The next batch, taken out: the first that waits and those that fit to it. */
    List<BatchMember> take() {
        waiting.removeIf(BatchMember::isDone);
        if (waiting.isEmpty()) {
            return List.of();
        }
        int size = options.size(waiting.size());
        var batch = new ArrayList<BatchMember>(size);
        BatchMember first = waiting.getFirst();
        int kept = 0;
        for (int i = 0; i < waiting.size(); i++) {
            BatchMember member = waiting.get(i);
            if (batch.size() < size && (member == first || fit(first, member))) {
                batch.add(member);
            } else {
                waiting.set(kept++, member);
            }
        }
        waiting.subList(kept, waiting.size()).clear();
        return batch;
    }

    private boolean fit(BatchMember first, BatchMember other) {
        try {
            return axes.fit(first.given, other.given);
        } catch (EngineException closed) {
            // it runs alone, and hears of it then
            return false;
        }
    }
}
