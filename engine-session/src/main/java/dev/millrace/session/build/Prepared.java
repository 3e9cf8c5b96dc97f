package dev.millrace.session.build;

import dev.millrace.epcontext.CompiledModel;
import dev.millrace.epcontext.ContextResolver;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.optimise.OptimisationReport;
import dev.millrace.providers.partition.Partitioning;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.scheduler.kernel.Kernel;
import dev.millrace.scheduler.plan.PlanBuilder;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A model with a kernel for every node that is left: to be run, to be written, or both.
 *
 * @param model says of its graph which optimisations it has had
 * @param contexts what providers kept of what they compiled
 * @param clock goes on
 * @param notes may become more
 */
public record Prepared(
        Model model,
        Partitioning parts,
        Map<Node, Kernel> kernels,
        KeptContexts contexts,
        OpenProviders providers,
        OptimisationReport optimisation,
        PhaseClock clock,
        Notes notes,
        ContextResolver resolver)
        implements AutoCloseable {

    /** Who runs a node, and how. */
    public PlanBuilder.Assignment assignment(Node node) {
        Kernel kernel = kernels.get(node);
        ExecutionProvider provider = parts.singles().get(node);
        if (kernel == null || provider == null) {
            throw new IllegalStateException(node.describe() + " has no kernel");
        }
        return new PlanBuilder.Assignment(kernel, provider.name(), provider.device());
    }

    /** The files that it goes on reading, to be asked by whoever has used what came of them. */
    public List<MappedFile> mapped() {
        return Stream.concat(model.mapped().stream(), resolver.mapped().stream())
                .toList();
    }

    /** What is to be kept of it. */
    public CompiledModel compiled() {
        return new CompiledModel(
                model,
                parts,
                contexts.byProvider(),
                KeptContexts.compatibility(parts, model.graph(), notes),
                contexts.source());
    }

    @Override
    public void close() {
        try {
            providers.close();
        } finally {
            resolver.close();
        }
    }
}
