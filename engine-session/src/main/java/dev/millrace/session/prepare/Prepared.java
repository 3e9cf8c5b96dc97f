package dev.millrace.session.prepare;

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
 * A model with a kernel for every remaining node, ready to be run, to be written, or both.
 *
 * @param model the optimised model, marked with its optimisations
 * @param contexts the context binaries that providers wrote while they compiled
 * @param clock the clock of the phases, which still runs
 * @param notes the notes on the model, which later phases may extend
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

    /** Returns the provider and kernel that run a node. */
    public PlanBuilder.Assignment assignment(Node node) {
        Kernel kernel = kernels.get(node);
        ExecutionProvider provider = parts.singles().get(node);
        if (kernel == null || provider == null) {
            throw new IllegalStateException(node.describe() + " has no kernel");
        }
        return new PlanBuilder.Assignment(kernel, provider.name(), provider.device());
    }

    /** The mapped files that kernels go on reading. They are to be checked after each use of results. */
    public List<MappedFile> mapped() {
        return Stream.concat(model.mapped().stream(), resolver.mapped().stream())
                .toList();
    }

    /** Returns the compiled parts, to be written as a context model. */
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
