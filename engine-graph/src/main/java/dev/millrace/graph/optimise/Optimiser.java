package dev.millrace.graph.optimise;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.optimise.OptimisationReport.Applied;
import dev.millrace.graph.optimise.pass.ConstantEvaluator;
import dev.millrace.graph.optimise.pass.Level;
import dev.millrace.graph.optimise.pass.Pass;
import dev.millrace.graph.optimise.passes.Passes;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Runs passes over a graph and the graphs nested in it, in rounds until none finds anything. The graph is changed in
 * place; nobody else may read it meanwhile. An optimiser holds no state and may be used by several threads.
 */
public final class Optimiser {
    final List<Pass> passes;
    final Options options;
    final ConstantEvaluator evaluator;
    final LongSupplier nanoClock;

    /**
     * How to optimise.
     *
     * @param disabled names of passes that do not run
     * @param maxPatches stop after so many patches: what {@link #bisect} uses to find a bad one
     * @param checkEachPatch whether the whole graph is checked after each patch, not only after each pass
     * @param loopLimit the most rounds over all passes; one pass may make so many patches per node
     * @param foldLimitBytes the most bytes of a folded constant that is larger than what it is made of; all of them
     *     together add at most eight times that and what the model's constants take
     */
    public record Options(
            Level level,
            Set<String> disabled,
            long maxPatches,
            boolean checkEachPatch,
            int loopLimit,
            long foldLimitBytes) {
        public static final Options DEFAULT = builder().build();

        public Options {
            disabled = Set.copyOf(disabled);
            if (maxPatches < 0 || loopLimit < 1 || foldLimitBytes < 0) {
                throw EngineException.invalidArgument("the optimiser's limits are not negative, its loop limit at"
                        + " least 1; given: " + maxPatches + " patches, loop limit " + loopLimit + ", "
                        + foldLimitBytes + " bytes");
            }
        }

        public static Builder builder() {
            return new Builder();
        }

        /** A builder that starts from these options. */
        public Builder toBuilder() {
            return builder()
                    .level(level)
                    .disable(disabled)
                    .maxPatches(maxPatches)
                    .checkEachPatch(checkEachPatch)
                    .loopLimit(loopLimit)
                    .foldLimitBytes(foldLimitBytes);
        }
    }

    /** Every option has a default: all passes, no limit of patches, a check after each pass. */
    public static final class Builder {
        private Level level = Level.ALL;
        private Set<String> disabled = Set.of();
        private long maxPatches = Long.MAX_VALUE;
        private boolean checkEachPatch;
        private int loopLimit = 10;
        private long foldLimitBytes = 16L << 20;

        private Builder() {}

        public Builder level(Level value) {
            level = value;
            return this;
        }

        public Builder disable(Collection<String> passNames) {
            disabled = Set.copyOf(passNames);
            return this;
        }

        public Builder maxPatches(long value) {
            maxPatches = value;
            return this;
        }

        public Builder checkEachPatch(boolean value) {
            checkEachPatch = value;
            return this;
        }

        public Builder loopLimit(int value) {
            loopLimit = value;
            return this;
        }

        public Builder foldLimitBytes(long value) {
            foldLimitBytes = value;
            return this;
        }

        public Options build() {
            return new Options(level, disabled, maxPatches, checkEachPatch, loopLimit, foldLimitBytes);
        }
    }

    /** An optimiser of the standard passes. */
    public Optimiser(Options options, ConstantEvaluator evaluator) {
        this(Passes.standard(), options, evaluator);
    }

    /** An optimiser of these passes, in this order. */
    public Optimiser(List<Pass> passes, Options options, ConstantEvaluator evaluator) {
        this(passes, options, evaluator, System::nanoTime);
    }

    Optimiser(List<Pass> passes, Options options, ConstantEvaluator evaluator, LongSupplier nanoClock) {
        var unknown = new HashSet<>(options.disabled());
        passes.forEach(pass -> unknown.remove(pass.name()));
        if (!unknown.isEmpty()) {
            throw EngineException.invalidArgument("no such optimiser pass: " + unknown + "; there are "
                    + passes.stream().map(Pass::name).toList());
        }
        this.passes = passes.stream()
                .filter(pass -> options.level().includes(pass.level()))
                .filter(pass -> !options.disabled().contains(pass.name()))
                .toList();
        this.options = options;
        this.evaluator = evaluator;
        this.nanoClock = nanoClock;
    }

    /** The names of the standard passes, in the order in which they run. */
    public static List<String> passNames() {
        return Passes.standard().stream().map(Pass::name).toList();
    }

    /**
     * Optimises a model's main graph. Its types are inferred first. Throws where the graph is not valid to begin with,
     * and where a pass breaks it; the message then names the pass and its patch.
     */
    public OptimisationReport optimise(Graph main) {
        TypeInference.infer(main);
        return optimiseInferred(main);
    }

    /** {@link #optimise} for a graph whose types have been inferred, and not changed since. */
    public OptimisationReport optimiseInferred(Graph main) {
        return new OptimiserRun(this, main, options.maxPatches()).run();
    }

    /**
     * Finds the first patch that makes a graph bad, by running more and fewer patches on fresh graphs. An optimisation
     * that throws counts as bad. Empty where the graph is good after all patches, or bad before any.
     */
    public Optional<Applied> bisect(Supplier<Graph> fresh, Predicate<Graph> good) {
        if (isBad(fresh, good, 0) || !isBad(fresh, good, options.maxPatches())) {
            return Optional.empty();
        }
        long lastGood = 0;
        long firstBad = 1;
        while (!isBad(fresh, good, firstBad)) {
            lastGood = firstBad;
            firstBad *= 2;
        }
        while (firstBad - lastGood > 1) {
            long middle = lastGood + (firstBad - lastGood) / 2;
            if (isBad(fresh, good, middle)) {
                firstBad = middle;
            } else {
                lastGood = middle;
            }
        }
        Graph graph = fresh.get();
        var culprit = new OptimiserRun(this, graph, firstBad);
        completes(culprit, graph);
        return Optional.of(culprit.applied().getLast());
    }

    private boolean isBad(Supplier<Graph> fresh, Predicate<Graph> good, long patches) {
        Graph graph = fresh.get();
        return !completes(new OptimiserRun(this, graph, patches), graph) || !good.test(graph);
    }

    private static boolean completes(OptimiserRun run, Graph graph) {
        try {
            TypeInference.infer(graph);
            run.run();
            return true;
        } catch (EngineException broken) {
            return false;
        }
    }
}
