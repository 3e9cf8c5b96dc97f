package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunContext;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Sequence;
import dev.millrace.session.state.OpenSequence;
import dev.millrace.session.stream.Receiver;
import dev.millrace.session.stream.StepFlux;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.util.context.Context;
import reactor.util.context.ContextView;

/** One generation: a prompt is one run for each of its chunks, and each token is another run or a part of one. */
final class Decoding implements StepFlux.Steps<Token> {
    /** The most tokens of a run: longer prompts take several, so that memory and the waiting of others stay bounded. */
    private static final int CHUNK = 512;
    /** The most tokens of a run while other texts wait for their next tokens. */
    private static final int CHUNK_BESIDE_OTHERS = 128;

    private final DecoderSignature signature;
    private final PrefixCache prefixes;
    private final Sequence sequence;
    private final @Nullable DecodeBatch batch;
    private final GenerationOptions generation;
    private final Sampler sampler;
    private final RunOptions runs;
    private final int prompt;
    /** How many tokens of the prompt the caches had at the beginning. */
    private final int known;

    private int[] words;
    private int count;
    /** How many of the words the caches have. */
    private int cached;

    /** How many of the words the run under way covers. */
    private int end;

    /** The place in the batch, once the prompt is read. */
    private @Nullable BatchedText text;

    /** Tokens of a run with guesses that nobody has been given yet. */
    private final ArrayDeque<Token> ready = new ArrayDeque<>();

    private final Speculation speculation;
    private @Nullable Ending ending;

    /** @param batch computes the tokens of several texts together; null for none */
    Decoding(
            DecoderSignature signature,
            PrefixCache prefixes,
            @Nullable DecodeBatch batch,
            int[] prompt,
            GenerationOptions generation) {
        this.signature = signature;
        this.prefixes = prefixes;
        this.batch = batch;
        this.generation = generation;
        this.sampler = new Sampler(generation);
        this.speculation = new Speculation(signature.mayGuess() ? generation.speculativeTokens() : 0);
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
        PrefixCache.Begun begun = prefixes.begin(prompt);
        this.sequence = begun.sequence();
        this.known = begun.cached();
        this.cached = begun.cached();
    }

    /** Returns the next token, generated on this thread. */
    Token run() {
        while (true) {
            Token token = ready.poll();
            if (token != null) {
                return token;
            }
            int[] guesses = guesses();
            if (guesses.length > 0) {
                judge(guesses, sequence.run(inputs(guesses), runs));
                continue;
            }
            BatchedText batched = batched();
            token = batched == null ? taken(sequence.run(inputs(), runs)) : chosen(awaited(batched));
            if (token != null) {
                return token;
            }
        }
    }

    /** Returns guesses of the next tokens; none while the prompt is read or other texts share the runs. */
    private int[] guesses() {
        boolean isAlone = batch == null || batch.isAlone(text);
        if (cached == 0 || count - cached > 1 || !isAlone) {
            return new int[0];
        }
        int context = signature.contextLength() > 0 ? signature.contextLength() : Integer.MAX_VALUE;
        int answer = generation.maxTokens() - (count - prompt) - 1;
        return speculation.guesses(words, count, Math.min(answer, context - count - 1));
    }

    /** Returns the inputs of a run of the last token and guesses. */
    private Inputs inputs(int[] guesses) {
        int[] all = Arrays.copyOf(words, count + guesses.length);
        System.arraycopy(guesses, 0, all, count, guesses.length);
        end = count;
        return signature.inputs(all, cached, all.length, all.length);
    }

    /** Adds the tokens of a run with guesses: one behind each right guess, and one more. */
    private void judge(int[] guesses, Outputs outputs) {
        int right = 0;
        try (outputs) {
            int rows = guesses.length + 1;
            if (signature.rows(outputs) < rows) {
                // the model has logits of the last token alone, which is behind guesses
                speculation.stop();
                return;
            }
            for (int row = 0; row < rows && ending == null; row++) {
                end = count;
                Token token = chosen(signature.lastLogits(outputs, row, rows));
                ready.add(token);
                if (row == guesses.length || token.id() != guesses[row]) {
                    break;
                }
                right++;
            }
        }
        speculation.ended(right);
    }

    /** Returns the place in the batch if the next run is one of a token; else null. */
    private @Nullable BatchedText batched() {
        if (batch == null || cached == 0 || count - cached > 1 || !(sequence instanceof OpenSequence own)) {
            return null;
        }
        BatchedText place = text == null ? batch.join(own) : text;
        text = place;
        end = count;
        return place;
    }

    private float[] awaited(BatchedText place) {
        var answer = new CompletableFuture<float[]>();
        step(place, runs, new Receiver<>() {
            @Override
            public void answered(float[] logits) {
                answer.complete(logits);
            }

            @Override
            public void failed(EngineException failure) {
                answer.completeExceptionally(failure);
            }
        });
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw named(e.getCause() == null ? e : e.getCause());
        }
    }

    private Disposable step(BatchedText place, RunOptions options, Receiver<float[]> to) {
        return batch == null ? Disposables.disposed() : batch.step(place, words[count - 1], cached, options, to);
    }

    /** Returns the inputs of the next run: the new tokens, or the next chunk of a prompt. */
    private Inputs inputs() {
        int chunk = batch != null && batch.isBusy() ? CHUNK_BESIDE_OTHERS : CHUNK;
        end = signature.keepsCaches() ? Math.min(count, cached + chunk) : count;
        return signature.inputs(words, cached, end, count);
    }

    @Override
    public Disposable begin(ContextView context, Receiver<Token> to) {
        Disposable.Swap running = Disposables.swap();
        step(context, to, running);
        return running;
    }

    private void step(ContextView context, Receiver<Token> to, Disposable.Swap running) {
        Token known = ready.poll();
        if (known != null) {
            to.answered(known);
            return;
        }
        int[] guesses = guesses();
        if (guesses.length > 0) {
            running.update(sequence.mono(inputs(guesses), runs)
                    .subscribe(
                            outputs -> answer(guesses, outputs, context, to, running),
                            thrown -> to.failed(named(thrown)),
                            null,
                            Context.of(context)));
            return;
        }
        BatchedText batched = batched();
        if (batched == null) {
            running.update(sequence.mono(inputs(), runs)
                    .subscribe(
                            outputs -> answer(outputs, context, to, running),
                            thrown -> to.failed(named(thrown)),
                            null,
                            Context.of(context)));
            return;
        }
        running.update(step(batched, RunContext.in(context, runs), new Receiver<>() {
            @Override
            public void answered(float[] logits) {
                Token token;
                try {
                    token = chosen(logits);
                } catch (RuntimeException | Error e) {
                    to.failed(named(e));
                    return;
                }
                to.answered(token);
            }

            @Override
            public void failed(EngineException failure) {
                to.failed(failure);
            }
        }));
    }

    private void answer(
            int[] guesses, Outputs outputs, ContextView context, Receiver<Token> to, Disposable.Swap running) {
        try {
            judge(guesses, outputs);
        } catch (RuntimeException | Error e) {
            to.failed(named(e));
            return;
        }
        step(context, to, running);
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
            if (end < count) {
                cached = end;
                return null;
            }
            return chosen(signature.lastLogits(outputs, 0, 1));
        }
    }

    /** Returns the token that follows from the logits behind all words. */
    private Token chosen(float[] logits) {
        cached = signature.keepsCaches() ? end : 0;
        Sampler.Choice choice = sampler.choose(logits, Arrays.copyOf(words, count), prompt);
        int word = choice.id();
        if (count == words.length) {
            words = Arrays.copyOf(words, 2 * count);
        }
        words[count++] = word;
        ending = ending(choice);
        int generated = count - prompt;
        return new Token(word, generated - 1, ending, choice.likelihood(), new TokenUsage(prompt, known, generated));
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
        return ending != null && ready.isEmpty();
    }

    @Override
    public void close() {
        int[] covered = Arrays.copyOf(words, cached);
        if (batch == null || text == null) {
            prefixes.end(sequence, covered);
        } else {
            batch.leave(text, prefixes.keeps() ? cached : 0, () -> prefixes.end(sequence, covered));
        }
    }
}
