package dev.millrace.micrometer;

import dev.millrace.session.Session;
import dev.millrace.session.SessionLease;
import io.micrometer.observation.Observation;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.util.context.ContextView;

/** A lease whose generation is an observation. */
final class ObservedLease implements SessionLease {
    private final SessionLease lease;
    private final Function<ContextView, Observation> begins;
    private @Nullable Observation observation;

    ObservedLease(SessionLease lease, Function<ContextView, Observation> begins) {
        this.lease = lease;
        this.begins = begins;
    }

    @Override
    public Session session() {
        return lease.session();
    }

    @Override
    public void generationBegan(ContextView context) {
        lease.generationBegan(context);
        observation = begins.apply(context);
    }

    @Override
    public void generationEnded(String outcome, int promptTokens, int generatedTokens, @Nullable Throwable failure) {
        Observation begun = observation;
        if (begun != null) {
            begun.lowCardinalityKeyValue("outcome", outcome)
                    .highCardinalityKeyValue("prompt.tokens", Integer.toString(promptTokens))
                    .highCardinalityKeyValue("generated.tokens", Integer.toString(generatedTokens));
            if (failure != null) {
                begun.error(failure);
            }
            begun.stop();
        }
        lease.generationEnded(outcome, promptTokens, generatedTokens, failure);
    }

    @Override
    public void close() {
        lease.close();
    }
}
