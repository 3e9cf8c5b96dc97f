package dev.millrace.bench.agree;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.TypeConstraint;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A model of one node in the making, and its inputs. */
final class OneNode {
    private static final int NEWEST = 26;
    private static final Set<ElementType> USUAL = EnumSet.of(
            ElementType.FLOAT,
            ElementType.DOUBLE,
            ElementType.FLOAT16,
            ElementType.INT8,
            ElementType.INT16,
            ElementType.INT32,
            ElementType.INT64,
            ElementType.UINT8,
            ElementType.UINT16,
            ElementType.UINT32,
            ElementType.UINT64,
            ElementType.BOOL);

    private final OpId op;
    private final int opset;
    private final Chance chance;
    private final GraphEditor editor = new GraphEditor(Graph.named("one"));
    private final List<@Nullable Value> operands = new ArrayList<>();
    private final Inputs inputs = Inputs.empty();
    private final StringBuilder described = new StringBuilder();
    private Attributes attributes = Attributes.NONE;
    private int outputs = 1;

    OneNode(OpId op, Chance chance) {
        this.op = op;
        this.chance = chance;
        if (op.domain().equals(OpId.ONNX)) {
            List<Integer> opsets = Schemas.all().stream()
                    .filter(schema -> schema.op().equals(op) && !schema.deprecated() && schema.since() <= NEWEST)
                    .map(OperatorSchema::since)
                    .filter(since -> since >= 7 || since == Schemas.firstVersion(op))
                    .toList();
            int since = opsets.isEmpty() ? NEWEST : chance.one(opsets);
            opset = Math.max(since, 7);
        } else {
            opset = Math.max(1, Schemas.newestVersion(op.domain()));
        }
    }

    int opset() {
        return opset;
    }

    /** Whether the operator has this attribute in the opset of the model. */
    boolean has(String attribute) {
        OperatorSchema schema = Schemas.find(op, opset);
        return schema != null && schema.attribute(attribute) != null;
    }

    /** One of the usual types that a variable of the schema allows, mostly float. */
    ElementType type(String variable) {
        OperatorSchema schema = Schemas.find(op, opset);
        TypeConstraint constraint = schema == null ? null : schema.constraint(variable);
        var allowed = EnumSet.copyOf(USUAL);
        if (constraint != null) {
            allowed.retainAll(constraint.tensors());
        }
        return allowed.contains(ElementType.FLOAT) && chance.once(2) ? ElementType.FLOAT : chance.one(allowed);
    }

    OneNode with(String name, Attribute value) {
        attributes = attributes.with(name, value);
        described.append(' ').append(name).append('=').append(value);
        return this;
    }

    OneNode with(String name, long value) {
        return with(name, Attribute.of(value));
    }

    OneNode with(String name, float value) {
        return with(name, Attribute.of(value));
    }

    OneNode with(String name, String value) {
        return with(name, Attribute.of(value));
    }

    OneNode list(String name, long... values) {
        return with(name, Attribute.of(values));
    }

    /** An attribute that is left out at times. */
    OneNode maybe(String name, long value) {
        return chance.often() && has(name) ? with(name, value) : this;
    }

    OneNode maybe(String name, float value) {
        return chance.often() && has(name) ? with(name, value) : this;
    }

    /** Inputs of the model. */
    OneNode fed(Tensor... tensors) {
        for (Tensor tensor : tensors) {
            String name = "in" + operands.size();
            operands.add(editor.addInput(name, ValueType.tensor(tensor.type(), tensor.shape())));
            inputs.and(name, tensor);
            described.append(' ').append(tensor.type()).append(tensor.shape());
        }
        return this;
    }

    /** Tensors that the model holds. */
    OneNode held(Tensor... tensors) {
        for (Tensor tensor : tensors) {
            operands.add(editor.addConstant("held" + operands.size(), tensor));
            described.append(" held ").append(tensor.type()).append(tensor.shape());
            boolean small = tensor.type() == ElementType.INT64 && tensor.elements() < 9;
            described.append(small ? Arrays.toString(tensor.longs()) : "");
        }
        return this;
    }

    /** One or the other, by chance. */
    OneNode fedOrHeld(Tensor... tensors) {
        for (Tensor tensor : tensors) {
            if (chance.once(2)) {
                fed(tensor);
            } else {
                held(tensor);
            }
        }
        return this;
    }

    OneNode none() {
        operands.add(null);
        return this;
    }

    OneNode outputs(int count) {
        outputs = count;
        return this;
    }

    Inputs inputs() {
        return inputs;
    }

    byte[] bytes() {
        var names = new ArrayList<@Nullable String>();
        for (int i = 0; i < outputs; i++) {
            names.add("out" + i);
        }
        int own = op.domain().equals(OpId.ONNX) ? opset : 21;
        int version = op.domain().equals(OpId.ONNX) ? own : opset;
        var node = editor.append(NodeSpec.of(op, version, operands).with(attributes), names);
        for (int i = 0; i < outputs; i++) {
            editor.addOutput("out" + i, node.requireOutput(i));
        }
        var opsets =
                op.domain().equals(OpId.ONNX) ? Map.of(OpId.ONNX, own) : Map.of(OpId.ONNX, own, op.domain(), opset);
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, opsets, Map.of(), Map.of(), editor.graph(), null));
    }

    @Override
    public String toString() {
        return op.name() + " " + opset + described;
    }
}
