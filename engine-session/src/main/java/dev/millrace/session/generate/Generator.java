package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inference;
import dev.millrace.session.Session;
import dev.millrace.session.SessionLease;
import dev.millrace.session.SessionSource;
import dev.millrace.session.stream.StepFlux;
import dev.millrace.session.util.Failures;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/**
 * Generates the tokens that a language model says after a prompt. What the model keeps of earlier tokens stays in the engine's
 * memory. Any number of threads and streams may generate at a time: if the model allows it, one run computes the next tokens of
 * several texts, and else their runs take turns. The inference is a session, or a session that is batched, replaceable or observed;
 * it stays the caller's to close. A generation ends on the session that answered when it began.
 */
public final class Generator implements AutoCloseable {
    private final Inference inference;
    private final Function<Session, DecoderSignature> signatures;
    private final GeneratorOptions options;
    /** The session that was leased last. */
    private DecoderRuns current;

    private boolean closed;

    private Generator(Inference inference, Function<Session, DecoderSignature> signatures, GeneratorOptions options) {
        this.inference = Failures.requireArgument(inference, "inference");
        this.signatures = signatures;
        this.options = Failures.requireArgument(options, "options");
        try (SessionLease lease = SessionSource.leaseOf(inference)) {
            Session session = lease.session();
            this.current = DecoderRuns.of(session, signatures.apply(session), options);
        }
        Generator draft = options.draft();
        if (draft != null) {
            checkDraft(current.signature(), draft.signature());
        }
    }

    private static void checkDraft(DecoderSignature signature, DecoderSignature draft) {
        if (!(signature.mayGuess() && draft.mayGuess())) {
            throw EngineException.invalidArgument(
                    "a draft model goes with models whose caches have room for later tokens and that have the logits"
                            + " of all tokens, and so has the draft model: " + signature + ", " + draft);
        }
    }

    /**
     * A generator of a model whose inputs and outputs are called as exporters call them.
     *
     * @throws EngineException NOT_IMPLEMENTED if no single session answers the requests of the inference
     */
    public static Generator of(Inference inference) {
        return of(inference, roles -> {}, GeneratorOptions.defaults());
    }

    /**
     * A generator with options. One that keeps caches has to be closed.
     *
     * @param roles completes the roles of inputs and outputs that names imply, for each session that takes the place of another
     */
    public static Generator of(
            Inference inference, Consumer<DecoderSignature.Builder> roles, GeneratorOptions options) {
        Failures.requireArgument(roles, "roles");
        return new Generator(
                inference,
                session -> {
                    DecoderSignature.Builder builder = DecoderSignature.builder(session);
                    roles.accept(builder);
                    return builder.build();
                },
                options);
    }

    /** A generator of a model whose inputs and outputs were named. */
    public static Generator of(Session session, DecoderSignature signature) {
        return of(session, signature, GeneratorOptions.defaults());
    }

    /** A generator with options. One that keeps caches has to be closed. */
    public static Generator of(Session session, DecoderSignature signature, GeneratorOptions options) {
        Failures.requireArgument(signature, "signature").check(Failures.requireArgument(session, "session"));
        return new Generator(session, _ -> signature, options);
    }

    /**
     * Returns a generator of the same inference with other values for inputs that every run is given, such as those of a low-rank
     * adapter (LoRA). It shares no caches and no runs with this one. If this one keeps caches, both have to be closed.
     *
     * @param values the tensors by the names of inputs, which stay the caller's and open
     */
    public Generator with(Map<String, Tensor> values) {
        Failures.requireArgument(values, "values");
        return new Generator(inference, session -> signatures.apply(session).with(session, values), options);
    }

    /** The roles of the inputs and outputs of the session on which the last generation began. */
    public synchronized DecoderSignature signature() {
        return current.signature();
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
        try (Decoding decoding = begin(checked(prompt), options, Context.empty())) {
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
        return new StepFlux<>(context -> begin(words, options, context));
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
        return new StepFlux<>(_ -> search(words, options, beams)).last();
    }

    private BeamChain search(int[] words, GenerationOptions options, BeamOptions beams) {
        var sampler = new Sampler(Failures.requireArgument(options, "options"));
        Failures.requireArgument(beams, "beams");
        BeamSearch.check(options);
        LeasedRuns leased = leased(words);
        try {
            DecoderSignature signature = leased.signature();
            var model = new DecoderBeams(leased, words);
            var search = new BeamSearch(beams, options, sampler, words, model.known(), signature.contextLength());
            return new BeamChain(model, search, options);
        } catch (RuntimeException | Error e) {
            leased.close();
            throw e;
        }
    }

    private Decoding begin(int[] words, GenerationOptions options, ContextView context) {
        Failures.requireArgument(options, "options");
        LeasedRuns leased = leased(words);
        DraftText draft = null;
        try {
            draft = draft(options, leased.signature());
            leased.began(context);
            return new Decoding(leased, words, options, draft);
        } catch (RuntimeException | Error e) {
            if (draft != null) {
                draft.close();
            }
            leased.close();
            throw e;
        }
    }

    /** Leases the session that answers now, whose roles and caches are new if it took the place of another one. */
    private synchronized LeasedRuns lease() {
        SessionLease lease = SessionSource.leaseOf(inference);
        try {
            Session session = lease.session();
            if (session != current.session()) {
                DecoderRuns last = current;
                current = DecoderRuns.of(session, signatures.apply(session), options);
                last.prefixes().close();
                if (closed) {
                    current.prefixes().close();
                }
            }
            return new LeasedRuns(current, lease);
        } catch (RuntimeException | Error e) {
            lease.close();
            throw e;
        }
    }

    private LeasedRuns leased(int[] words) {
        LeasedRuns leased = lease();
        try {
            checkLength(words, leased.signature());
            return leased;
        } catch (RuntimeException | Error e) {
            leased.close();
            throw e;
        }
    }

    /** Returns the guesses of the draft model for a text; null if there are none. */
    private @Nullable DraftText draft(GenerationOptions generation, DecoderSignature signature) {
        Generator draft = options.draft();
        if (draft == null || generation.speculativeTokens() == 0) {
            return null;
        }
        LeasedRuns leased = draft.lease();
        try {
            checkDraft(signature, leased.signature());
            return new DraftText(leased, RunChain.options(generation));
        } catch (RuntimeException | Error e) {
            leased.close();
            throw e;
        }
    }

    /** The bytes of caches that ended generations have left for later prompts. */
    public synchronized long prefixBytes() {
        return current.prefixes().bytes();
    }

    /** Frees the caches that ended generations have left. Generations go on, and leave none. The session stays open. */
    @Override
    public synchronized void close() {
        closed = true;
        current.prefixes().close();
    }

    private int[] checked(long[] prompt) {
        int[] words = words(prompt);
        checkLength(words, signature());
        return words;
    }

    private static void checkLength(int[] words, DecoderSignature signature) {
        if (signature.contextLength() > 0 && words.length > signature.contextLength()) {
            throw EngineException.invalidArgument("the prompt has " + words.length + " tokens, and the model sees "
                    + signature.contextLength() + " at most");
        }
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
