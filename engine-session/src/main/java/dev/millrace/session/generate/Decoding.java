package dev.millrace.session.generate;

import dev.millrace.graph.EngineException;
import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunContext;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Sequence;
import dev.millrace.session.state.OpenSequence;
import dev.millrace.session.stream.Receiver;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;
import reactor.core.Disposable;
import reactor.core.Disposables;
import reactor.util.context.ContextView;

/** One generation: a prompt is one run for each of its chunks, and each token is another run or a part of one. */
final class Decoding extends RunChain<Token> {
    /** The most tokens of a run: longer prompts take several, so that memory and the waiting of others stay bounded. */
    private static final int CHUNK = 512;
    /** The most tokens of a run while other texts wait for their next tokens. */
    private static final int CHUNK_BESIDE_OTHERS = 128;

    private final LeasedRuns leased;
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
    /** The guesses that the run under way reads. */
    private int[] guesses = Speculation.NONE;

    /** The number of tokens that the model knows; 0 before the first logits. */
    private int vocabulary;

    private @Nullable Ending ending;

    /** @param draft guesses next tokens; null for guesses from earlier phrases */
    Decoding(LeasedRuns leased, int[] prompt, GenerationOptions generation, @Nullable DraftText draft) {
        this.leased = leased;
        this.signature = leased.signature();
        this.prefixes = leased.runs().prefixes();
        this.batch = leased.runs().batch();
        this.generation = generation;
        this.sampler = new Sampler(generation);
        this.speculation = new Speculation(signature.mayGuess() ? generation.speculativeTokens() : 0, draft);
        this.prompt = prompt.length;
        this.words = prompt.clone();
        this.count = prompt.length;
        this.runs = options(generation).toBuilder().outputs(signature.logits()).build();
        PrefixCache.Begun begun = prefixes.begin(prompt);
        this.sequence = begun.sequence();
        this.known = begun.cached();
        this.cached = begun.cached();
    }

    @Override
    Token run() {
        try {
            return computed();
        } catch (RuntimeException | Error e) {
            leased.failed(e);
            throw e;
        }
    }

    private Token computed() {
        while (true) {
            Token token = ready.poll();
            if (token != null) {
                return token;
            }
            BatchedText batched = next();
            token = batched == null ? taken(sequence.run(inputs(), runs)) : chosen(awaited(batched));
            if (token != null) {
                return token;
            }
        }
    }

    /** Chooses the next run: returns the place in the batch, or null for a run on the caches of this text alone. */
    private @Nullable BatchedText next() {
        guesses = guesses();
        return guesses.length > 0 ? null : batched();
    }

    /** Returns guesses of the next tokens; none while the prompt is read or other texts share the runs. */
    private int[] guesses() {
        boolean isAlone = batch == null || batch.isAlone(text);
        if (cached == 0 || count - cached > 1 || !isAlone) {
            return Speculation.NONE;
        }
        int context = signature.contextLength() > 0 ? signature.contextLength() : Integer.MAX_VALUE;
        int answer = generation.maxTokens() - (count - prompt) - 1;
        return speculation.guesses(words, count, Math.min(answer, context - count - 1), vocabulary);
    }

    /** Adds the tokens of a run with guesses: one behind each right guess, and one more. */
    private void judge(Outputs outputs) {
        int rows = guesses.length + 1;
        if (signature.rows(outputs) < rows) {
            // the model has logits of the last token alone, which is behind guesses
            speculation.stop();
            return;
        }
        int right = 0;
        for (int row = 0; row < rows && ending == null; row++) {
            end = count;
            Token token = chosen(signature.lastLogits(outputs, row, rows));
            ready.add(token);
            if (row == guesses.length || token.id() != guesses[row]) {
                break;
            }
            right++;
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

    @Override
    Inference inference() {
        return sequence;
    }

    @Override
    RunOptions options() {
        return runs;
    }

    /** Returns the inputs of the next run: the new tokens with guesses behind them, or the next chunk of a prompt. */
    @Override
    Inputs inputs() {
        if (guesses.length > 0) {
            int[] all = Arrays.copyOf(words, count + guesses.length);
            System.arraycopy(guesses, 0, all, count, guesses.length);
            return signature.steps().of(all, cached, all.length, all.length);
        }
        int chunk = batch != null && batch.isBusy() ? CHUNK_BESIDE_OTHERS : CHUNK;
        end = signature.keepsCaches() ? Math.min(count, cached + chunk) : count;
        return signature.steps().of(words, cached, end, count);
    }

    @Override
    void step(ContextView context, Receiver<Token> receiver, Disposable.Composite running) {
        Receiver<Token> to = noting(receiver);
        Token token = ready.poll();
        if (token != null) {
            to.answered(token);
            return;
        }
        BatchedText batched;
        try {
            batched = next();
        } catch (RuntimeException | Error e) {
            to.failed(named(e));
            return;
        }
        if (batched == null) {
            super.step(context, to, running);
            return;
        }
        running.add(step(batched, RunContext.in(context, runs), new Receiver<>() {
            @Override
            public void answered(float[] logits) {
                Token next;
                try {
                    next = chosen(logits);
                } catch (RuntimeException | Error e) {
                    to.failed(named(e));
                    return;
                }
                to.answered(next);
            }

            @Override
            public void failed(EngineException failure) {
                to.failed(failure);
            }
        }));
    }

    /** Returns a receiver that notes a failure. */
    private Receiver<Token> noting(Receiver<Token> to) {
        return new Receiver<>() {
            @Override
            public void answered(Token token) {
                to.answered(token);
            }

            @Override
            public void failed(EngineException failure) {
                leased.failed(failure);
                to.failed(failure);
            }
        };
    }

    /** Returns the token that follows from a run; null if the prompt goes on. */
    @Override
    @Nullable
    Token taken(Outputs outputs) {
        try (outputs) {
            if (guesses.length > 0) {
                judge(outputs);
                return ready.poll();
            }
            if (end < count) {
                cached = end;
                return null;
            }
            return chosen(signature.lastLogits(outputs, 0, 1));
        }
    }

    /** Returns the token that follows from the logits behind all words. */
    private Token chosen(float[] logits) {
        vocabulary = logits.length;
        cached = signature.keepsCaches() ? end : 0;
        Sampler.Choice choice = sampler.choose(logits, Arrays.copyOf(words, count), prompt);
        int word = choice.id();
        if (count == words.length) {
            words = Arrays.copyOf(words, 2 * count);
        }
        words[count++] = word;
        ending = ending(choice);
        leased.generated();
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
        leased.ended(prompt, known, ending == null ? Ending.STOPPED : ending);
        speculation.close();
        int[] covered = Arrays.copyOf(words, cached);
        if (batch == null || text == null) {
            prefixes.end(sequence, covered);
        } else {
            batch.leave(text, prefixes.keeps() ? cached : 0, () -> prefixes.end(sequence, covered));
        }
        leased.close();
    }
}
