package dev.millrace.cli.fire;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.ValueInfoProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** Mutates the meaning of a model that stays well-formed: its nodes, their connections, its types and its data. */
final class ModelMutator {
    private static final List<String> OPERATORS = Schemas.all().stream()
            .map(OperatorSchema::op)
            .filter(op -> op.domain().isEmpty())
            .map(op -> op.name())
            .distinct()
            .toList();

    private final Random random;
    private final AttributeMutator attributes;
    private final TensorMutator tensors;

    private ModelMutator(Random random) {
        this.random = random;
        this.tensors = new TensorMutator(random);
        this.attributes = new AttributeMutator(random, tensors);
    }

    /** Returns a copy of the model with one to three mutations; bytes that are no model are returned as they are. */
    static byte[] mutate(byte[] model, Random random) {
        ModelProto.Builder builder;
        try {
            builder = ModelProto.parseFrom(model).toBuilder();
        } catch (InvalidProtocolBufferException e) {
            return model;
        }
        var mutator = new ModelMutator(random);
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            if (random.nextInt(30) == 0 && builder.getOpsetImportCount() > 0) {
                builder.getOpsetImportBuilder(0).setVersion(random.nextInt(27));
            } else {
                mutator.mutate(builder.getGraphBuilder());
            }
        }
        return builder.buildPartial().toByteArray();
    }

    private void mutate(GraphProto.Builder graph) {
        AttributeProto.Builder nested = random.nextInt(2) == 0 ? nested(graph) : null;
        if (nested != null) {
            mutate(nested.getGBuilder());
            return;
        }
        int kind = random.nextInt(20);
        if (kind < 13 && graph.getNodeCount() > 0) {
            mutateNode(graph, random.nextInt(graph.getNodeCount()));
        } else if (kind < 16 && graph.getInitializerCount() > 0) {
            mutateInitializer(graph, random.nextInt(graph.getInitializerCount()));
        } else {
            mutateSignature(graph);
        }
    }

    /** Returns some attribute that is a graph, or null if there is none. */
    private AttributeProto.@Nullable Builder nested(GraphProto.Builder graph) {
        var found = new ArrayList<AttributeProto.Builder>();
        for (NodeProto.Builder node : graph.getNodeBuilderList()) {
            node.getAttributeBuilderList().stream()
                    .filter(AttributeProto.Builder::hasG)
                    .forEach(found::add);
        }
        return found.isEmpty() ? null : found.get(random.nextInt(found.size()));
    }

    private void mutateNode(GraphProto.Builder graph, int at) {
        NodeProto.Builder node = graph.getNodeBuilder(at);
        int other = random.nextInt(graph.getNodeCount());
        switch (random.nextInt(14)) {
            case 0, 1, 2, 3 -> attributes.mutate(node);
            case 4 -> node.setOpType(OPERATORS.get(random.nextInt(OPERATORS.size())));
            case 5 -> node.setOpType(graph.getNode(other).getOpType());
            case 6 -> graph.removeNode(at);
            case 7 -> graph.addNode(other, node.build());
            case 8 -> {
                NodeProto moved = node.build();
                graph.removeNode(at).addNode(Math.min(other, graph.getNodeCount()), moved);
            }
            case 9 -> mutateOutputs(node, graph);
            default -> mutateInputs(node, graph);
        }
    }

    private void mutateInputs(NodeProto.Builder node, GraphProto.Builder graph) {
        int count = node.getInputCount();
        if (count == 0 || random.nextInt(8) == 0) {
            node.addInput(name(graph));
            return;
        }
        int at = random.nextInt(count);
        int other = random.nextInt(count);
        switch (random.nextInt(5)) {
            case 0, 1 -> node.setInput(at, name(graph));
            case 2 -> {
                String first = node.getInput(at);
                node.setInput(at, node.getInput(other)).setInput(other, first);
            }
            case 3 -> {
                var kept = new ArrayList<>(node.getInputList());
                kept.remove(at);
                node.clearInput().addAllInput(kept);
            }
            default -> node.setInput(at, "");
        }
    }

    private void mutateOutputs(NodeProto.Builder node, GraphProto.Builder graph) {
        if (node.getOutputCount() == 0 || random.nextInt(4) == 0) {
            node.addOutput(random.nextBoolean() ? "fresh" : name(graph));
        } else {
            node.setOutput(random.nextInt(node.getOutputCount()), random.nextBoolean() ? "" : name(graph));
        }
    }

    /** Returns a name of a value in this graph, and at times an unknown one. */
    private String name(GraphProto.Builder graph) {
        var names = new ArrayList<String>();
        graph.getInputList().forEach(input -> names.add(input.getName()));
        graph.getInitializerList().forEach(tensor -> names.add(tensor.getName()));
        graph.getNodeList().forEach(node -> names.addAll(node.getOutputList()));
        names.add("nothing");
        return names.get(random.nextInt(names.size()));
    }

    private void mutateInitializer(GraphProto.Builder graph, int at) {
        TensorProto.Builder tensor = graph.getInitializerBuilder(at);
        switch (random.nextInt(10)) {
            case 0 -> graph.removeInitializer(at);
            case 1 -> tensor.setName(name(graph));
            case 2 -> graph.addInput(ValueInfoProto.newBuilder().setName(tensor.getName()));
            default -> tensors.mutate(tensor);
        }
    }

    private void mutateSignature(GraphProto.Builder graph) {
        switch (random.nextInt(8)) {
            case 0, 1 -> {
                if (graph.getInputCount() > 0) {
                    tensors.mutate(graph.getInputBuilder(random.nextInt(graph.getInputCount())));
                }
            }
            case 2 -> {
                if (graph.getOutputCount() > 0) {
                    tensors.mutate(graph.getOutputBuilder(random.nextInt(graph.getOutputCount())));
                }
            }
            case 3 -> graph.addOutput(ValueInfoProto.newBuilder().setName(name(graph)));
            case 4 -> {
                if (graph.getInputCount() > 1) {
                    graph.removeInput(random.nextInt(graph.getInputCount()));
                }
            }
            case 5 -> {
                if (graph.getOutputCount() > 1) {
                    graph.removeOutput(random.nextInt(graph.getOutputCount()));
                }
            }
            default -> graph.addValueInfo(stale(graph));
        }
    }

    /** Returns a random declaration of an inner value, such as a stale one that an exporter has left. */
    private ValueInfoProto stale(GraphProto.Builder graph) {
        ValueInfoProto.Builder said = ValueInfoProto.newBuilder().setName(name(graph));
        var tensor = said.getTypeBuilder().getTensorTypeBuilder();
        tensor.setElemType(random.nextInt(4) == 0 ? random.nextInt(27) : 1);
        for (int left = random.nextInt(5); left > 0; left--) {
            tensor.getShapeBuilder().addDimBuilder().setDimValue(1 + random.nextInt(16));
        }
        return said.build();
    }
}
