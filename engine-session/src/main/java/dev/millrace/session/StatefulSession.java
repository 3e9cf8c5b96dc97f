package dev.millrace.session;

import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;

/**
 * A session whose runs follow each other in sequences: some outputs of a run are inputs of the next one, stay in the
 * engine's memory and are not copied. That of a {@link BatchedSession} makes one run of elements of many sequences, and copies
 * their states together and apart. The session stays open when this is closed.
 */
public interface StatefulSession extends AutoCloseable {
    /** The sequence of this key, begun where there is none. */
    Sequence sequence(Object key);

    /** A sequence that has no key and is not given up: whoever begins it closes it. */
    Sequence begin();

    /** Ends the sequence of this key and frees its state. */
    void end(Object key);

    /** The number of sequences that are remembered. */
    int size();

    /** The answers to the elements of one sequence, which begins with the subscription and ends with it. */
    default Flux<Outputs> flux(Publisher<? extends Inputs> elements) {
        return flux(elements, FluxOptions.defaults());
    }

    Flux<Outputs> flux(Publisher<? extends Inputs> elements, FluxOptions fluxOptions);

    /** The answers to elements of many sequences, mixed as they come; those of one sequence follow each other. */
    <K> Flux<Keyed<K, Outputs>> keyed(Publisher<Keyed<K, Inputs>> elements, FluxOptions fluxOptions);

    /** Ends all sequences. */
    @Override
    void close();
}
