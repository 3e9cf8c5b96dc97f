package dev.millrace.session;

import java.util.Queue;

/** Remembers the batches that it is told of. */
record SeenBatches(Queue<BatchReport> batches) implements RequestListener {
    @Override
    public void ended(RequestReport request) {
        // only batches count
    }

    @Override
    public void batchEnded(BatchReport batch) {
        batches.add(batch);
    }
}
