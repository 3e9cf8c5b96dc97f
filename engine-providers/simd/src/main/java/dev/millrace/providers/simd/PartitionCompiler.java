package dev.millrace.providers.simd;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.Value;
import dev.millrace.providers.simd.SimdProgram.Instruction;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Turns the graph of one partition into a program. Used once. */
final class PartitionCompiler {
    private final Graph graph;
    private final String layout;
    private final Bulk bulk;
    private final IdentityHashMap<Value, Source> sources = new IdentityHashMap<>();
    private final List<Instruction> instructions = new ArrayList<>();

    PartitionCompiler(Graph graph, String layout, Bulk bulk) {
        this.graph = graph;
        this.layout = layout;
        this.bulk = bulk;
    }

    SimdProgram compile() {
        for (int i = 0; i < graph.inputs().size(); i++) {
            sources.put(graph.inputs().get(i), Source.input(i));
        }
        for (Group group : Group.of(graph)) {
            compile(group);
        }
        var outputs = new ArrayList<Integer>();
        for (Value output : graph.outputs()) {
            Source source = sources.get(output);
            if (source == null || source.kind() != Source.Kind.RESULT) {
                throw refuse("output '" + output.name() + "' is no result of a node");
            }
            outputs.add(source.index());
        }
        return new SimdProgram(layout, graph.inputs().size(), bulk.constants(), instructions, outputs);
    }

    private void compile(Group group) {
        if (tryCompile(group)) {
            return;
        }
        // too many values at once for the registers: in two parts, or one by one
        Node product = group.product();
        List<Group> parts = new ArrayList<>();
        if (product != null && product != group.root()) {
            parts.add(Group.single(product));
            parts.add(group.withoutProduct());
        } else if (group.inOrder().size() > 1) {
            group.inOrder().forEach(node -> parts.add(Group.single(node)));
        } else {
            throw refuse(group.root().describe() + " takes more registers than there are");
        }
        parts.forEach(this::compile);
    }

    private boolean tryCompile(Group group) {
        Value result = group.root().requireOutput(0);
        var builder = new ExpressionBuilder();
        emit(result, group, builder, new IdentityHashMap<>());
        Node product = group.product();
        ProductRule rule = product == null ? null : ProductRule.of(product);
        Expression expression = builder.isEmpty()
                ? null
                : builder.build(rule == null ? Expression.MOST_REGISTERS : SimdProgram.Product.MOST_REGISTERS);
        if (expression == null && !builder.isEmpty()) {
            return false;
        }
        instructions.add(
                rule == null
                        ? new SimdProgram.Elementwise(Objects.requireNonNull(expression))
                        : product(rule, expression));
        sources.put(result, Source.result(instructions.size() - 1));
        return true;
    }

    /** The number that {@code value} has in the expression, after adding what computes it. */
    private int emit(Value value, Group group, ExpressionBuilder builder, IdentityHashMap<Value, Integer> numbers) {
        Integer known = numbers.get(value);
        if (known != null) {
            return known;
        }
        Node producer = value.producer();
        int number;
        if (producer == null || !group.contains(producer)) {
            number = builder.load(source(value));
        } else if (producer == group.product()) {
            ProductRule rule = Objects.requireNonNull(ProductRule.of(producer));
            int[] values = new int[1 + rule.others().size()];
            values[0] = builder.load(Source.PRODUCT);
            for (int i = 1; i < values.length; i++) {
                values[i] = builder.load(source(rule.others().get(i - 1)));
            }
            number = rule.emitter().emit(builder, values);
        } else {
            ElementwiseRule rule = ElementwiseRule.of(producer);
            if (rule == null) {
                throw refuse(producer.describe() + " is none of the operators that it claims");
            }
            number = rule.emitter().emit(builder, operands(rule, group, builder, numbers));
        }
        numbers.put(value, number);
        return number;
    }

    /** What has to be computed comes first: a value that is only read would hold a register meanwhile. */
    private int[] operands(
            ElementwiseRule rule, Group group, ExpressionBuilder builder, IdentityHashMap<Value, Integer> numbers) {
        int[] values = new int[rule.operands().size()];
        for (boolean computed : new boolean[] {true, false}) {
            for (int i = 0; i < values.length; i++) {
                Value operand = rule.operands().get(i);
                if (group.contains(operand.producer()) == computed) {
                    values[i] = emit(operand, group, builder, numbers);
                }
            }
        }
        return values;
    }

    private Instruction product(ProductRule rule, @Nullable Expression expression) {
        Value bias = rule.bias();
        return new SimdProgram.Product(
                source(rule.x()),
                bulk.weights(rule),
                rule.rows(),
                rule.columns(),
                bias == null ? null : source(bias),
                expression);
    }

    private Source source(Value value) {
        Source known = sources.get(value);
        if (known != null) {
            return known;
        }
        if (value.constant() == null) {
            throw refuse("value '" + value.name() + "' is read before it is made");
        }
        Source constant = Source.constant(bulk.constant(value.constant()));
        sources.put(value, constant);
        return constant;
    }

    private EngineException refuse(String why) {
        return EngineException.invalidGraph("cannot compile " + graph + ": " + why);
    }
}
