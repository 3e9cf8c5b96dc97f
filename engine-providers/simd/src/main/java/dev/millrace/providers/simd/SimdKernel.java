package dev.millrace.providers.simd;

import dev.millrace.graph.PlainText;
import dev.millrace.graph.infer.Facts;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.providers.simd.lower.Faults;
import dev.millrace.providers.simd.lower.Inferred;
import dev.millrace.providers.simd.lower.Kit;
import dev.millrace.providers.simd.lower.Lowering;
import dev.millrace.providers.simd.lower.NotInProgram;
import dev.millrace.providers.simd.lower.Rule;
import dev.millrace.providers.simd.rule.Rules;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.Parts;
import dev.millrace.scheduler.kernel.PartsNeeded;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A compiled partition: a graph that becomes a program for each tuple of shapes. Where the rules fail at some, the kernels
 * of the providers behind do the work for these.
 */
final class SimdKernel implements ShapedKernel {
    private final Graph graph;
    private final Kit kit;
    private final Function<Node, @Nullable Rule> rules;
    /** What was inferred last, for the binding that is about to follow. */
    private final AtomicReference<@Nullable Inferred> inferred = new AtomicReference<>();

    /** The parts where it is cut before a node. */
    private final ConcurrentHashMap<Node, Parts> parts = new ConcurrentHashMap<>();

    SimdKernel(Graph graph, Kit kit) {
        this(graph, kit, Rules::of);
    }

    /** @param rules the rule of a node, or null where there is none */
    SimdKernel(Graph graph, Kit kit, Function<Node, @Nullable Rule> rules) {
        this.graph = graph;
        this.kit = kit;
        this.rules = rules;
        kit.weights().own(graph);
    }

    @Override
    public List<@Nullable ValueType> outputs(Node node, Facts facts) {
        Inferred fresh = Inferred.of(graph, facts, kit);
        inferred.set(fresh);
        return fresh.types();
    }

    @Override
    public @Nullable Parts parts(Node node, Facts facts) {
        Node open = Inferred.of(graph, facts, kit).open();
        return open == null ? null : partsBefore(open);
    }

    private Parts partsBefore(Node node) {
        return parts.computeIfAbsent(
                node,
                _ -> PartsOfPartition.before(node, graph, part -> new SimdKernel(part, kit, rules), kit::fallback));
    }

    @Override
    public Launch bind(BindContext context) {
        try {
            return new Lowering(graph, context, kit, rules, inferred.getAndSet(null)).lower();
        } catch (NotInProgram unknown) {
            throw new PartsNeeded(String.valueOf(unknown.getMessage()), partsBefore(unknown.node()));
        } catch (RuntimeException failure) {
            if (!Faults.isOwn(failure)) {
                throw failure;
            }
            return withoutRules(context, failure);
        }
    }

    private Launch withoutRules(BindContext context, RuntimeException failure) {
        Launch launch;
        try {
            launch = new Lowering(graph, context, kit, _ -> null).lower();
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
