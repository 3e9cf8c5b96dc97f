package dev.millrace.graph.quantize;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.quantize.QuantizeOptions.Method;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Elements;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes the nodes that take the place of products and lookups, into one graph. */
final class ProductWriter {
    /** The version of MatMulNBits and GatherBlockQuantized. */
    private static final int CONTRIBUTED = 1;

    /** The bits of a weight where an operator names none. */
    private static final int USUAL_BITS = 4;

    private static final int ELEMENTS = 0;
    private static final int SCALE = 1;
    private static final int ZERO = 2;

    private final GraphEditor editor;
    private final QuantizeOptions options;
    /** The inputs that were quantised while the model runs: elements, scale and zero point. */
    private final Map<Value, List<Value>> roundedInputs = new HashMap<>();

    ProductWriter(GraphEditor editor, QuantizeOptions options) {
        this.editor = editor;
        this.options = options;
    }

    /**
     * The values that hold a quantised matrix.
     *
     * @param rows the number of weights of a column
     */
    record Operands(Value data, Value scales, @Nullable Value zeros, long rows, long columns) {}

    /** Replaces a MatMul or Gemm of elements of {@code type}; {@code next} is the node behind it. */
    void replaceProduct(Node node, @Nullable Node next, ElementType type, Operands weight) {
        var target = new Target(node, next, type);
        Value a = node.requireInput(0);
        boolean isGemm = node.is(OpName.GEMM);
        float beta = node.attributes().real("beta", 1);
        Value bias = isGemm && beta != 0 ? node.input(2) : null;
        editor.replaceProducer(node);
        if (isGemm && node.attributes().flag("transA", false)) {
            a = target.add(target.spec(OpName.TRANSPOSE, a).with("perm", Attribute.of(1, 0)));
        }
        if (bias != null && beta != 1) {
            Tensor factor = Tensor.allocate(type, Shape.SCALAR);
            Elements.setDouble(type, factor.segment(), 0, beta);
            bias = target.add(target.spec(OpName.MUL, bias, editor.addConstant(node.name() + "_beta", factor)));
        }
        NodeSpec product = options.method() == Method.BLOCKS ? inBlocks(a, weight) : inBytes(target, a, weight);
        target.finish(
                bias == null
                        ? product.named(node.name())
                        : target.spec(OpName.ADD, target.add(product.named(node.name())), bias));
    }

    private NodeSpec inBlocks(Value a, Operands weight) {
        Attributes attributes = Attributes.NONE
                .with("K", Attribute.of(weight.rows()))
                .with("N", Attribute.of(weight.columns()))
                .with("bits", Attribute.of(options.bits()))
                .with("block_size", Attribute.of(options.blockSize()));
        if (options.accuracyLevel() > 0) {
            attributes = attributes.with("accuracy_level", Attribute.of(options.accuracyLevel()));
        }
        var inputs = new ArrayList<@Nullable Value>(List.of(a, weight.data(), weight.scales()));
        return contributed(OpName.MATMUL_N_BITS, inputs, weight).with(attributes);
    }

    private static NodeSpec contributed(String name, List<@Nullable Value> inputs, Operands weight) {
        if (weight.zeros() != null) {
            inputs.add(weight.zeros());
        }
        return NodeSpec.of(new OpId(OpId.MICROSOFT, name), CONTRIBUTED, inputs);
    }

    private NodeSpec inBytes(Target target, Value a, Operands weight) {
        List<Value> rounded = roundedInputs.computeIfAbsent(a, target::rounded);
        Value sums =
                target.add(target.spec(OpName.MATMUL_INTEGER, rounded.get(ELEMENTS), weight.data(), rounded.get(ZERO)));
        Value floats = target.cast(sums, ElementType.FLOAT);
        Value scales = target.add(target.spec(OpName.MUL, rounded.get(SCALE), weight.scales()));
        NodeSpec product = target.spec(OpName.MUL, floats, scales);
        return target.type == ElementType.FLOAT ? product : target.castSpec(target.add(product), target.type);
    }

    /** Replaces a Gather; {@code next} is the node behind it. */
    void replaceLookup(Node node, @Nullable Node next, ElementType type, Operands table) {
        var target = new Target(node, next, type);
        Value indices = node.requireInput(1);
        editor.replaceProducer(node);
        var inputs = new ArrayList<@Nullable Value>(List.of(table.data(), indices, table.scales()));
        NodeSpec lookup = contributed(OpName.GATHER_BLOCK_QUANTIZED, inputs, table)
                .with("block_size", Attribute.of(options.blockSize()))
                .with("gather_axis", Attribute.of(0))
                .with("quantize_axis", Attribute.of(1));
        if (options.bits() != USUAL_BITS) {
            lookup = lookup.with("bits", Attribute.of(options.bits()));
        }
        target.finish(lookup.named(node.name()));
    }

    /** The place of a node that is replaced. Added nodes stand there; the product alone has its name. */
    private final class Target {
        private final Node node;
        private final @Nullable Node next;
        private final ElementType type;

        Target(Node node, @Nullable Node next, ElementType type) {
            this.node = node;
            this.next = next;
            this.type = type;
        }

        NodeSpec spec(String operator, Value... inputs) {
            return NodeSpec.of(OpId.onnx(operator), node.opset(), inputs);
        }

        NodeSpec castSpec(Value value, ElementType to) {
            return spec(OpName.CAST, value).with("to", Attribute.of(to.code()));
        }

        Value cast(Value value, ElementType to) {
            return add(castSpec(value, to));
        }

        /** Adds a node and returns its output, which has a name derived from that of the product. */
        Value add(NodeSpec spec) {
            Value output =
                    editor.value(node.requireOutput(0).name() + "_" + spec.op().name(), null);
            editor.insert(spec, next, output);
            return output;
        }

        List<Value> rounded(Value a) {
            Value floats = type == ElementType.FLOAT ? a : cast(a, ElementType.FLOAT);
            var outputs = new Value[] {
                editor.value(a.name() + "_quantized", null),
                editor.value(a.name() + "_scale", null),
                editor.value(a.name() + "_zero_point", null)
            };
            editor.insert(spec(OpName.DYNAMIC_QUANTIZE_LINEAR, floats), next, outputs);
            return List.of(outputs);
        }

        /** Adds the node that produces what the replaced node did. */
        void finish(NodeSpec spec) {
            editor.insert(spec, next, node.requireOutput(0));
        }
    }
}
