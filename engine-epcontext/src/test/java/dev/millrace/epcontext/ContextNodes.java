package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.bytes;
import static dev.millrace.epcontext.Fixtures.floats;
import static dev.millrace.epcontext.Fixtures.model;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.FileUse;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.providers.spi.CompiledGraph;
import dev.millrace.providers.spi.EpContext;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.io.TempDir;

/** A graph of context nodes, and what is found for them. */
abstract class ContextNodes {
    @TempDir
    Path folder;

    final Workspaces workspaces = new Workspaces();
    final GraphEditor editor = new GraphEditor(Graph.named("g"));
    Value last = editor.addInput("x", floats(2));

    static Map<String, Attribute> attributes(String partition) {
        var attributes = new LinkedHashMap<String, Attribute>();
        attributes.put(EpContext.SOURCE, Attribute.of("fast"));
        attributes.put(EpContext.PARTITION, Attribute.of(partition));
        return attributes;
    }

    static Map<String, Attribute> file(String partition, String name) {
        Map<String, Attribute> attributes = attributes(partition);
        attributes.put(EpContext.EMBED_MODE, Attribute.of(0));
        attributes.put(EpContext.CACHE_CONTEXT, Attribute.of(name));
        return attributes;
    }

    static Map<String, Attribute> embedded(String partition, byte[] payload) {
        Map<String, Attribute> attributes = attributes(partition);
        attributes.put(EpContext.CACHE_CONTEXT, new Attribute.Bytes(payload));
        return attributes;
    }

    static Map<String, Attribute> dependent(String partition) {
        Map<String, Attribute> attributes = attributes(partition);
        attributes.put(EpContext.MAIN_CONTEXT, Attribute.of(0));
        return attributes;
    }

    Node add(Map<String, Attribute> attributes) {
        var spec = new NodeSpec(
                EpContext.OP, 1, "node" + editor.graph().nodeCount(), "", List.of(last), Attributes.of(attributes));
        Node node = editor.append(spec, List.of("v" + editor.graph().nodeCount()));
        last = node.requireOutput(0);
        return node;
    }

    ContextResolver resolver() {
        return resolver(model(editor.graph(), folder.resolve("m.onnx")), EpContextOptions.defaults());
    }

    ContextResolver resolver(Model model, EpContextOptions options) {
        return new ContextResolver(workspaces, options, null, FileUse.READ, model);
    }

    static String plan(CompiledGraph graph) {
        return new String(bytes(graph.plan()), StandardCharsets.UTF_8);
    }

    static void assertInvalid(ThrowingCallable call, String... parts) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_GRAPH))
                .hasMessageContainingAll(parts);
    }
}
