package dev.millrace.providers.simd;

import dev.millrace.graph.PlainText;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.Inferred;
import dev.millrace.providers.simd.lower.InternalErrors;
import dev.millrace.providers.simd.lower.NotInProgram;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.rule.Rules;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.InferredKernel;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.kernel.PartsNeeded;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The kernel of a compiled partition: a graph that becomes a program for each tuple of input shapes. Where the rules
 * fail for some shapes, the kernels of the providers behind compute those.
 */
final class SimdKernel implements ShapedKernel {
    private final Graph graph;
    private final CompileEnvironment environment;
    private final Function<Node, @Nullable Rule> rules;
    /** The parts of the partition where it is cut before a node. */
    private final ConcurrentHashMap<Node, Parts> parts = new ConcurrentHashMap<>();

    SimdKernel(Graph graph, CompileEnvironment environment) {
        this(graph, environment, Rules::of);
    }

    /** @param rules returns the rule of a node, or null where there is none */
    SimdKernel(Graph graph, CompileEnvironment environment, Function<Node, @Nullable Rule> rules) {
        this.graph = graph;
        this.environment = environment;
        this.rules = rules;
        environment.weights().own(graph);
    }

    @Override
    public List<@Nullable ValueType> outputs(Node node, Facts facts) {
        return Inferred.of(graph, facts, environment).types();
    }

    @Override
    public InferredKernel infer(Node node, Facts facts) {
        Inferred inferred = Inferred.of(graph, facts, environment);
        return new InferredKernel(inferred.types(), context -> bind(context, inferred));
    }

    @Override
    public @Nullable Parts parts(Node node, Facts facts) {
        Node open = Inferred.of(graph, facts, environment).open();
        return open == null ? null : partsBefore(open);
    }

    private Parts partsBefore(Node node) {
        return parts.computeIfAbsent(
                node,
                _ -> PartsOfPartition.before(
                        node, graph, part -> new SimdKernel(part, environment, rules), environment::fallback));
    }

    @Override
    public Launch bind(BindContext context) {
        return bind(context, null);
    }

    /** @param inferred what was inferred for the same inputs; null where nothing was */
    private Launch bind(BindContext context, @Nullable Inferred inferred) {
        try {
            return new PartitionCompiler(graph, context, environment, rules, inferred).lower();
        } catch (NotInProgram unknown) {
            throw new PartsNeeded(String.valueOf(unknown.getMessage()), partsBefore(unknown.node()));
        } catch (RuntimeException failure) {
            if (!InternalErrors.isOwn(failure)) {
                throw failure;
            }
            return withoutRules(context, failure);
        }
    }

    private Launch withoutRules(BindContext context, RuntimeException failure) {
        Launch launch;
        try {
            launch = new PartitionCompiler(graph, context, environment, _ -> null).lower();
        } catch (NotInProgram unknown) {
            throw new PartsNeeded(String.valueOf(unknown.getMessage()), partsBefore(unknown.node()));
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
            throw failure;
        }
        System.getLogger(SimdKernel.class.getName())
                .log(
                        System.Logger.Level.WARNING,
                        PlainText.line("provider '" + SimdProvider.NAME + "' cannot bind '" + graph.name()
                                + "' to these shapes and leaves them to the providers behind it: "
                                + failure.getMessage()));
        return launch;
    }
}
