package dev.millrace.providers.partition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.ExecutionProvider;
import dev.millrace.providers.spi.Partition;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

class PartitionerTest {
    private final Graph graph = Graph.named("test");
    private final GraphEditor editor = new GraphEditor(graph);

    /** Fuses nodes of one operator, or takes whatever is left one by one where the operator is empty. */
    private record Taker(String name, String operator) implements ExecutionProvider {
        @Override
        public void claim(Graph graph, CapabilitySink sink) {
            var wanted = new ArrayList<Node>();
            for (Node node : graph.nodes()) {
                if (operator.isEmpty() && !sink.isTaken(node)) {
                    sink.single(node);
                } else if (node.op().name().equals(operator)) {
                    wanted.add(node);
                }
            }
            sink.fuse(wanted);
        }
    }

    private static final ExecutionProvider FAST = new Taker("fast", "F");
    private static final ExecutionProvider REST = new Taker("rest", "");

    private Value node(String op, Value... inputs) {
        return editor.append(NodeSpec.of(new OpId("test", op), 1, inputs), List.of("v" + graph.nodeCount()))
                .requireOutput(0);
    }

    private Partitioning partition() {
        return Partitioner.partition(graph, List.of(FAST, REST), "m");
    }

    private static List<Integer> sizes(Partitioning parts) {
        return parts.fused().stream()
                .map(each -> each.partition().graph().nodeCount())
                .toList();
    }

    @Test
    void aChainBecomesOnePartitionWithOneInputAndOneOutput() {
        Value x = editor.addInput("x", null);
        editor.addOutput("y", node("F", node("F", node("F", x))));
        Partition part = partition().fused().getFirst().partition();
        assertThat(part.graph().nodeCount()).isEqualTo(3);
        assertThat(part.graph().inputs()).hasSize(1);
        assertThat(part.fused().outputs()).hasSize(1);
        assertThat(graph.nodeCount()).isEqualTo(1);
        assertThat(part.name()).isEqualTo("m_fast_1");
    }

    @Test
    void aDiamondThroughAForeignNodeIsCutSoThatThereIsNoCycle() {
        Value top = node("F", editor.addInput("x", null));
        Value foreign = node("G", top);
        Value side = node("F", top);
        editor.addOutput("y", node("F", foreign, side));
        Partitioning parts = partition();
        assertThat(sizes(parts)).containsExactlyInAnyOrder(2, 1);
        assertThat(graph.nodeCount()).isEqualTo(3);
    }

    private Value withBody(String op, Value... read) {
        Graph body = Graph.nested("body", graph);
        var inside = new GraphEditor(body);
        inside.addOutput(
                "r",
                inside.append(NodeSpec.of(new OpId("test", "F"), 1, read), List.of("r"))
                        .requireOutput(0));
        NodeSpec spec = NodeSpec.of(new OpId("test", op), 1).with("body", Attribute.of(body));
        return editor.append(spec, List.of("w" + graph.nodeCount())).requireOutput(0);
    }

    @Test
    void aNodeIsFusedWithItsNestedGraphWhichThenReadsThePartsOwnValues() {
        Value x = editor.addInput("x", null);
        Value inner = node("F", x);
        editor.addOutput("y", withBody("F", x, inner));
        Partitioning parts = partition();
        assertThat(sizes(parts)).containsExactly(2);
        Partition part = parts.fused().getFirst().partition();
        assertThat(part.graph().inputs()).hasSize(1);
        assertThat(part.fused().outputs()).hasSize(1);
        Node last = part.nodes().getLast();
        assertThat(last.captured())
                .containsExactlyInAnyOrder(
                        part.graph().inputs().getFirst(),
                        part.nodes().getFirst().requireOutput(0))
                .allMatch(value -> value.graph() == part.graph());
    }

    @Test
    void aNestedGraphIsCutByItselfWhereNobodyFusesTheNodeAroundIt() {
        Value x = editor.addInput("x", null);
        Value outer = node("F", x);
        editor.addOutput("y", withBody("G", x, outer));
        Partitioning parts = partition();
        assertThat(sizes(parts)).containsExactly(1, 1);
        Partition nested = parts.fused().getLast().partition();
        assertThat(nested.fused().inputs()).containsExactly(x, outer);
        assertThat(nested.fused().graph().parent()).isSameAs(graph);
    }

    @Test
    void nodesThatAreNotConnectedStayApart() {
        Value x = editor.addInput("x", null);
        editor.addOutput("a", node("F", x));
        editor.addOutput("b", node("F", x));
        assertThat(sizes(partition())).containsExactly(1, 1);
    }

    @Test
    void aValueReadInsideAndOutsideIsAnOutputOfThePartition() {
        Value inner = node("F", editor.addInput("x", null));
        editor.addOutput("a", node("F", inner));
        editor.addOutput("b", node("G", inner));
        Partition part = partition().fused().getFirst().partition();
        assertThat(part.fused().outputs()).hasSize(2);
        assertThat(part.graph().outputs()).hasSize(2);
    }

    @Test
    void aContextNodeBelongsToItsSourceAloneAndIsNeverFusedWithOthers() {
        Value x = editor.addInput("x", null);
        Value first = context("fast", x);
        Value second = context("fast", first);
        editor.addOutput("y", second);
        ExecutionProvider thief = new Taker("thief", "EPContext");
        ExecutionProvider owner = new Taker("fast", "EPContext");
        Partitioning parts = Partitioner.partition(graph, List.of(thief, owner), "m");
        assertThat(sizes(parts)).containsExactly(1, 1);
        assertThat(parts.fused()).allMatch(each -> each.provider() == owner);
    }

    @Test
    void aContextNodeOfAnAbsentProviderIsRefusedNamingBoth() {
        editor.addOutput("y", context("npu", editor.addInput("x", null)));
        assertThatThrownBy(this::partition).hasMessageContaining("'npu'").hasMessageContaining("[fast, rest]");
    }

    private Value context(String source, Value input) {
        NodeSpec spec = NodeSpec.of(EpContext.OP, 1, input)
                .with(Attributes.of(EpContext.SOURCE, Attribute.of(source)))
                .named("ctx");
        return editor.append(spec, List.of("c" + graph.nodeCount())).requireOutput(0);
    }

    @Test
    void aNodeThatNobodyTakesIsNamed() {
        editor.addOutput("y", node("G", editor.addInput("x", null)));
        assertThatThrownBy(() -> Partitioner.partition(graph, List.of(FAST), "m"))
                .hasMessageContaining("test.G")
                .hasMessageContaining("none of the providers [fast]; add 'cpu'");
        var cpu = new Taker("cpu", "F");
        assertThatThrownBy(() -> Partitioner.partition(graph, List.of(FAST, cpu), "m"))
                .hasMessageContaining("none of the providers [fast, cpu]; a provider of your own");
    }

    @Test
    void theModuleOfAnOperatorOfExtensionsIsNamed() {
        NodeSpec spec = NodeSpec.of(new OpId("ai.onnx.contrib", "StringUpper"), 1, editor.addInput("x", null));
        editor.addOutput("y", editor.append(spec, List.of("u")).requireOutput(0));
        assertThatThrownBy(() -> Partitioner.partition(graph, List.of(FAST), "m"))
                .hasMessageContaining("add 'extensions' of millrace-extensions");
        var extensions = new Taker("extensions", "F");
        assertThatThrownBy(() -> Partitioner.partition(graph, List.of(FAST, extensions), "m"))
                .hasMessageContaining("none of the providers [fast, extensions]; add 'cpu'");
    }

    @Test
    void randomGraphsAreCutIntoMaximalConvexGroups() {
        var random = new Random(3);
        for (int round = 0; round < 200; round++) {
            var test = new PartitionerTest();
            var values = new ArrayList<Value>(List.of(test.editor.addInput("x", null)));
            for (int i = 0; i < 25; i++) {
                Value a = values.get(Math.max(0, values.size() - 1 - random.nextInt(4)));
                Value b = values.get(random.nextInt(values.size()));
                values.add(test.node(random.nextInt(3) == 0 ? "G" : "F", a, b));
            }
            values.subList(20, 26).forEach(value -> test.editor.addOutput(value.name(), value));
            var fast = new ArrayList<Node>();
            var order = new ArrayList<Node>();
            for (Node node : test.graph.nodes()) {
                order.add(node);
                if (node.op().name().equals("F")) {
                    fast.add(node);
                }
            }
            List<List<Node>> groups = ConvexGroups.of(test.graph, fast);
            assertThat(groups.stream().mapToInt(List::size).sum()).isEqualTo(fast.size());
            assertThat(isAcyclic(test.graph, order, groups)).isTrue();
            for (int i = 0; i < groups.size(); i++) {
                for (int j = i + 1; j < groups.size(); j++) {
                    var merged = new ArrayList<>(groups);
                    var union = new ArrayList<>(groups.get(i));
                    union.addAll(groups.get(j));
                    merged.remove(j);
                    merged.set(i, union);
                    boolean adjacent = reads(test.graph, groups.get(i), groups.get(j))
                            || reads(test.graph, groups.get(j), groups.get(i));
                    assertThat(adjacent && isAcyclic(test.graph, order, merged))
                            .as("groups %s and %s could be one", i, j)
                            .isFalse();
                }
            }
            // the whole way, order and types of the rewritten graph included
            test.partition();
        }
    }

    private static boolean reads(Graph graph, List<Node> producers, List<Node> readers) {
        return producers.stream()
                .flatMap(node -> node.readersIn(graph).stream())
                .anyMatch(readers::contains);
    }

    /** Whether the graph has no cycle when each group is one node. */
    private static boolean isAcyclic(Graph graph, List<Node> order, List<List<Node>> groups) {
        Map<Node, Integer> groupOf = new IdentityHashMap<>();
        for (int i = 0; i < order.size(); i++) {
            groupOf.put(order.get(i), i);
        }
        for (int i = 0; i < groups.size(); i++) {
            for (Node node : groups.get(i)) {
                groupOf.put(node, order.size() + i);
            }
        }
        Set<Integer> left = new HashSet<>(groupOf.values());
        boolean removed = true;
        while (removed) {
            removed = false;
            for (int group : List.copyOf(left)) {
                boolean blocked = order.stream()
                        .filter(node -> left.contains(groupOf.get(node)))
                        .anyMatch(node -> node.readersIn(graph).stream()
                                .anyMatch(reader -> isIn(groupOf, reader, group) && !isIn(groupOf, node, group)));
                if (!blocked) {
                    left.remove(group);
                    removed = true;
                }
            }
        }
        return left.isEmpty();
    }

    private static boolean isIn(Map<Node, Integer> groupOf, Node node, int group) {
        return groupOf.getOrDefault(node, -1) == group;
    }
}
