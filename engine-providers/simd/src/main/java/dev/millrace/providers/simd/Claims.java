package dev.millrace.providers.simd;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.simd.rule.Rules;
import dev.millrace.providers.simd.rule.attention.GroupQueryRule;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.scheduler.kernel.ShapedKernel;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Chooses the nodes of a graph that become parts of programs. */
final class Claims {
    /** Operators without a kernel of their own here that stand between others, and are done by the fallback's kernels. */
    private static final Set<String> BETWEEN = Set.of(
            OpName.CONSTANT_OF_SHAPE,
            "EyeLike",
            OpName.GRID_SAMPLE,
            OpName.ONE_HOT,
            OpName.RANGE,
            OpName.SHAPE,
            OpName.SIZE);

    /** No shape has so many extents. */
    private static final long LONG_LIST = 64;

    private final CapabilitySink sink;
    private final Graph graph;
    private final Set<Node> nodes = new LinkedHashSet<>();
    private final Set<Node> inBranches = new HashSet<>();

    private Claims(Graph graph, CapabilitySink sink) {
        this.graph = graph;
        this.sink = sink;
    }

    /**
     * Claims what {@code provider} compiles, and the EPContext nodes that it made before.
     *
     * @param declines whether it leaves what is not compiled yet to others; asked last, since the answer may have to be waited
     *     for
     */
    static void claim(String provider, Graph graph, CapabilitySink sink, BooleanSupplier declines) {
        var claims = new Claims(graph, sink);
        for (Node node : graph.nodes()) {
            if (isOwnContext(provider, node)) {
                sink.fuse(List.of(node));
            } else if (claims.suits(node)) {
                claims.nodes.add(node);
            }
        }
        claims.dropUseless();
        if (!claims.nodes.isEmpty() && !declines.getAsBoolean()) {
            sink.fuse(new ArrayList<>(claims.nodes));
        }
    }

    private static boolean isOwnContext(String provider, Node node) {
        return node.op().equals(EpContext.OP)
                && node.attributes().text(EpContext.SOURCE, "").equals(provider);
    }

    private boolean suits(Node node) {
        if (sink.isTaken(node)) {
            return false;
        }
        if (!node.attributes().graphs().isEmpty()) {
            return node.is(OpName.IF)
                    && areNumbers(node.outputs())
                    && suitBranches(node)
                    && isDecided(node.requireInput(0));
        }
        boolean known = Rules.of(node) != null
                || node.op().domain().equals(OpId.ONNX)
                        && BETWEEN.contains(node.op().name());
        return known
                && !GroupQueryRule.keepsFloatsInHalves(node)
                && areNumbers(node.inputs())
                && areNumbers(node.outputs())
                && Contents.areKnown(node, this::isClaimed)
                && (Rules.of(node) != null || sink.lookUpFallback(node) instanceof ShapedKernel);
    }

    private boolean isClaimed(Node node) {
        return nodes.contains(node) || inBranches.contains(node);
    }

    private boolean suitBranches(Node node) {
        for (Graph branch : node.attributes().graphs()) {
            for (Node inner : branch.nodes()) {
                if (!suits(inner)) {
                    return false;
                }
                inBranches.add(inner);
            }
        }
        return true;
    }

    /**
     * Whether a condition is known when a partition is bound. What makes one out of integers is left outside: then a
     * binding depends on the condition alone, and not on all of them.
     */
    private boolean isDecided(Value condition) {
        var makers = new HashSet<Node>();
        if (!Contents.addMakers(condition, this::isClaimed, makers) || !nodes.containsAll(makers)) {
            return false;
        }
        nodes.removeAll(makers);
        return true;
    }

    private static boolean areNumbers(List<@Nullable Value> values) {
        for (Value value : values) {
            if (value == null) {
                continue;
            }
            boolean number = value.type() instanceof ValueType.TensorType type
                    && type.element() != null
                    && isNumber(type.element());
            if (!number) {
                return false;
            }
        }
        return true;
    }

    private static boolean isNumber(ElementType type) {
        return switch (type) {
            case FLOAT, FLOAT16, BFLOAT16, DOUBLE, BOOL -> true;
            case INT8, INT16, INT32, INT64, UINT8, UINT16, UINT32, UINT64, INT4, UINT4 -> true;
            default -> false;
        };
    }

    /** Leaves nodes to others that would be partitions of arithmetic on shapes and nothing else. */
    private void dropUseless() {
        var useful = new HashSet<Node>();
        var open = new ArrayList<Node>();
        for (Node node : nodes) {
            if (isWorthIt(node)) {
                open.add(node);
            }
        }
        while (!open.isEmpty()) {
            Node node = open.removeLast();
            if (nodes.contains(node) && useful.add(node)) {
                var read = new HashSet<@Nullable Value>(node.inputs());
                read.addAll(node.captured());
                for (Value value : read) {
                    if (value != null && value.producer() != null) {
                        open.add(value.producer());
                    }
                }
                open.addAll(node.readersIn(graph));
            }
        }
        nodes.retainAll(useful);
    }

    private static boolean isWorthIt(Node node) {
        if (Rules.isQuantisedProduct(node)) {
            return true;
        }
        for (Graph branch : node.attributes().graphs()) {
            for (Node inner : branch.nodes()) {
                if (isWorthIt(inner)) {
                    return true;
                }
            }
        }
        return Rules.of(node) != null
                && Stream.concat(node.inputs().stream(), node.outputs().stream())
                        .anyMatch(Claims::isData);
    }

    /** Whether a value is more than what shapes are computed with: numbers and lists of integers. */
    private static boolean isData(@Nullable Value value) {
        if (value == null || value.isConstant()) {
            return false;
        }
        if (value.elementType() != null && value.elementType().isFloating()) {
            return true;
        }
        SymbolicShape shape = value.shape();
        Shape known = shape == null ? null : shape.toShape();
        return shape != null && (shape.rank() > 1 || shape.rank() == 1 && (known == null || known.dim(0) > LONG_LIST));
    }
}
