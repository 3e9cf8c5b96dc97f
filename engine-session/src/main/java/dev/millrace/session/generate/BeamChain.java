package dev.millrace.session.generate;

import dev.millrace.session.Inference;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One beam search: each step is a token of all beams. The last step returns the best texts, the others an empty list. */
final class BeamChain extends RunChain<List<ScoredGeneration>> {
    private final BeamModel model;
    private final BeamSearch search;
    private final RunOptions runs;

    BeamChain(BeamModel model, BeamSearch search, GenerationOptions generation) {
        this.model = model;
        this.search = search;
        this.runs = options(generation);
    }

    /** Returns the best texts, computed on this thread. */
    List<ScoredGeneration> runAll() {
        List<ScoredGeneration> best = run();
        while (!search.isDone()) {
            best = run();
        }
        return best;
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
    List<ScoredGeneration> taken(Outputs outputs) {
        float[][] logits = model.taken(outputs);
        if (logits == null) {
            return null;
        }
        int[] parents = search.advance(logits);
        if (!search.isDone()) {
            model.advance(parents, search.words());
            return List.of();
        }
        model.end();
        return search.results();
    }

    @Override
    public boolean isDone() {
        return search.isDone();
    }

    @Override
    public void close() {
        model.close();
    }
}
