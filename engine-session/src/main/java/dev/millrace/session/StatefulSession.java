package dev.millrace.session;

import dev.millrace.graph.EngineException;
import dev.millrace.session.stream.InferenceFlux;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * A session whose runs follow each other in sequences: some outputs of a run are inputs of the next one, stay in the
 * engine's memory and are not copied. That of a {@link BatchedSession} makes one run of elements of many sequences, and copies
 * their states together and apart. The session stays open when this is closed.
 */
public final class StatefulSession implements AutoCloseable {
    private final Streaming runs;
    private final CarriedState carried;
    private final StateOptions options;
    private final LongSupplier nanos;
    /** The one that rests longest first. */
    private final LinkedHashMap<Object, Remembered> sequences = new LinkedHashMap<>(16, 0.75f, true);

    private static final class Remembered {
        private final Sequence sequence;
        private long lastUse;

        Remembered(Sequence sequence) {
            this.sequence = sequence;
        }
    }

    /** @param runs the session itself, or what makes batches of its runs */
    StatefulSession(Streaming runs, OpenSession session, StateOptions options, List<State> states, LongSupplier nanos) {
        this.runs = runs;
        this.options = options;
        this.nanos = nanos;
        this.carried = new CarriedState(session, states);
    }

    /** The sequence of this key, begun where there is none. */
    public Sequence sequence(Object key) {
        List<Sequence> givenUp = new ArrayList<>();
        Sequence sequence;
        synchronized (sequences) {
            long now = nanos.getAsLong();
            Remembered remembered = sequences.computeIfAbsent(
                    Failures.given(key, "key"), _ -> new Remembered(new Sequence(runs, carried)));
            remembered.lastUse = now;
            sequence = remembered.sequence;
            giveUp(now, sequence, givenUp);
        }
        givenUp.forEach(Sequence::close);
        return sequence;
    }

    /** A sequence that has no key and is not given up: whoever begins it closes it. */
    public Sequence begin() {
        return new Sequence(runs, carried);
    }

    private void giveUp(long now, Sequence wanted, List<Sequence> givenUp) {
        int tooMany = sequences.size() - options.maxSequences();
        for (Iterator<Remembered> each = sequences.values().iterator(); each.hasNext(); ) {
            Remembered eldest = each.next();
            boolean tooOld = options.idle() != null && now - eldest.lastUse > Deadline.nanos(options.idle());
            if (tooMany <= 0 && !tooOld) {
                return;
            }
            if (eldest.sequence != wanted && !eldest.sequence.isBusy()) {
                each.remove();
                givenUp.add(eldest.sequence);
                tooMany--;
            }
        }
    }

    /** Ends the sequence of this key and frees its state. */
    public void end(Object key) {
        Remembered ended;
        synchronized (sequences) {
            ended = sequences.remove(key);
        }
        if (ended != null) {
            ended.sequence.close();
        }
    }

    /** How many sequences are remembered. */
    public int size() {
        synchronized (sequences) {
            return sequences.size();
        }
    }

    /** The answers to the elements of one sequence, which begins with the subscription and ends with it. */
    public Flux<Outputs> flux(Publisher<? extends Inputs> elements) {
        return flux(elements, FluxOptions.defaults());
    }

    public Flux<Outputs> flux(Publisher<? extends Inputs> elements, FluxOptions fluxOptions) {
        return Flux.using(this::begin, sequence -> sequence.flux(elements, fluxOptions), Sequence::close);
    }

    /** The answers to elements of many sequences, mixed as they come; those of one sequence follow each other. */
    public <K> Flux<Keyed<K, Outputs>> keyed(Publisher<Keyed<K, Inputs>> elements, FluxOptions fluxOptions) {
        return InferenceFlux.of(
                (element, context, to) -> sequence(element.key())
                        .accept(element.value(), RunContext.in(context, fluxOptions.forRun()), to),
                elements,
                fluxOptions.rules(runs.concurrency()),
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

    /** Ends all sequences. */
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
