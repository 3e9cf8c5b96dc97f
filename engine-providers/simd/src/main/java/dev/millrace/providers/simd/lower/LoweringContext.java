package dev.millrace.providers.simd.lower;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A node that is being lowered, with the cells that it reads and writes. */
public final class LoweringContext {
    private final Node node;
    private final PartitionCompiler lowering;

    LoweringContext(Node node, PartitionCompiler lowering) {
        this.node = node;
        this.lowering = lowering;
    }

    public Node node() {
        return node;
    }

    public PartitionCompiler lowering() {
        return lowering;
    }

    public CompileEnvironment environment() {
        return lowering.environment();
    }

    public String name() {
        return node.op().name();
    }

    public int opset() {
        return node.opset();
    }

    public Attributes attributes() {
        return node.attributes();
    }

    public int inputs() {
        return node.inputs().size();
    }

    public boolean has(int input) {
        return node.input(input) != null;
    }

    public ValueState in(int input) {
        return lowering.cell(node.requireInput(input));
    }

    /** An input, or null where it is omitted. */
    public @Nullable ValueState find(int input) {
        Value value = node.input(input);
        return value == null ? null : lowering.cell(value);
    }

    /** The node of this graph that makes an input, or null where none does. */
    public @Nullable LoweringContext producer(int input) {
        Value value = node.input(input);
        Node producer = value == null ? null : value.producer();
        return producer == null || producer.graph() != node.graph() ? null : new LoweringContext(producer, lowering);
    }

    /** The other nodes of this graph that read what this one reads first. */
    public List<LoweringContext> others() {
        List<LoweringContext> others = new ArrayList<>();
        Value shared = node.requireInput(0);
        for (Node reader : shared.users()) {
            if (reader != node && reader.graph() == node.graph() && reader.input(0) == shared) {
                others.add(new LoweringContext(reader, lowering));
            }
        }
        return others;
    }

    public int outputs() {
        return node.outputs().size();
    }

    /** Whether anybody reads an output. */
    public boolean wants(int output) {
        Value value = node.output(output);
        return value != null && lowering.cell(value).readers() > 0;
    }

    public ValueState out(int output) {
        return lowering.cell(node.requireOutput(output));
    }

    public ValueState out() {
        return out(0);
    }

    /** The content of an input that the binding depends on. */
    public Tensor content(int input) {
        return lowering.content(node, in(input));
    }
}
