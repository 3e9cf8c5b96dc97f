package dev.millrace.session.build;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.optimise.OptimisationReport;
import dev.millrace.graph.optimise.Optimiser;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;

/** The mark on a context model that says which optimisations its graph has had, so that nobody does them again. */
public final class Optimised {
    private static final String KEY = "millrace.optimised";
    /** What tells one set of passes from another. */
    private static final String PASSES =
            Integer.toHexString(Optimiser.passNames().hashCode());

    private Optimised() {}

    public static Model mark(Model model, Optimiser.Options options) {
        var metadata = new LinkedHashMap<>(model.metadata());
        metadata.put(KEY, fingerprint(options));
        return model.withMetadata(metadata);
    }

    public static boolean isMarked(Model model, Optimiser.Options options) {
        String mark = model.metadata().get(KEY);
        return mark != null && mark.equals(fingerprint(options));
    }

    /** What decides how a graph comes out: the level, and which passes there are and run. */
    public static String fingerprint(Optimiser.Options options) {
        return "v1 " + options.level() + " -" + new TreeSet<>(options.disabled()) + " "
                + PASSES
                + (options.maxPatches() == Long.MAX_VALUE ? "" : " <" + options.maxPatches());
    }

    /** Nothing done, nothing left to do. */
    public static OptimisationReport report(Graph graph) {
        return new OptimisationReport(List.of(), List.of(), graph.nodeCount(), graph.nodeCount(), Duration.ZERO, true);
    }
}
