package dev.millrace.spring.boot;

import dev.millrace.session.BatchReport;
import dev.millrace.session.GenerationReport;
import dev.millrace.session.RequestListener;
import dev.millrace.session.RequestReport;
import java.util.List;

/** Several listeners to requests as one. */
record JoinedListeners(List<RequestListener> listeners) implements RequestListener {
    @Override
    public void ended(RequestReport request) {
        listeners.forEach(each -> each.ended(request));
    }

    @Override
    public void batchEnded(BatchReport batch) {
        listeners.forEach(each -> each.batchEnded(batch));
    }

    @Override
    public void generationEnded(GenerationReport generation) {
        listeners.forEach(each -> each.generationEnded(generation));
    }
}
