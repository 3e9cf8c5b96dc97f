package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.graph.tensor.TensorParts;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Sequence;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.stream.StepFlux;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** One generation: a prompt is one run for each of its chunks, each token is another run. */
final class Decoding implements StepFlux.Steps<Token> {
    /** The most tokens of a run: longer prompts take several, so that memory and the waiting of others stay bounded. */
    private static final int CHUNK = 512;

    private final DecoderSignature signature;
    private final Sequence sequence;
    private final GenerationOptions generation;
    private final Sampler sampler;
    private final RunOptions runs;
    private final int prompt;
    private int[] words;
    private int count;
    /** How many of the words the caches have. */
    private int cached;

    /** How many of the words the run under way covers. */
    private int end;

    private @Nullable Ending ending;

    Decoding(DecoderSignature signature, Sequence sequence, int[] prompt, GenerationOptions generation) {
        this.signature = signature;
        this.sequence = sequence;
        this.generation = generation;
        this.sampler = new Sampler(generation);
        this.prompt = prompt.length;
        this.words = prompt.clone();
        this.count = prompt.length;
        RunOptions.Builder options =
                RunOptions.builder().outputs(signature.logits()).priority(generation.priority());
        Cancellation cancellation = generation.cancellation();
        if (cancellation != null) {
            options.cancellation(cancellation);
        }
        Duration timeLimit = generation.timeLimit();
        if (timeLimit != null) {
            options.within(timeLimit);
        }
        this.runs = options.build();
    }

    /** Returns the next token, generated on this thread. */
    Token run() {
        while (true) {
            Token token = taken(sequence.run(inputs(), runs));
            if (token != null) {
                return token;
            }
        }
    }

    /** Returns the inputs of the next run: the new tokens, or the next chunk of a prompt. */
    private Inputs inputs() {
        end = signature.keepsCaches() ? Math.min(count, cached + CHUNK) : count;
        return signature.inputs(words, cached, end, count);
    }

    @Override
    public Disposable begin(ContextView context, Receiver<Token> to) {
        Disposable.Swap running = Disposables.swap();
        step(context, to, running);
        return running;
    }

    private void step(ContextView context, Receiver<Token> to, Disposable.Swap running) {
        running.update(sequence.mono(inputs(), runs)
                .subscribe(
                        outputs -> answer(outputs, context, to, running),
                        thrown -> to.failed(named(thrown)),
                        null,
                        Context.of(context)));
    }

    private void answer(Outputs outputs, ContextView context, Receiver<Token> to, Disposable.Swap running) {
        Token token;
        try {
            token = taken(outputs);
            if (token == null) {
                step(context, to, running);
                return;
            }
        } catch (RuntimeException | Error e) {
            to.failed(named(e));
            return;
        }
        to.answered(token);
    }

    private static EngineException named(Throwable thrown) {
        return thrown instanceof EngineException known
                ? known
                : EngineException.wrap(Status.FAIL, "generation", thrown);
    }

    /** Returns the token that follows from a run; null if the prompt goes on. */
    private @Nullable Token taken(Outputs outputs) {
        try (outputs) {
            cached = signature.keepsCaches() ? end : 0;
            if (end < count) {
                return null;
            }
            Sampler.Choice choice =
                    sampler.choose(last(outputs.get(signature.logits())), Arrays.copyOf(words, count), prompt);
            int word = choice.id();
            if (count == words.length) {
                words = Arrays.copyOf(words, 2 * count);
            }
            words[count++] = word;
            ending = ending(choice);
            return new Token(word, count - prompt - 1, ending, choice.likelihood());
        }
    }

    /** The logits of the last step, which are the last ones in memory too. */
    private static float[] last(Tensor logits) {
        Shape shape = logits.shape();
        if (shape.rank() == 0 || logits.elements() == 0) {
            throw EngineException.invalidArgument("a " + logits + " has no logits of a last token");
        }
        int vocabulary = Math.toIntExact(shape.dim(shape.rank() - 1));
        return TensorParts.floats(logits, logits.elements() - vocabulary, vocabulary);
    }

    private @Nullable Ending ending(Sampler.Choice choice) {
        if (generation.stopTokens().contains((long) choice.id())) {
            return Ending.STOP_TOKEN;
        }
        if (choice.isLast()) {
            return Ending.COMPLETE;
        }
        if (count - prompt >= generation.maxTokens()) {
            return Ending.MAX_TOKENS;
        }
        return signature.contextLength() > 0 && count > signature.contextLength() ? Ending.CONTEXT_FULL : null;
    }

    @Override
    public boolean isDone() {
        return ending != null;
    }

    @Override
    public void close() {
        sequence.close();
    }
}
