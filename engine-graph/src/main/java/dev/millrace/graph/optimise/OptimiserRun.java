package dev.millrace.graph.optimise;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.optimise.OptimisationReport.Applied;
import dev.millrace.graph.optimise.OptimisationReport.PassResult;
import dev.millrace.graph.optimise.pass.FoldBudget;
import dev.millrace.graph.optimise.pass.MadeConstants;
import dev.millrace.graph.optimise.pass.Pass;
import dev.millrace.graph.optimise.pass.PassContext;
import dev.millrace.graph.optimise.pass.Patch;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One optimisation of one graph: the state of the driver. */
final class OptimiserRun {
    private final Optimiser setup;
    private final Graph main;
    private final long maxPatches;
    private final FoldBudget foldBudget;
    private final MadeConstants constants;
    private final List<Applied> applied = new ArrayList<>();
    private final Map<String, Tally> tallies = new LinkedHashMap<>();
    private GraphCheck.Interface promised;
    private List<Graph> innermostFirst = List.of();
    /** The number of rounds in which inference found more than before. */
    private int refinements;
    /** The nodes of each graph by operator, as of {@link #indexedPatches}. */
    private final Map<Graph, Map<OpId, List<Node>>> index = new IdentityHashMap<>();

    private int indexedPatches;

    /** The patches and the time of one pass so far. */
    private static final class Tally {
        int patches;
        long nanos;
        /**
         * The number of changes of the graph at which the pass found nothing; it is not run again at the same number.
         */
        int foundNothingAt = -1;
    }

    OptimiserRun(Optimiser setup, Graph main, long maxPatches) {
        this.setup = setup;
        this.main = main;
        this.maxPatches = maxPatches;
        this.promised = GraphCheck.Interface.of(main);
        this.foldBudget = new FoldBudget(main, setup.options.foldLimitBytes());
        this.constants = new MadeConstants(setup.evaluator);
        setup.passes.forEach(pass -> tallies.put(pass.name(), new Tally()));
    }

    /** The patches so far; after a failure, the last one is the one that failed. */
    List<Applied> applied() {
        return applied;
    }

    OptimisationReport run() {
        long start = setup.nanoClock.getAsLong();
        GraphCheck.check(main);
        promised = GraphCheck.Interface.of(main);
        listGraphs();
        int before = countNodes();
        boolean settled = setup.passes.isEmpty();
        for (int round = 0; round < setup.options.loopLimit() && !settled && !isExhausted(); round++) {
            if (round > 0 && TypeInference.refine(main)) {
                refinements++;
            }
            settled = !runAll();
        }
        var results = new ArrayList<PassResult>();
        tallies.forEach(
                (name, tally) -> results.add(new PassResult(name, tally.patches, Duration.ofNanos(tally.nanos))));
        Duration duration = Duration.ofNanos(setup.nanoClock.getAsLong() - start);
        return new OptimisationReport(results, applied, before, countNodes(), duration, settled);
    }

    private boolean runAll() {
        int start = applied.size();
        for (Pass pass : setup.passes) {
            Tally tally = tallies.computeIfAbsent(pass.name(), _ -> new Tally());
            int before = applied.size();
            int state = before + refinements;
            if (tally.foundNothingAt == state) {
                continue;
            }
            long time = setup.nanoClock.getAsLong();
            runOne(pass);
            if (applied.size() == before) {
                tally.foundNothingAt = state;
            }
            tally.patches += applied.size() - before;
            tally.nanos += setup.nanoClock.getAsLong() - time;
            if (isExhausted()) {
                break;
            }
        }
        return applied.size() > start;
    }

    private void runOne(Pass pass) {
        int before = applied.size();
        var context = new PassContext(pass.name(), setup.evaluator, foldBudget, constants);
        for (Graph graph : innermostFirst) {
            long limit = (long) setup.options.loopLimit() * (graph.nodeCount() + 16);
            try {
                if (pass instanceof Pass.AtNode rule) {
                    runAtNodes(rule, graph, context, limit);
                } else if (pass instanceof Pass.OverGraph search) {
                    runOverGraph(search, graph, context, limit);
                }
            } catch (RuntimeException failure) {
                throw EngineException.wrap(Status.INVALID_GRAPH, "optimiser pass '" + pass.name() + "'", failure);
            }
        }
        if (applied.size() > before) {
            verify(pass.name());
            listGraphs();
            constants.keepThoseOf(innermostFirst);
        }
    }

    private void runAtNodes(Pass.AtNode pass, Graph graph, PassContext context, long limit) {
        ArrayDeque<Node> queue = anchors(pass, graph);
        if (queue.isEmpty()) {
            return;
        }
        Set<Node> queued = new HashSet<>(queue);
        int patches = 0;
        while (!queue.isEmpty() && !isExhausted()) {
            Node node = queue.remove();
            queued.remove(node);
            Patch patch =
                    node.isRemoved() || isForNothing(node) ? null : pass.rule().at(node, context);
            if (patch != null) {
                for (Node touched : apply(patch)) {
                    if (touched.graph() == graph && pass.anchors().contains(touched.op()) && queued.add(touched)) {
                        queue.add(touched);
                    }
                }
                requireEnd(++patches, limit);
            }
        }
    }

    /** Whether the model omits all outputs of a node, so that there is nothing to replace. */
    private static boolean isForNothing(Node node) {
        for (Value output : node.outputs()) {
            if (output != null) {
                return false;
            }
        }
        return true;
    }

    private ArrayDeque<Node> anchors(Pass.AtNode pass, Graph graph) {
        if (indexedPatches != applied.size()) {
            index.clear();
            indexedPatches = applied.size();
        }
        Map<OpId, List<Node>> byOperator = index.computeIfAbsent(graph, OptimiserRun::byOperator);
        List<Node> found = List.of();
        for (OpId anchor : pass.anchors()) {
            List<Node> nodes = byOperator.getOrDefault(anchor, List.of());
            if (!found.isEmpty() && !nodes.isEmpty()) {
                return inOrder(pass, graph);
            }
            found = nodes.isEmpty() ? found : nodes;
        }
        return new ArrayDeque<>(found);
    }

    private static Map<OpId, List<Node>> byOperator(Graph graph) {
        var index = new HashMap<OpId, List<Node>>();
        for (Node node : graph.nodes()) {
            index.computeIfAbsent(node.op(), _ -> new ArrayList<>()).add(node);
        }
        return index;
    }

    private static ArrayDeque<Node> inOrder(Pass.AtNode pass, Graph graph) {
        var queue = new ArrayDeque<Node>();
        for (Node node : graph.nodes()) {
            if (pass.anchors().contains(node.op())) {
                queue.add(node);
            }
        }
        return queue;
    }

    private void runOverGraph(Pass.OverGraph pass, Graph graph, PassContext context, long limit) {
        Iterator<Patch> patches = pass.search().over(graph, context);
        for (int count = 1; !isExhausted() && patches.hasNext(); count++) {
            apply(patches.next());
            requireEnd(count, limit);
        }
    }

    private static void requireEnd(int patches, long limit) {
        if (patches >= limit) {
            throw new EngineException(
                    Status.FAIL,
                    "it does not end: " + patches + " patches and no fixed point; switch it off by its name");
        }
    }

    private Collection<Node> apply(Patch patch) {
        applied.add(new Applied(patch.pass(), patch.reason(), patch.graph().name()));
        try {
            Collection<Node> touched = PatchApplier.apply(patch);
            if (setup.options.checkEachPatch()) {
                GraphCheck.check(main);
                promised.requireKeptBy(main);
            }
            return touched;
        } catch (RuntimeException failure) {
            throw EngineException.wrap(
                    Status.INVALID_GRAPH, "patch " + applied.size() + " (" + patch.reason() + ")", failure);
        }
    }

    private void verify(String pass) {
        try {
            GraphCheck.check(main);
            promised.requireKeptBy(main);
        } catch (EngineException broken) {
            throw broken.at("optimiser pass '" + pass + "' broke the graph");
        }
    }

    private boolean isExhausted() {
        return applied.size() >= maxPatches;
    }

    private void listGraphs() {
        var graphs = new ArrayList<Graph>();
        graphs.add(main);
        for (int i = 0; i < graphs.size(); i++) {
            for (Node node : graphs.get(i).nodes()) {
                graphs.addAll(node.attributes().graphs());
            }
        }
        innermostFirst = graphs.reversed();
    }

    private int countNodes() {
        return innermostFirst.stream().mapToInt(Graph::nodeCount).sum();
    }
}
