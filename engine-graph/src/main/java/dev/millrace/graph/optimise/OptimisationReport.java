package dev.millrace.graph.optimise;

import java.time.Duration;
import java.util.List;

/**
 * A report of one optimisation.
 *
 * @param passes every pass that ran, in order
 * @param patches every patch that was applied, in order
 * @param nodesBefore the nodes of the graph and its nested graphs before
 * @param nodesAfter and after
 * @param settled whether another round would find nothing; false where the limit of rounds or patches was met
 */
public record OptimisationReport(
        List<PassResult> passes,
        List<Applied> patches,
        int nodesBefore,
        int nodesAfter,
        Duration duration,
        boolean settled) {

    /** The number of patches and the time of one pass. */
    public record PassResult(String pass, int patches, Duration duration) {}

    /** One patch: its pass, the pattern that the pass recognised, and the graph. */
    public record Applied(String pass, String reason, String graph) {}

    public OptimisationReport {
        passes = List.copyOf(passes);
        patches = List.copyOf(patches);
    }

    /** Returns the number of patches that the pass of this name contributed. */
    public int patchesOf(String pass) {
        return passes.stream()
                .filter(result -> result.pass().equals(pass))
                .mapToInt(PassResult::patches)
                .sum();
    }

    @Override
    public String toString() {
        var text = new StringBuilder("%d nodes became %d by %d patches in %.1f ms"
                .formatted(nodesBefore, nodesAfter, patches.size(), duration.toNanos() / 1e6));
        for (PassResult result : passes) {
            if (result.patches() > 0) {
                text.append("%n  %-24s %5d patches %8.1f ms"
                        .formatted(
                                result.pass(),
                                result.patches(),
                                result.duration().toNanos() / 1e6));
            }
        }
        return text.toString();
    }
}
