package dev.millrace.session.generate;

import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.StateOptions;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.state.OpenSequence;
import org.jspecify.annotations.Nullable;

/**
 * The parts that generations on one session share.
 *
 * @param prefixes the caches that ended generations have left
 * @param batch computes the tokens of several texts together; null for none
 */
record DecoderRuns(
        Session session,
        DecoderSignature signature,
        PrefixCache prefixes,
        @Nullable DecodeBatch batch) {
    static DecoderRuns of(Session session, DecoderSignature signature, GeneratorOptions options) {
        StatefulSession sequences =
                session.stateful(StateOptions.defaults(), signature.states().toArray(State[]::new));
        var prefixes = new PrefixCache(sequences, signature, options.prefixBytes());
        DecodeBatch batch = options.maxBatch() > 1 && signature.mayBatch()
                ? new DecodeBatch(signature, () -> (OpenSequence) sequences.begin(), options.maxBatch())
                : null;
        return new DecoderRuns(session, signature, prefixes, batch);
    }
}
