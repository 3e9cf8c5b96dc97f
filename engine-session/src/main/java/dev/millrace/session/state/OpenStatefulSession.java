package dev.millrace.session.state;

import dev.millrace.graph.EngineException;
import dev.millrace.session.FluxOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Keyed;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunContext;
import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.StateOptions;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.stream.InferenceFlux;
import dev.millrace.session.util.Deadline;
import dev.millrace.session.util.Failures;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/** A table of sequences, by their keys, over the session that runs them. */
public final class OpenStatefulSession implements StatefulSession {
    private final Streaming runs;
    private final CarriedState carried;
    private final StateOptions options;
    private final LongSupplier nanos;
    /** The one that rests longest first. */
    private final LinkedHashMap<Object, Remembered> sequences = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Remembered {
        private final OpenSequence sequence;
        private long lastUse;

        Remembered(OpenSequence sequence) {
            this.sequence = sequence;
        }
    }

    /** @param runs the session itself, or what makes batches of its runs */
    public OpenStatefulSession(
            Streaming runs, Session session, StateOptions options, List<State> states, LongSupplier nanos) {
        this.runs = runs;
        this.options = options;
        this.nanos = nanos;
        this.carried = new CarriedState(session, states);
    }

    @Override
    public OpenSequence sequence(Object key) {
        List<OpenSequence> evicted = new ArrayList<>();
        OpenSequence sequence;
        synchronized (sequences) {
            long now = nanos.getAsLong();
            Remembered remembered = sequences.computeIfAbsent(
                    Failures.requireArgument(key, "key"), _ -> new Remembered(new OpenSequence(runs, carried)));
            remembered.lastUse = now;
            sequence = remembered.sequence;
            giveUp(now, sequence, evicted);
        }
        evicted.forEach(OpenSequence::close);
        return sequence;
    }

    @Override
    public OpenSequence begin() {
        return new OpenSequence(runs, carried);
    }

    private void giveUp(long now, OpenSequence wanted, List<OpenSequence> evicted) {
        int tooMany = sequences.size() - options.maxSequences();
        for (Iterator<Remembered> each = sequences.values().iterator(); each.hasNext(); ) {
            Remembered eldest = each.next();
            boolean tooOld = options.idle() != null && now - eldest.lastUse > Deadline.nanos(options.idle());
            if (tooMany <= 0 && !tooOld) {
                return;
            }
            if (eldest.sequence != wanted && !eldest.sequence.isBusy()) {
                each.remove();
                evicted.add(eldest.sequence);
                tooMany--;
            }
        }
    }

    @Override
    public void end(Object key) {
        Remembered ended;
        synchronized (sequences) {
            ended = sequences.remove(key);
        }
        if (ended != null) {
            ended.sequence.close();
        }
    }

    @Override
    public int size() {
        synchronized (sequences) {
            return sequences.size();
        }
    }

    @Override
    public Flux<Outputs> flux(Publisher<? extends Inputs> elements, FluxOptions fluxOptions) {
        return Flux.using(this::begin, sequence -> sequence.flux(elements, fluxOptions), OpenSequence::close);
    }

    @Override
    public <K> Flux<Keyed<K, Outputs>> keyed(Publisher<Keyed<K, Inputs>> elements, FluxOptions fluxOptions) {
        return InferenceFlux.of(
                (element, context, to) -> sequence(element.key())
                        .accept(element.value(), RunContext.in(context, fluxOptions.forRun()), to),
                elements,
                Streaming.rules(fluxOptions, runs.concurrency()),
                new KeyedAnswers<K>());
    }

    private static final class KeyedAnswers<K>
            implements InferenceFlux.Delivery<Keyed<K, Inputs>, Outputs, Keyed<K, Outputs>> {
        @Override
        public Keyed<K, Outputs> answer(Keyed<K, Inputs> request, Outputs answer) {
            return new Keyed<>(request.key(), answer);
        }

        @Override
        public @Nullable Keyed<K, Outputs> failure(Keyed<K, Inputs> request, EngineException failure) {
            return null;
        }

        @Override
        public void drop(Outputs answer) {
            answer.close();
        }
    }

    @Override
    public void close() {
        Map<Object, Remembered> all;
        synchronized (sequences) {
            all = Map.copyOf(sequences);
            sequences.clear();
        }
        all.values().forEach(remembered -> remembered.sequence.close());
    }
}
