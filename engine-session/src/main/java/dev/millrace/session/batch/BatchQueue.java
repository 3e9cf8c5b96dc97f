package dev.millrace.session.batch;

import dev.millrace.session.BatchOptions;
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

    /** Takes out the requests that nobody wants any more. The caller has to end them, outside of the lock. */
    List<BatchMember> takeUnwanted() {
        List<BatchMember> unwanted = List.of();
        for (int i = waiting.size() - 1; i >= 0; i--) {
            if (waiting.get(i).isUnwanted()) {
                unwanted = unwanted.isEmpty() ? new ArrayList<>() : unwanted;
                unwanted.add(waiting.remove(i));
            }
        }
        return unwanted;
    }

    /** Takes out the next batch: the first request that waits and those that fit to it. */
    List<BatchMember> take() {
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
            return axes.fit(first.inputs, other.inputs);
        } catch (RuntimeException unreadable) {
            // one of the two was closed or freed: it runs alone, and its run says so
            return false;
        }
    }
}
