package dev.millrace.providers.simd;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.providers.spi.CapabilitySink;
import dev.millrace.providers.spi.EpContext;
import dev.millrace.scheduler.kernel.Kernel;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ClaimsTest {
    private final GraphEditor editor = new GraphEditor(Graph.named("claims"));

    private Value input(String name, ElementType type, long... dims) {
        return editor.addInput(name, ValueType.tensor(type, Shape.of(dims)));
    }

    private void node(String operator, Value... inputs) {
        node(operator, Attributes.NONE, inputs);
    }

    private void node(String operator, Attributes attributes, Value... inputs) {
        String output = "output of " + operator;
        NodeSpec spec = NodeSpec.of(OpId.onnx(operator), 18, inputs).with(attributes);
        editor.addOutput(output, editor.append(spec, List.of(output)).requireOutput(0));
    }

    private List<String> claimed() {
        return claimed(false);
    }

    private List<String> claimed(boolean declines) {
        Graph graph = editor.graph();
        TypeInference.infer(graph);
        var claimed = new ArrayList<String>();
        var sink = new CapabilitySink() {
            @Override
            public boolean isTaken(Node node) {
                return false;
            }

            @Override
            public void fuse(Collection<Node> nodes) {
                nodes.forEach(node -> claimed.add(node.op().name()));
            }

            @Override
            public void single(Node node) {
                throw new AssertionError("there are no kernels of single nodes");
            }

            @Override
            public void whole(Node node) {
                single(node);
            }

            @Override
            public @Nullable Kernel lookUpKernel(Node node) {
                return null;
            }

            @Override
            public @Nullable Kernel lookUpFallback(Node node) {
                return null;
            }
        };
        Claims.claim(SimdProvider.NAME, graph, sink, () -> declines);
        return claimed;
    }

    @Test
    void placesInTensorsOfFloatsAreClaimed() {
        node("ArgMax", input("x", ElementType.FLOAT, 3, 4));
        assertThat(claimed()).containsExactly("ArgMax");
    }

    @Test
    void aProviderThatDeclinesClaimsOnlyWhatItCompiledBefore() {
        Value x = input("x", ElementType.FLOAT, 3, 4);
        node("ArgMax", x);
        context(x, SimdProvider.NAME);
        context(x, "other");
        assertThat(claimed(true)).containsExactly("EPContext");
        assertThat(claimed(false)).containsExactly("EPContext", "ArgMax");
    }

    private void context(Value input, String source) {
        var spec = NodeSpec.of(EpContext.OP, 1, input).with(Attributes.of(EpContext.SOURCE, Attribute.of(source)));
        editor.append(spec, List.of("context of " + source));
    }

    @Test
    void arithmeticOnTensorsOfIntsIsClaimed() {
        Value x = input("x", ElementType.BOOL, 3, 4);
        node("And", x, x);
        Value list = input("list", ElementType.INT32, 1000);
        node("BitwiseOr", list, list);
        assertThat(claimed()).containsExactlyInAnyOrder("And", "BitwiseOr");
    }

    @Test
    void arithmeticOnShapesIsLeftToOthers() {
        Value extents = input("extents", ElementType.INT32, 4);
        node("Add", extents, extents);
        assertThat(claimed()).isEmpty();
    }

    @Test
    void whoLooksForNoInfinityIsLeftToTheNextProvider() {
        Attributes none = Attributes.of("detect_positive", Attribute.of(0)).with("detect_negative", Attribute.of(0));
        node("IsInf", none, input("x", ElementType.FLOAT, 4));

        assertThat(claimed()).isEmpty();
    }
}
