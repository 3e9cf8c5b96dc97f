package dev.millrace.graph.quantize;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.quantize.Candidate.Source;
import dev.millrace.graph.quantize.ProductWriter.Operands;
import dev.millrace.graph.quantize.QuantizeOptions.Method;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Replaces the products of a graph and of its nested graphs. A weight that several nodes read is quantised once. */
final class GraphQuantizer {
    private final QuantizeOptions options;
    private final MatrixQuantizer matrices;
    private final Candidates candidates;
    private final Map<Source, Made> made = new LinkedHashMap<>();
    /** The matrices that cannot be represented. */
    private final Set<Source> refused = new HashSet<>();
    /** The constants that were added. */
    private final Set<Value> constants = new HashSet<>();

    GraphQuantizer(QuantizeOptions options, MatrixQuantizer matrices) {
        this.options = options;
        this.matrices = matrices;
        this.candidates = new Candidates(options);
    }

    private record Made(QuantisedWeight weight, Operands operands, String operator) {}

    /** Quantises the weights of {@code main} and returns the report. */
    QuantizeReport quantize(Graph main) {
        long before = Leftovers.bytes(main);
        walk(main);
        candidates.requireUsedPatterns();
        var rows = new ArrayList<QuantizeReport.Weight>();
        made.forEach((source, each) -> rows.add(row(source, each)));
        rows.sort(Comparator.comparingDouble(QuantizeReport.Weight::error)
                .reversed()
                .thenComparing(QuantizeReport.Weight::name));
        for (Source source : made.keySet()) {
            if (!source.value().isUsed()) {
                new GraphEditor(source.value().graph()).removeConstant(source.value());
            }
        }
        return new QuantizeReport(
                rows, Leftovers.list(main, candidates.reasons(), constants), before, Leftovers.bytes(main));
    }

    private QuantizeReport.Weight row(Source source, Made each) {
        Tensor tensor = source.matrix().tensor();
        return new QuantizeReport.Weight(
                source.value().name(),
                each.operator(),
                tensor.shape(),
                tensor.type(),
                options.bits(),
                tensor.segment().byteSize(),
                each.weight().bytes(),
                each.weight().error(),
                source.value().isUsed());
    }

    private void walk(Graph graph) {
        var writer = new ProductWriter(new GraphEditor(graph), options);
        var nodes = new ArrayList<Node>(graph.nodeCount());
        graph.nodes().forEach(nodes::add);
        for (int i = 0; i < nodes.size(); i++) {
            Node node = nodes.get(i);
            node.attributes().graphs().forEach(this::walk);
            Candidate found = candidates.find(node);
            if (found != null) {
                replace(node, i + 1 < nodes.size() ? nodes.get(i + 1) : null, found, writer);
            }
        }
    }

    private void replace(Node node, @Nullable Node next, Candidate found, ProductWriter writer) {
        Made quantised = quantised(found.source(), node.opset());
        if (quantised == null) {
            return;
        }
        ElementType type = found.source().matrix().tensor().type();
        if (found.source().isTable()) {
            writer.replaceLookup(node, next, type, quantised.operands());
        } else {
            writer.replaceProduct(node, next, type, quantised.operands());
        }
        Node transpose = found.operand().producer();
        if (transpose != null && !found.operand().isUsed()) {
            new GraphEditor(transpose.graph()).remove(transpose);
        }
    }

    private @Nullable Made quantised(Source source, int opset) {
        Made before = made.get(source);
        if (before != null || refused.contains(source)) {
            return before;
        }
        boolean isDynamic = options.method() == Method.DYNAMIC;
        QuantisedWeight weight =
                isDynamic ? matrices.columns(source.matrix()) : matrices.blocks(source.matrix(), !source.isTable());
        if (!Double.isFinite(weight.error())) {
            refused.add(source);
            candidates.refuse(source.value());
            return null;
        }
        String operator = isDynamic
                ? OpName.MATMUL_INTEGER
                : source.isTable() ? OpName.GATHER_BLOCK_QUANTIZED : OpName.MATMUL_N_BITS;
        var result = new Made(weight, operands(source, weight, opset), operator);
        made.put(source, result);
        return result;
    }

    /** Adds the constants to the graph of the source, so that all nodes that read the source can read them. */
    private Operands operands(Source source, QuantisedWeight weight, int opset) {
        String name = source.value().name();
        Graph graph = source.value().graph();
        var editor = new GraphEditor(graph);
        Value data = editor.addConstant(name + "_Q" + options.bits(), weight.data());
        Value scales = editor.addConstant(name + "_scales", weight.scales());
        Tensor zeroPoints = weight.zeros();
        Value zeros = zeroPoints == null ? null : editor.addConstant(name + "_zero_points", zeroPoints);
        constants.addAll(List.of(data, scales));
        ElementType type = source.matrix().tensor().type();
        if (options.method() == Method.BLOCKS && weight.scales().type() != type) {
            Value wide = editor.value(name + "_scales_" + type, null);
            NodeSpec cast = NodeSpec.of(OpId.onnx(OpName.CAST), opset, scales).with("to", Attribute.of(type.code()));
            editor.insert(cast, graph.firstNode(), wide);
            scales = wide;
        }
        return new Operands(
                data, scales, zeros, source.matrix().rows(), source.matrix().columns());
    }
}
