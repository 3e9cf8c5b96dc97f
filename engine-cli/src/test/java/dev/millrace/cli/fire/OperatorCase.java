package dev.millrace.cli.fire;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.millrace.graph.format.Tensors;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Parameter;
import dev.millrace.graph.op.TypeConstraint;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.tensor.Datum;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.session.Inputs;
import dev.millrace.session.ValueInfo;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A model of one node with types that its operator takes, and with unusual shapes, contents and attributes. */
final class OperatorCase {
    private static final int MOST_VARIADIC = 3;

    private final OperatorSchema schema;
    private final Random random;
    private final AttributeMutator attributes;
    private final Shape common;
    private final Map<String, ElementType> types = new HashMap<>();
    private final Map<String, Datum> operands = new LinkedHashMap<>();
    private final GraphProto.Builder graph = GraphProto.newBuilder().setName("case");

    OperatorCase(OperatorSchema schema, Random random) {
        this.schema = schema;
        this.random = random;
        this.attributes = new AttributeMutator(random, new TensorMutator(random));
        this.common = HostileTensor.shape(random);
    }

    /** Returns the model, or null if the operator takes a value that is no tensor, or a graph. */
    byte @Nullable [] model(int opset) {
        NodeProto.Builder node = graph.addNodeBuilder()
                .setOpType(schema.op().name())
                .setDomain(schema.op().domain());
        if (!inputs(node)) {
            return null;
        }
        for (int left = random.nextInt(4); left > 0; left--) {
            attributes.mutate(node);
        }
        required(node);
        int least = Math.max(1, OperatorSchema.least(schema.outputs()));
        int most = Math.min(least + 3, OperatorSchema.most(schema.outputs()));
        int outputs = least + (most > least ? random.nextInt(most - least + 1) : 0);
        for (int i = 0; i < outputs; i++) {
            node.addOutput("out" + i);
            graph.addOutputBuilder().setName("out" + i);
        }
        ModelProto.Builder model = ModelProto.newBuilder().setIrVersion(10).setGraph(graph);
        model.addOpsetImportBuilder().setDomain(schema.op().domain()).setVersion(opset);
        if (!schema.op().domain().isEmpty()) {
            model.addOpsetImportBuilder().setVersion(Net.OPSET);
        }
        return model.build().toByteArray();
    }

    Inputs inputs(List<ValueInfo> declared) {
        return Inputs.of(operands);
    }

    private boolean inputs(NodeProto.Builder node) {
        int number = 0;
        for (Parameter parameter : schema.inputs()) {
            int count = parameter.isVariadic() ? Math.max(parameter.least(), 1 + random.nextInt(MOST_VARIADIC)) : 1;
            for (int i = 0; i < count; i++) {
                if (parameter.isOptional() && random.nextBoolean()) {
                    node.addInput("");
                    continue;
                }
                ElementType type = type(parameter);
                if (type == null) {
                    return false;
                }
                String name = "in" + number++;
                node.addInput(name);
                input(name, type);
            }
        }
        return true;
    }

    private @Nullable ElementType type(Parameter parameter) {
        TypeConstraint constraint = schema.constraint(parameter.type());
        if (constraint == null) {
            for (ElementType type : ElementType.values()) {
                if (type.onnxName().equals(parameter.type())) {
                    return type;
                }
            }
            return null;
        }
        List<ElementType> allowed = List.copyOf(constraint.tensors());
        if (allowed.isEmpty()) {
            return null;
        }
        ElementType usual = allowed.contains(ElementType.FLOAT) ? ElementType.FLOAT : ElementType.INT64;
        return types.computeIfAbsent(
                parameter.type(),
                _ -> allowed.contains(usual) && random.nextInt(3) > 0
                        ? usual
                        : allowed.get(random.nextInt(allowed.size())));
    }

    private void input(String name, ElementType type) {
        Shape shape = random.nextInt(3) > 0 ? common : HostileTensor.shape(random);
        if (type == ElementType.INT64 && random.nextInt(3) > 0) {
            shape = random.nextBoolean() ? Shape.SCALAR : Shape.of(random.nextInt(4));
        }
        Tensor tensor = HostileTensor.of(type, shape, random);
        if (random.nextBoolean()) {
            initializer(name, tensor);
            return;
        }
        operands.put(name, tensor);
        var declared = graph.addInputBuilder().setName(name).getTypeBuilder().getTensorTypeBuilder();
        declared.setElemType(type.code());
        var dims = declared.getShapeBuilder();
        boolean free = random.nextBoolean();
        for (int i = 0; i < shape.rank(); i++) {
            if (free) {
                dims.addDimBuilder();
            } else {
                dims.addDimBuilder().setDimValue(shape.dim(i));
            }
        }
    }

    private void initializer(String name, Tensor tensor) {
        try {
            graph.addInitializerBuilder().mergeFrom(Tensors.toBytes(name, tensor));
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Adds the operator's required attributes that the random choice has left out. */
    private void required(NodeProto.Builder node) {
        schema.attributes().stream()
                .filter(spec -> spec.required()
                        && node.getAttributeList().stream()
                                .noneMatch(attribute -> attribute.getName().equals(spec.name())))
                .forEach(spec -> {
                    AttributeProto.Builder attribute =
                            node.addAttributeBuilder().setName(spec.name());
                    switch (spec.kind()) {
                        case INT ->
                            attribute.setType(AttributeProto.AttributeType.INT).setI(random.nextInt(4));
                        case INTS ->
                            attribute
                                    .setType(AttributeProto.AttributeType.INTS)
                                    .addInts(1 + random.nextInt(2))
                                    .addInts(1 + random.nextInt(2));
                        case FLOAT ->
                            attribute
                                    .setType(AttributeProto.AttributeType.FLOAT)
                                    .setF(0.5f);
                        default ->
                            attribute
                                    .setType(AttributeProto.AttributeType.STRING)
                                    .setS(ByteString.copyFromUtf8("linear"));
                    }
                });
    }
}
