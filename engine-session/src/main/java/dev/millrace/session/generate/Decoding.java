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
        while (true) {
            BatchedText batched = batched();
            Token token = batched == null ? taken(sequence.run(inputs(), runs)) : chosen(awaited(batched));
            if (token != null) {
                return token;
            }
        }
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

    /** Returns the inputs of the next run: the new tokens, or the next chunk of a prompt. */
    @Override
    Inputs inputs() {
        int chunk = batch != null && batch.isBusy() ? CHUNK_BESIDE_OTHERS : CHUNK;
        end = signature.keepsCaches() ? Math.min(count, cached + chunk) : count;
        return signature.inputs(words, cached, end, count);
    }

    @Override
    void step(ContextView context, Receiver<Token> to, Disposable.Composite running) {
        BatchedText batched = batched();
        if (batched == null) {
            super.step(context, to, running);
            return;
        }
        running.add(step(batched, RunContext.in(context, runs), new Receiver<>() {
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

    /** Returns the token that follows from a run; null if the prompt goes on. */
    @Override
    @Nullable
    Token taken(Outputs outputs) {
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
        ending = ending(word);
        int generated = count - prompt;
        return new Token(word, generated - 1, ending, choice.likelihood(), new TokenUsage(prompt, known, generated));
    }

    private @Nullable Ending ending(int word) {
        if (generation.stopTokens().contains((long) word)) {
            return Ending.STOP_TOKEN;
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
        int[] covered = Arrays.copyOf(words, cached);
        if (batch == null || text == null) {
            prefixes.end(sequence, covered);
        } else {
            batch.leave(text, prefixes.keeps() ? cached : 0, () -> prefixes.end(sequence, covered));
        }
    }
}
