package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Session;
import dev.millrace.session.State;
import dev.millrace.session.StateOptions;
import dev.millrace.session.StatefulSession;
import dev.millrace.session.request.HeardGeneration;
import dev.millrace.session.request.Streaming;
import dev.millrace.session.state.OpenSequence;
import dev.millrace.session.stream.StepFlux;
import dev.millrace.session.util.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/**
 * Generates the tokens that a language model says after a prompt. What the model keeps of earlier tokens stays in the engine's
 * memory. Any number of threads and streams may generate at a time: if the model allows it, one run computes the next tokens of
 * several texts, and else their runs take turns. The session stays the caller's to close.
 */
public final class Generator implements AutoCloseable {
    private final Session session;
    private final GeneratorOptions options;
    private final DecoderSignature signature;
    private final PrefixCache prefixes;
    private final @Nullable DecodeBatch batch;

    private Generator(Session session, DecoderSignature signature, GeneratorOptions options) {
        this.session = session;
        this.options = options;
        this.signature = signature;
        Generator draft = options.draft();
        if (draft != null && !(signature.mayGuess() && draft.signature.mayGuess())) {
            throw EngineException.invalidArgument(
                    "a draft model goes with models whose caches have room for later tokens and that have the logits"
                            + " of all tokens, and so has the draft model: " + signature + ", " + draft.signature);
        }
        StatefulSession sequences =
                session.stateful(StateOptions.defaults(), signature.states().toArray(State[]::new));
        this.prefixes = new PrefixCache(sequences, signature, options.prefixBytes());
        this.batch = options.maxBatch() > 1 && signature.mayBatch()
                ? new DecodeBatch(signature, () -> (OpenSequence) sequences.begin(), options.maxBatch())
                : null;
    }

    /** A generator of a model whose inputs and outputs are called as exporters call them. */
    public static Generator of(Session session) {
        return of(session, DecoderSignature.of(session));
    }

    /** A generator of a model whose inputs and outputs were named. */
    public static Generator of(Session session, DecoderSignature signature) {
        return of(session, signature, GeneratorOptions.defaults());
    }

    /** A generator with options. One that keeps caches has to be closed. */
    public static Generator of(Session session, DecoderSignature signature, GeneratorOptions options) {
        Failures.requireArgument(signature, "signature").check(Failures.requireArgument(session, "session"));
        return new Generator(session, signature, Failures.requireArgument(options, "options"));
    }

    /**
     * Returns a generator of the same session with other values for inputs that every run is given, such as those of a low-rank
     * adapter (LoRA). It shares no caches and no runs with this one. If this one keeps caches, both have to be closed.
     *
     * @param values the tensors by the names of inputs, which stay the caller's and open
     */
    public Generator with(Map<String, Tensor> values) {
        return of(session, signature.with(session, Failures.requireArgument(values, "values")), options);
    }

    public DecoderSignature signature() {
        return signature;
    }

    /** All tokens behind a prompt, generated on this thread. */
    public Generation run(long[] prompt, GenerationOptions options) {
        return run(prompt, options, token -> true);
    }

    /**
     * The tokens behind a prompt, generated on this thread.
     *
     * @param goesOn hears of each token as it is there, and says whether more are wanted
     */
    public Generation run(long[] prompt, GenerationOptions options, Predicate<Token> goesOn) {
        Failures.requireArgument(goesOn, "goesOn");
        var tokens = new ArrayList<Token>();
        try (Decoding decoding = begin(checked(prompt), options)) {
            while (true) {
                Token token = decoding.run();
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
    public Mono<Generation> mono(long[] prompt, GenerationOptions options) {
        return flux(prompt, options)
                .collectList()
                .map(tokens -> new Generation(
                        tokens, Objects.requireNonNull(tokens.getLast().ending())));
    }

    /** The tokens behind a prompt. Each is generated when it is asked for; cancelling stops the run under way. */
    public Flux<Token> flux(long[] prompt, GenerationOptions options) {
        int[] words = checked(prompt);
        Failures.requireArgument(options, "options");
        return new StepFlux<>(() -> begin(words, options));
    }

    /**
     * Searches for the most likely texts behind a prompt on this thread: each step keeps the best texts so far and extends all of
     * them. If the inputs of the model take a batch, one run extends all.
     *
     * @param options those of the texts; nothing is drawn, so the temperature is 0
     * @return the best texts, the best one first
     */
    public List<ScoredGeneration> beams(long[] prompt, GenerationOptions options, BeamOptions beams) {
        try (BeamChain chain = search(checked(prompt), options, beams)) {
            return chain.runAll();
        }
    }

    /** Searches for the most likely texts behind a prompt when it is subscribed to. */
    public Mono<List<ScoredGeneration>> beamsMono(long[] prompt, GenerationOptions options, BeamOptions beams) {
        int[] words = checked(prompt);
        Failures.requireArgument(options, "options");
        Failures.requireArgument(beams, "beams");
        return new StepFlux<>(() -> search(words, options, beams)).last();
    }

    private BeamChain search(int[] words, GenerationOptions options, BeamOptions beams) {
        var sampler = new Sampler(Failures.requireArgument(options, "options"));
        Failures.requireArgument(beams, "beams");
        BeamSearch.check(options);
        var model = new DecoderBeams(signature, prefixes, words);
        var search = new BeamSearch(beams, options, sampler, words, model.known(), signature.contextLength());
        return new BeamChain(model, search, options);
    }

    private Decoding begin(int[] words, GenerationOptions options) {
        Failures.requireArgument(options, "options");
        HeardGeneration heard = session instanceof Streaming streaming ? streaming.beginGeneration() : null;
        return new Decoding(signature, prefixes, batch, words, options, draft(options), heard);
    }

    /** Returns the guesses of the draft model for a text; null if there are none. */
    private @Nullable DraftText draft(GenerationOptions generation) {
        Generator draft = options.draft();
        return draft == null || generation.speculativeTokens() == 0
                ? null
                : new DraftText(draft.signature, draft.prefixes, RunChain.options(generation));
    }

    /** The bytes of caches that ended generations have left for later prompts. */
    public long prefixBytes() {
        return prefixes.bytes();
    }

    /** Frees the caches that ended generations have left. Generations go on, and leave none. The session stays open. */
    @Override
    public void close() {
        prefixes.close();
    }

    private int[] checked(long[] prompt) {
        int[] words = words(prompt);
        if (signature.contextLength() > 0 && words.length > signature.contextLength()) {
            throw EngineException.invalidArgument("the prompt has " + words.length + " tokens, and the model sees "
                    + signature.contextLength() + " at most");
        }
        return words;
    }

    /** Returns the tokens of a prompt; refuses an empty one, and numbers that no vocabulary has. */
    static int[] words(long[] prompt) {
        int length = Failures.requireArgument(prompt, "prompt").length;
        if (length == 0) {
            throw EngineException.invalidArgument(
                    "the prompt is empty: a model needs one token at least, such as that which begins a text");
        }
        int[] words = new int[length];
        for (int i = 0; i < length; i++) {
            if (prompt[i] < 0 || prompt[i] > Integer.MAX_VALUE) {
                throw EngineException.invalidArgument(
                        "token " + i + " of the prompt is " + prompt[i] + ", which no vocabulary has");
            }
            words[i] = (int) prompt[i];
        }
        return words;
    }
}
