package dev.millrace.graph.infer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.ir.ValueType.MapType;
import dev.millrace.graph.ir.ValueType.OptionalType;
import dev.millrace.graph.ir.ValueType.SequenceType;
import dev.millrace.graph.ir.ValueType.TensorType;
import dev.millrace.graph.op.AttributeSpec;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Parameter;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.op.TypeConstraint;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Nodes of every version of every operator, with inputs and attributes that may or may not make sense. */
class EveryOperatorTest {
    private static final int ROUNDS = 60;

    private final Random random = new Random(7);

    @Test
    void everyOperatorWithASchemaHasARule() {
        var without = new TreeSet<String>();
        for (OperatorSchema schema : Schemas.all()) {
            boolean hasGraph =
                    schema.attributes().stream().anyMatch(a -> a.kind() == AttributeSpec.Kind.GRAPH && a.required());
            if (hasGraph || schema.op().equals(new OpId(OpId.MICROSOFT, "EPContext"))) {
                continue;
            }
            boolean ruled = false;
            for (int i = 0; i < ROUNDS && !ruled; i++) {
                try {
                    ruled = outputs(schema).stream().anyMatch(type -> type != null);
                } catch (EngineException refused) {
                    ruled = true;
                }
            }
            if (!ruled) {
                without.add(schema.op() + "-" + schema.since());
            }
        }
        assertThat(without).isEmpty();
    }

    @Test
    void whateverANodeHasItIsInferredOrRefused() {
        int inferred = 0;
        int refused = 0;
        var unexpected = new TreeSet<String>();
        for (OperatorSchema schema : Schemas.all()) {
            for (int i = 0; i < ROUNDS; i++) {
                try {
                    outputs(schema);
                    inferred++;
                } catch (EngineException e) {
                    refused++;
                    assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH);
                    assertThat(e).hasMessageStartingWith(schema.op() + " 'n': ");
                } catch (RuntimeException e) {
                    unexpected.add(schema.op() + "-" + schema.since() + ": " + e + " at " + e.getStackTrace()[0]);
                }
            }
        }
        assertThat(unexpected).isEmpty();
        assertThat(inferred).isGreaterThan(refused / 4);
        assertThat(refused).isPositive();
    }

    private List<@Nullable ValueType> outputs(OperatorSchema schema) {
        var editor = new GraphEditor(Graph.named("test"));
        var inputs = new ArrayList<@Nullable Value>();
        for (Parameter parameter : schema.inputs()) {
            int count = parameter.isVariadic() ? random.nextInt(4) : parameter.isOptional() ? random.nextInt(2) : 1;
            for (int i = 0; i < count; i++) {
                inputs.add(value(editor, schema, parameter));
            }
            if (count == 0) {
                inputs.add(null);
            }
        }
        Map<String, Attribute> attributes = new LinkedHashMap<>();
        for (AttributeSpec spec : schema.attributes()) {
            if (spec.required() || random.nextInt(3) == 0) {
                attributes.put(spec.name(), attribute(spec.kind()));
            }
        }
        var names = new ArrayList<@Nullable String>();
        for (int i = 0; i < Math.max(1, random.nextInt(4)); i++) {
            names.add("y" + i);
        }
        NodeSpec spec = NodeSpec.of(schema.op(), schema.since(), inputs.toArray(new Value[0]))
                .named("n")
                .with(Attributes.of(attributes));
        return outputs(editor.append(spec, names));
    }

    private static List<@Nullable ValueType> outputs(Node node) {
        return TypeInference.outputs(node, Facts.ofGraph(node));
    }

    private Value value(GraphEditor editor, OperatorSchema schema, Parameter parameter) {
        TypeConstraint constraint = schema.constraint(parameter.type());
        ElementType element = ElementType.FLOAT;
        if (constraint != null) {
            var allowed = List.copyOf(constraint.tensors());
            boolean other = allowed.isEmpty() || !constraint.others().isEmpty() && random.nextBoolean();
            if (other) {
                var others = List.copyOf(constraint.others());
                return editor.addInput("x", compound(others.get(random.nextInt(others.size()))));
            }
            element = allowed.get(random.nextInt(allowed.size()));
        } else if (parameter.type().indexOf('(') < 0) {
            element = ElementType.ofName(parameter.type());
        }
        if (element.isInteger() && !element.isPacked() && random.nextBoolean()) {
            long[] values = random.longs(random.nextInt(5), -3, 6).toArray();
            return editor.addConstant("c", Tensor.copyOf(values, values.length));
        }
        return switch (random.nextInt(8)) {
            case 0 -> editor.addInput("x", null);
            case 1 -> editor.addInput("x", ValueType.tensor(element));
            default -> editor.addInput("x", new TensorType(element, shape()));
        };
    }

    private SymbolicShape shape() {
        var dims = new ArrayList<Dim>();
        for (int rank = random.nextInt(6); rank > 0; rank--) {
            dims.add(
                    switch (random.nextInt(8)) {
                        case 0 -> Dim.UNKNOWN;
                        case 1 -> Dim.symbol("n");
                        case 2 -> Dim.symbol("m*2 - 1");
                        default -> Dim.of(random.nextInt(5));
                    });
        }
        return new SymbolicShape(dims);
    }

    private ValueType compound(String text) {
        int open = text.indexOf('(');
        if (open < 0) {
            return new TensorType(ElementType.ofName(text), random.nextBoolean() ? shape() : null);
        }
        String inner = text.substring(open + 1, text.length() - 1);
        return switch (text.substring(0, open)) {
            case "seq" -> new SequenceType(compound(inner));
            case "optional" -> new OptionalType(compound(inner));
            default -> {
                int comma = inner.indexOf(',');
                yield new MapType(ElementType.ofName(inner.substring(0, comma)), compound(inner.substring(comma + 1)));
            }
        };
    }

    private Attribute attribute(AttributeSpec.Kind kind) {
        return switch (kind) {
            case INT -> Attribute.of(random.nextInt(9) - 2);
            case FLOAT -> Attribute.of(random.nextFloat());
            case STRING ->
                Attribute.of(List.of("", "SAME_UPPER", "forward", "ij,jk->ik", "none")
                        .get(random.nextInt(5)));
            case INTS -> Attribute.of(random.longs(random.nextInt(5), -2, 5).toArray());
            case FLOATS -> new Attribute.Floats(List.of(0.5f, 2f).subList(0, random.nextInt(3)));
            case STRINGS -> new Attribute.Strings(List.of((Attribute.Bytes) Attribute.of("a")));
            case TENSOR -> Attribute.of(Tensor.copyOf(new float[] {1, 2}, 2));
            case TYPE -> new Attribute.TypeValue(new TensorType(ElementType.FLOAT, null));
            case GRAPH -> Attribute.of(Graph.named("body"));
            default -> new Attribute.Tensors(List.of());
        };
    }
}
