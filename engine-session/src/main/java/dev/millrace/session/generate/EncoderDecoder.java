package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Inputs;
import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.StateOptions;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.ValueInfo;
import dev.millrace.session.state.OpenSequence;
import dev.millrace.session.stream.StepFlux;
import dev.millrace.session.util.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Generates tokens with an encoder and a decoder, such as T5, Marian, BART or Whisper, as Optimum exports them. The encoder runs
 * once for each text. The first step of the decoder computes the keys and values of the encoder's results, which stay in the
 * engine's memory; each further token is one run. Immutable. Any number of threads and streams may use an instance. The
 * sessions stay the caller's to close.
 */
public final class EncoderDecoder {
    private final Parts parts;
    private final StatefulSession sequences;
    private final @Nullable LogitsRule rule;

    /**
     * The sessions of a model.
     *
     * @param hidden the encoder's output that the decoder reads
     * @param first the decoder of the first step
     * @param later the decoder of further steps
     */
    record Parts(Session encoder, String hidden, CrossDecoder first, CrossDecoder later) {
        boolean keepsCaches() {
            return !later.selfCaches().isEmpty();
        }
    }

    private EncoderDecoder(Parts parts, StatefulSession sequences, @Nullable LogitsRule rule) {
        this.parts = parts;
        this.sequences = sequences;
        this.rule = rule;
    }

    /**
     * A model whose decoder is one file: one that has the first and the later steps as branches (decoder_model_merged.onnx), or one
     * that is given all tokens in each step (decoder_model.onnx).
     */
    public static EncoderDecoder of(Session encoder, Session decoder) {
        var both = new CrossDecoder(Failures.requireArgument(decoder, "decoder"));
        if (!both.caches().isEmpty() && !both.hasBranches()) {
            throw EngineException.invalidArgument(
                    "the decoder has caches as inputs, but no input use_cache_branch: its first step is another model"
                            + " (decoder_model.onnx), which EncoderDecoder.of(encoder, first, later) takes");
        }
        return of(encoder, both, both);
    }

    /** A model whose decoder is two files: that of the first step (decoder_model.onnx) and one with caches as inputs. */
    public static EncoderDecoder of(Session encoder, Session decoder, Session decoderWithPast) {
        return of(
                encoder,
                new CrossDecoder(Failures.requireArgument(decoder, "decoder")),
                new CrossDecoder(Failures.requireArgument(decoderWithPast, "decoderWithPast")));
    }

    private static EncoderDecoder of(Session encoder, CrossDecoder first, CrossDecoder later) {
        List<String> outputs = Failures.requireArgument(encoder, "encoder").outputs().stream()
                .map(ValueInfo::name)
                .toList();
        String hidden = outputs.contains("last_hidden_state") ? "last_hidden_state" : outputs.getFirst();
        later.caches().forEach(first::present);
        StatefulSession sequences = later.session()
                .stateful(StateOptions.defaults(), later.selfCaches().toArray(State[]::new));
        return new EncoderDecoder(new Parts(encoder, hidden, first, later), sequences, null);
    }

    /** Returns this model with a rule that changes the scores of tokens, after the options of a generation have done so. */
    public EncoderDecoder with(LogitsRule tokens) {
        return new EncoderDecoder(parts, sequences, Failures.requireArgument(tokens, "rule"));
    }

    /** The encoder. */
    public Session encoder() {
        return parts.encoder();
    }

    /**
     * All tokens behind a prompt, generated on this thread.
     *
     * @param input the inputs of the encoder, for one text
     * @param prompt the first tokens of the decoder, one at least, such as that which begins a text
     */
    public Generation run(Inputs input, long[] prompt, GenerationOptions options) {
        return run(input, prompt, options, token -> true);
    }

    /**
     * The tokens behind a prompt, generated on this thread.
     *
     * @param goesOn hears of each token as it is there, and says whether more are wanted
     */
    public Generation run(Inputs input, long[] prompt, GenerationOptions options, Predicate<Token> goesOn) {
        Failures.requireArgument(goesOn, "goesOn");
        var tokens = new ArrayList<Token>();
        try (TokenChain chain = begin(snapshot(input), Generator.words(prompt), options)) {
            while (true) {
                Token token = chain.run();
                tokens.add(token);
                boolean isWanted = goesOn.test(token);
                Ending ending = token.ending();
                if (ending != null || !isWanted) {
                    return new Generation(tokens, ending == null ? Ending.STOPPED : ending);
                }
            }
        }
    }

    /** All tokens behind a prompt, generated when it is subscribed to. */
    public Mono<Generation> mono(Inputs input, long[] prompt, GenerationOptions options) {
        return flux(input, prompt, options)
                .collectList()
                .map(tokens -> new Generation(
                        tokens, Objects.requireNonNull(tokens.getLast().ending())));
    }

    /** The tokens behind a prompt. Each is generated when it is asked for; cancelling stops the run under way. */
    public Flux<Token> flux(Inputs input, long[] prompt, GenerationOptions options) {
        Inputs kept = snapshot(input);
        int[] words = Generator.words(prompt);
        Failures.requireArgument(options, "options");
        return new StepFlux<>(_ -> begin(kept, words, options));
    }

    /** Searches for the most likely texts on this thread. One run extends all beams; see {@link Generator#beams}. */
    public List<ScoredGeneration> beams(Inputs input, long[] prompt, GenerationOptions options, BeamOptions beams) {
        try (BeamChain chain = search(snapshot(input), Generator.words(prompt), options, beams)) {
            return chain.runAll();
        }
    }

    /** Searches for the most likely texts when it is subscribed to. */
    public Mono<List<ScoredGeneration>> beamsMono(
            Inputs input, long[] prompt, GenerationOptions options, BeamOptions beams) {
        Inputs kept = snapshot(input);
        int[] words = Generator.words(prompt);
        Failures.requireArgument(options, "options");
        Failures.requireArgument(beams, "beams");
        return new StepFlux<>(_ -> search(kept, words, options, beams)).last();
    }

    private static Inputs snapshot(Inputs input) {
        return Failures.requireArgument(input, "input").snapshot();
    }

    private TokenChain begin(Inputs input, int[] words, GenerationOptions options) {
        var sampler = new Sampler(Failures.requireArgument(options, "options"), rule);
        return new TokenChain(runs(input, words), options, sampler, words);
    }

    private BeamChain search(Inputs input, int[] words, GenerationOptions options, BeamOptions beams) {
        BeamSearch.check(Failures.requireArgument(options, "options"));
        if (Failures.requireArgument(beams, "beams").beams() > 1
                && !parts.later().takesBatch()) {
            throw EngineException.notImplemented("a search with " + beams.beams()
                    + " beams in a decoder whose input_ids take no batch: export it with an open size of the batch");
        }
        var search = new BeamSearch(beams, options, new Sampler(options, rule), words, 0, 0);
        return new BeamChain(runs(input, words), search, options);
    }

    private EncoderDecoderRuns runs(Inputs input, int[] words) {
        return new EncoderDecoderRuns(parts, () -> (OpenSequence) sequences.begin(), input, words);
    }
}
