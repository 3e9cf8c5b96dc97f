package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.proto.OperatorSetIdProto;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The opsets that a model or function imports when it is written: its own, and what its nodes need besides. */
final class OpsetImports {
    private final Map<String, Integer> opsets;

    OpsetImports(Map<String, Integer> opsets) {
        this.opsets = new LinkedHashMap<>(opsets);
    }

    /** The domain under which a node is written. */
    String domainOf(Node node) {
        String domain = node.op().domain();
        int imported = opsets.computeIfAbsent(domain, _ -> node.opset());
        if (imported == node.opset()) {
            return domain;
        }
        if (!domain.equals(OpId.ONNX)) {
            throw EngineException.invalidGraph(node.describe() + " is written in opset " + node.opset() + " of domain '"
                    + domain + "', but the model imports opset " + imported
                    + "; only ONNX's own domain can stand in a file in several opsets");
        }
        String alias = OpsetAlias.domainOf(node.opset());
        opsets.put(alias, node.opset());
        return alias;
    }

    /** Sees to it that ONNX's own operators can be written without an alias. */
    void requireOnnx(int otherwise) {
        opsets.putIfAbsent(OpId.ONNX, otherwise);
    }

    List<OperatorSetIdProto> toProtos() {
        return opsets.entrySet().stream()
                .map(entry -> OperatorSetIdProto.newBuilder()
                        .setDomain(entry.getKey())
                        .setVersion(entry.getValue())
                        .build())
                .toList();
    }
}
