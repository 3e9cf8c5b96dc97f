package dev.millrace.session.generate;

import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One text of an encoder-decoder model: each step is a token. */
final class TokenChain extends RunChain<Token> {
    private final BeamModel model;
    private final GenerationOptions generation;
    private final Sampler sampler;
    private final RunOptions runs;
    private final int prompt;
    private int[] words;
    private @Nullable Ending ending;

    TokenChain(BeamModel model, GenerationOptions generation, Sampler sampler, int[] prompt) {
        this.model = model;
        this.generation = generation;
        this.sampler = sampler;
        this.runs = options(generation);
        this.prompt = prompt.length;
        this.words = prompt;
    }

    @Override
    Inference inference() {
        return model.inference();
    }

    @Override
    Inputs inputs() {
        return model.inputs();
    }

    @Override
    RunOptions options() {
        return runs.toBuilder().outputs(model.outputs()).build();
    }

    @Override
    @Nullable
    Token taken(Outputs outputs) {
        float[][] logits = model.taken(outputs);
        if (logits == null) {
            return null;
        }
        Sampler.Choice choice = sampler.choose(logits[0], words, prompt);
        words = Arrays.copyOf(words, words.length + 1);
        words[words.length - 1] = choice.id();
        int generated = words.length - prompt;
        if (generation.stopTokens().contains((long) choice.id())) {
            ending = Ending.STOP_TOKEN;
        } else if (generated >= generation.maxTokens()) {
            ending = Ending.MAX_TOKENS;
        } else {
            model.advance(new int[1], new int[][] {words});
        }
        return new Token(choice.id(), generated - 1, ending, choice.likelihood(), new TokenUsage(prompt, 0, generated));
    }

    @Override
    public boolean isDone() {
        return ending != null;
    }

    @Override
    public void close() {
        model.close();
    }
}
