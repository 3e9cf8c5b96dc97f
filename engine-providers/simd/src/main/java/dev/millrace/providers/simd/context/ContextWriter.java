package dev.millrace.providers.simd.context;

import dev.millrace.graph.infer.NominalContents;
import dev.millrace.graph.infer.NominalShapes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.simd.lower.CompileEnvironment;
import dev.millrace.providers.simd.lower.PartitionCompiler;
import dev.millrace.providers.simd.rule.Rules;
import dev.millrace.providers.simd.weights.PackedWeights;
import dev.millrace.providers.simd.weights.UnpackingMap;
import dev.millrace.providers.simd.weights.Usage;
import dev.millrace.providers.simd.weights.Weights;
import dev.millrace.providers.spi.ContextSink;
import dev.millrace.providers.spi.PackedTensors;
import dev.millrace.providers.spi.Partition;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Keeps partitions: their graphs, and their weights as programs read them. Which layouts these are is seen by binding a
 * partition to shapes that it may have; where that is not possible, constants are kept as they are.
 */
public final class ContextWriter {
    private static final List<Map<Integer, Tensor>> NOTHING_KNOWN = List.of(Map.of());

    private final ContextSink sink;
    private final CompileEnvironment environment;
    private final boolean portable;
    private final Map<MemorySegment, Integer> numbers = new HashMap<>();
    private Machine.Weights kept = Machine.Weights.SOURCE;
    private boolean names;

    /**
     * A writer of the partitions of one model.
     *
     * @param environment has the weights that are packed for partitions, and keeps them for programs to come
     * @param portable keeps constants as they are beside what is packed of them, so that another machine can pack them its way
     */
    public ContextWriter(ContextSink sink, CompileEnvironment environment, boolean portable) {
        this.sink = sink;
        this.environment = environment;
        this.portable = portable;
    }

    /** A partition whose programs read weights packed, to be kept with them. */
    private record Observed(List<Shape> shapes, List<Map<Integer, Tensor>> contents, Usage usage) {}

    public void keep(Partition partition) {
        Set<Tensor> named = named(partition.graph());
        names |= !named.isEmpty();
        Observed observed = isNamed(partition.graph(), named) ? null : observe(partition);
        PlanImage image = observed == null
                ? write(plan(partition, List.of(), Set.of(), "", List.of()))
                : image(partition, observed, named);
        int[] segments = new int[image.segments().size()];
        for (int i = 0; i < segments.length; i++) {
            segments[i] = numbers.computeIfAbsent(image.segments().get(i), sink::segment);
        }
        sink.graph(partition, image.plan(), segments);
    }

    /** How weights were kept. */
    public Machine.Weights kept() {
        return kept == Machine.Weights.SOURCE && !names ? Machine.Weights.ANY : kept;
    }

    private PlanImage write(StoredPlan plan) {
        return PlanWriter.write(plan, sink::names);
    }

    /** The constants that the binary names rather than to hold them, which are kept as they are therefore. */
    private Set<Tensor> named(Graph graph) {
        Set<Tensor> named = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Value value : graph.constants()) {
            Tensor constant = value.constant();
            if (constant != null && isBulk(constant) && sink.names(constant.segment())) {
                named.add(constant);
            }
        }
        return named;
    }

    private static boolean isBulk(Tensor constant) {
        return constant.type() != ElementType.STRING && constant.segment().byteSize() > PlanFormat.MOST_SMALL_BYTES;
    }

    /** Whether the source has all that could be packed. */
    private static boolean isNamed(Graph graph, Set<Tensor> named) {
        return !named.isEmpty()
                && graph.constants().stream()
                        .map(Value::constant)
                        .filter(Objects::nonNull)
                        .allMatch(constant -> named.contains(constant) || !isBulk(constant));
    }

    private @Nullable Observed observe(Partition partition) {
        for (List<Shape> shapes : NominalShapes.of(partition.graph())) {
            var usage = new Usage();
            List<Map<Integer, Tensor>> contents = bound(partition, shapes, usage);
            if (!contents.isEmpty()) {
                return new Observed(shapes, contents, usage);
            }
        }
        return null;
    }

    /** The contents that inputs of these shapes may have in a run; none where the shapes suit none. */
    private List<Map<Integer, Tensor>> bound(Partition partition, List<Shape> shapes, Usage usage) {
        List<Map<Integer, Tensor>> variants = NominalContents.of(partition.graph(), shapes);
        var suitable = new ArrayList<Map<Integer, Tensor>>();
        for (Map<Integer, Tensor> contents : variants.isEmpty() ? NOTHING_KNOWN : variants) {
            try {
                bind(
                        partition.graph(),
                        partition.fused(),
                        shapes,
                        contents,
                        environment.weights().observedBy(usage));
                suitable.add(contents);
            } catch (RuntimeException e) {
                log().log(System.Logger.Level.DEBUG, () -> partition.name() + " does not suit " + shapes, e);
            }
        }
        return suitable;
    }

    private void bind(Graph graph, Node node, List<Shape> shapes, Map<Integer, Tensor> contents, Weights weights) {
        var binding = new NominalBinding(node, graph, shapes, contents);
        new PartitionCompiler(graph, binding, environment.with(weights), Rules::of).lower();
    }

    private PlanImage image(Partition partition, Observed observed, Set<Tensor> named) {
        List<PackedWeights> packed = observed.usage.packed().stream()
                .filter(each -> each.sources().stream().noneMatch(named::contains))
                .toList();
        Set<Tensor> dispensable = portable ? new HashSet<>() : dispensable(partition.graph(), observed.usage);
        dispensable.removeAll(named);
        List<UnpackingMap> back = waysBack(dispensable, observed.usage, packed);
        String target = Machine.vectors(environment.kernels().target());
        PlanImage image = write(plan(partition, packed, dispensable, target, back));
        if (!packed.isEmpty() && kept == Machine.Weights.SOURCE) {
            kept = Machine.Weights.ANY;
        }
        if (dispensable.isEmpty()) {
            return image;
        }
        try {
            StoredPlan read = PlanReader.read(MemorySegment.ofArray(image.plan()), image.segments(), target);
            var weights = new Weights(new PackedTensors());
            read.packed().forEach(weights::put);
            for (Map<Integer, Tensor> contents : observed.contents) {
                bind(read.graph(), partition.fused(), observed.shapes, contents, weights);
            }
            kept = Machine.Weights.RECOVERABLE;
            return image;
        } catch (RuntimeException e) {
            log().log(System.Logger.Level.DEBUG, () -> partition.name() + " needs its constants as they are", e);
            return write(plan(partition, packed, Set.of(), "", List.of()));
        }
    }

    private StoredPlan plan(
            Partition partition, List<PackedWeights> packed, Set<Tensor> left, String target, List<UnpackingMap> back) {
        return new StoredPlan(
                partition.graph(), environment.isStrict(), environment.choices().made(), packed, left, target, back);
    }

    /** How constants are put back on a machine with other vectors; those that cannot be are taken out of the set. */
    private static List<UnpackingMap> waysBack(Set<Tensor> constants, Usage usage, List<PackedWeights> packed) {
        var ways = new ArrayList<UnpackingMap>();
        constants.removeIf(constant -> {
            UnpackingMap map = usage.unpackingMap(constant);
            boolean leads = map != null && packed.contains(map.packed());
            if (leads) {
                ways.add(map);
            }
            return !leads;
        });
        return ways;
    }

    /** The constants, but those of branches, that programs for all shapes read packed only. */
    private static Set<Tensor> dispensable(Graph graph, Usage usage) {
        boolean fixed = NominalShapes.areFixed(graph);
        // in the graph's order: a model that is compiled twice gives the same binary
        Set<Tensor> dispensable = new LinkedHashSet<>();
        for (Value value : graph.constants()) {
            Tensor constant = value.constant();
            boolean alwaysRead = fixed || value.users().stream().allMatch(user -> user.graph() == graph);
            if (constant != null
                    && alwaysRead
                    && isBulk(constant)
                    && usage.isOnlyPacked(constant)
                    && (fixed || !usage.dependsOnShapes(constant))) {
                dispensable.add(constant);
            }
        }
        return dispensable;
    }

    /** Looked for when there is something to log: to find it takes as long as to open a small model. */
    private static System.Logger log() {
        return System.getLogger(ContextWriter.class.getName());
    }
}
