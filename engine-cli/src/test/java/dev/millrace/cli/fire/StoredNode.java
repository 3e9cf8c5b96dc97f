package dev.millrace.cli.fire;

import dev.millrace.graph.format.Tensors;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.ValueInfoProto;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A backend test of one node and the tensors that it is given. */
record StoredNode(ModelProto model, Map<String, Tensor> inputs) {
    private static final String DATA = "test_data_set_0";

    /** Those there are, by their operators; where there are none, the test that asks is skipped. */
    static Map<String, List<StoredNode>> byOperator() throws IOException {
        var nodes = new TreeMap<String, List<StoredNode>>();
        for (StoredModel stored : StoredModel.all()) {
            StoredNode node = Files.isDirectory(stored.file().resolveSibling(DATA)) ? of(stored) : null;
            if (node != null) {
                var proto = node.model().getGraph().getNode(0);
                nodes.computeIfAbsent(proto.getDomain() + " " + proto.getOpType(), _ -> new ArrayList<>())
                        .add(node);
            }
        }
        return nodes;
    }

    /** The test, or null where it has more than one node, or is given what is no tensor. */
    private static @Nullable StoredNode of(StoredModel stored) throws IOException {
        ModelProto model = ModelProto.parseFrom(stored.bytes());
        if (model.getGraph().getNodeCount() != 1) {
            return null;
        }
        var inputs = new LinkedHashMap<String, Tensor>();
        for (int i = 0; i < model.getGraph().getInputCount(); i++) {
            ValueInfoProto input = model.getGraph().getInput(i);
            Path file = stored.file().resolveSibling(Path.of(DATA, "input_" + i + ".pb"));
            if (!input.getType().hasTensorType() || !Files.isRegularFile(file)) {
                return null;
            }
            inputs.put(input.getName(), Tensors.readTensor(MemorySegment.ofArray(Files.readAllBytes(file))));
        }
        return new StoredNode(model, inputs);
    }
}
