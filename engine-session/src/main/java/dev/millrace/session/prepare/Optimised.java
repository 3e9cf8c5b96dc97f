package dev.millrace.session.prepare;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.optimise.OptimisationReport;
import dev.millrace.graph.optimise.Optimiser;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeSet;

/**
 * The mark on a context model that records the optimisations which its graph has had, so that they are not repeated.
 */
public final class Optimised {
    private static final String KEY = "millrace.optimised";
    /** The hash of all passes' names, which distinguishes one set of passes from another. */
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

    /** Returns a text of the options that decide the optimised graph: the level, and which passes there are and run. */
    public static String fingerprint(Optimiser.Options options) {
        return "v1 " + options.level() + " -" + new TreeSet<>(options.disabled()) + " "
                + PASSES
                + (options.maxPatches() == Long.MAX_VALUE ? "" : " <" + options.maxPatches());
    }

    /** Returns the report of an optimisation with nothing to do. */
    public static OptimisationReport report(Graph graph) {
        return new OptimisationReport(List.of(), List.of(), graph.nodeCount(), graph.nodeCount(), Duration.ZERO, true);
    }
}
