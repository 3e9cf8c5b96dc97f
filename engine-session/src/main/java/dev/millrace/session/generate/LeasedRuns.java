package dev.millrace.session.generate;

import dev.millrace.session.SessionLease;
import dev.millrace.session.request.HeardGeneration;
import dev.millrace.session.request.Streaming;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/** The use of a session by one generation, and those who hear of it. For one thread at a time. */
final class LeasedRuns implements AutoCloseable {
    private final DecoderRuns runs;
    private final SessionLease lease;
    private @Nullable HeardGeneration heard;
    private int generated;
    private @Nullable Throwable failure;

    LeasedRuns(DecoderRuns runs, SessionLease lease) {
        this.runs = runs;
        this.lease = lease;
    }

    DecoderRuns runs() {
        return runs;
    }

    DecoderSignature signature() {
        return runs.signature();
    }

    /** Notes that the generation begins. */
    void began(ContextView context) {
        heard = runs.session() instanceof Streaming streaming ? streaming.beginGeneration() : null;
        lease.generationBegan(context);
    }

    /** Notes a token. */
    void generated() {
        generated++;
        if (heard != null) {
            heard.generated();
        }
    }

    /** Notes a failure. */
    void failed(Throwable thrown) {
        failure = thrown;
    }

    /**
     * Notes the end of the generation.
     *
     * @param prompt the tokens of the prompt
     * @param known those of them that the caches had
     */
    void ended(int prompt, int known, Ending ending) {
        String outcome = failure == null ? ending.name() : "FAILED";
        if (heard != null) {
            heard.ended(prompt, known, outcome);
        }
        lease.generationEnded(outcome, prompt, generated, failure);
    }

    @Override
    public void close() {
        lease.close();
    }
}
