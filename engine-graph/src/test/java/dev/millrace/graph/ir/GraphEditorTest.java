package dev.millrace.graph.ir;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class GraphEditorTest {
    private static final int MANY = 200_000;

    private final Graph graph = Graph.named("test");
    private final GraphEditor editor = new GraphEditor(graph);

    private Node node(@Nullable Value... inputs) {
        return editor.append(NodeSpec.of(OpId.onnx("Sum"), 21, inputs), List.of("v" + graph.nodeCount()));
    }

    /** Values and readers in numbers on both sides of where they begin to be indexed. */
    @Test
    void usersAreWhoReadsWhateverIsChanged() {
        var random = new Random(5);
        var values = new ArrayList<Value>();
        for (int i = 0; i < 5; i++) {
            values.add(editor.addInput("x" + i, null));
        }
        var nodes = new ArrayList<Node>();
        for (int i = 0; i < 60; i++) {
            @Nullable Value[] inputs = new Value[random.nextInt(3) == 0 ? 100 : 3];
            for (int k = 0; k < inputs.length; k++) {
                inputs[k] = random.nextInt(8) == 0 ? null : values.get(random.nextInt(5));
            }
            nodes.add(node(inputs));
        }
        for (int round = 0; round < 2000; round++) {
            Node node = nodes.get(random.nextInt(nodes.size()));
            switch (random.nextInt(20)) {
                case 0 -> editor.replaceUses(values.get(random.nextInt(5)), values.get(random.nextInt(5)));
                case 1 -> {
                    if (nodes.size() > 20) {
                        editor.remove(node);
                        nodes.remove(node);
                    }
                }
                default -> {
                    int index = random.nextInt(node.inputs().size());
                    editor.setInput(node, index, values.get(random.nextInt(5)));
                }
            }
            for (Value value : values) {
                var readers = new ArrayList<Node>();
                for (Node each : nodes) {
                    each.inputs().stream().filter(input -> input == value).forEach(input -> readers.add(each));
                }
                assertThat(value.users()).containsExactlyInAnyOrderElementsOf(readers);
            }
        }
    }

    @Test
    @Timeout(20)
    void readersOfOneValueGoInTheOrderInWhichTheyCame() {
        Value x = editor.addInput("x", null);
        for (int i = 0; i < MANY; i++) {
            node(x);
        }
        graph.nodes().forEach(editor::remove);
        assertThat(x.users()).isEmpty();
    }

    @Test
    @Timeout(20)
    void outputsAndInputsAreReplacedOneByOne() {
        Value x = editor.addInput("x", null);
        Value[] all = new Value[MANY];
        for (int i = 0; i < MANY; i++) {
            all[i] = node(x).requireOutput(0);
            editor.addOutput("y" + i, all[i]);
        }
        Node sum = node(all);
        for (Value value : all) {
            editor.replaceUses(value, x);
        }
        assertThat(graph.outputs()).hasSize(MANY).allMatch(output -> output == x);
        assertThat(sum.inputs()).hasSize(MANY).allMatch(input -> input == x);
        assertThat(x.users()).hasSize(2 * MANY);
    }
}
