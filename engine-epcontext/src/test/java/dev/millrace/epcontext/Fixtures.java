package dev.millrace.epcontext;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.providers.spi.Partition;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Models, partitions and binaries for tests. */
final class Fixtures {
    static final Model.Header HEADER = new Model.Header(8, "maker", "1.2", "the.domain", 7, "what it is for");

    private Fixtures() {}

    static Model model(Graph graph, @Nullable Path source) {
        return new Model(HEADER, Map.of(OpId.ONNX, 17), Map.of("author", "someone"), Map.of(), graph, source);
    }

    static ValueType floats(long... dims) {
        return ValueType.tensor(ElementType.FLOAT, Shape.of(dims));
    }

    /** Adds a node of ONNX's own with one output. */
    static Value add(GraphEditor editor, String op, String output, Value... inputs) {
        var spec = new NodeSpec(OpId.onnx(op), 17, op + "_" + output, "", List.of(inputs), Attributes.NONE);
        return editor.append(spec, List.of(output)).requireOutput(0);
    }

    /** A chain x → op → op … → y of operators with one input. */
    static Graph chain(String... operators) {
        var editor = new GraphEditor(Graph.named("chain"));
        Value value = editor.addInput("x", floats(2, 3));
        for (int i = 0; i < operators.length; i++) {
            value = add(editor, operators[i], "v" + i, value);
            editor.setType(value, floats(2, 3));
        }
        editor.addOutput("y", value);
        return editor.graph();
    }

    static List<Node> nodes(Graph graph) {
        var nodes = new ArrayList<Node>();
        graph.nodes().forEach(nodes::add);
        return nodes;
    }

    static List<Node> contexts(Graph graph) {
        return nodes(graph).stream()
                .filter(node -> node.op().equals(EpContext.OP))
                .toList();
    }

    /** A partition that is nothing but its name. */
    static Partition partition(String name) {
        Graph graph = chain("Relu");
        return new Partition(name, graph, nodes(graph).getFirst());
    }

    static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    static byte[] random(int seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    static byte[] bytes(MemorySegment segment) {
        return segment.toArray(ValueLayout.JAVA_BYTE);
    }

    /** A binary of the provider {@code fast} with graphs of these names, each with a plan and a segment of its own. */
    static ContextBinaryWriter writer(String... partitions) {
        var writer = new ContextBinaryWriter("fast");
        for (String name : partitions) {
            int segment = writer.segment(MemorySegment.ofArray(utf8("weights of " + name)));
            writer.graph(partition(name), utf8("plan of " + name), new int[] {segment});
        }
        return writer;
    }
}
