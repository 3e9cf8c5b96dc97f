package dev.millrace.graph.format;

import com.google.protobuf.ByteString;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.AttributeNotes;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Function;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.TensorNotes;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueNotes;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.OpName;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.AttributeProto.AttributeType;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.SparseTensorProto;
import dev.millrace.graph.proto.ValueInfoProto;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Writes graphs as {@code GraphProto} with all their parts, and functions as {@code FunctionProto}. */
final class GraphWriter {
    private static final int IDENTITY_TAKES_EVERYTHING = 16;

    private final OpsetImports imports;
    private final TensorWriter tensors;

    GraphWriter(OpsetImports imports, TensorWriter tensors) {
        this.imports = imports;
        this.tensors = tensors;
    }

    GraphProto write(Graph graph, @Nullable Names around) {
        var names = new Names(graph, around);
        var proto = GraphProto.newBuilder()
                .setName(graph.name())
                .setDocStringBytes(TensorWriter.bytes(graph.documentation()));
        graph.metadata().forEach((key, value) -> proto.addMetadataProps(TensorWriter.entry(key, value)));
        for (Value input : graph.inputs()) {
            proto.addInput(info(names.of(input), input.described(), input.notes()));
            Tensor otherwise = graph.defaultOf(input);
            if (otherwise != null) {
                addInitializer(proto, around, names.of(input), otherwise, input.notes());
            }
        }
        graph.constants().forEach(constant -> addConstant(proto, around, names, constant));
        proto.addAllQuantizationAnnotation(
                AnnotationWriter.of(graph, names, constant -> addConstant(proto, around, names, constant)));
        proto.addAllNode(nodes(graph, names));
        for (Names.Output output : names.outputs()) {
            proto.addOutput(info(output.name(), output.value().described(), output.notes()));
        }
        proto.addAllValueInfo(valueInfos(graph, names));
        return proto.build();
    }

    private void addConstant(GraphProto.Builder proto, @Nullable Names around, Names names, Value constant) {
        Tensor tensor = constant.constant();
        if (tensor != null) {
            addInitializer(proto, around, names.of(constant), tensor, constant.notes());
        }
    }

    private void addInitializer(
            GraphProto.Builder proto, @Nullable Names around, String name, Tensor tensor, ValueNotes notes) {
        tensors.addInitializer(proto, around == null, name, tensor, notes.tensor());
    }

    FunctionProto write(Function function) {
        Graph body = function.body();
        var names = new Names(body, null);
        var proto = FunctionProto.newBuilder()
                .setDomain(function.id().op().domain())
                .setName(function.id().op().name())
                .setOverload(function.id().overload())
                .setDocStringBytes(TensorWriter.bytes(body.documentation()))
                .addAllAttribute(function.attributeNames())
                .addAllAttributeProto(attributes(function.attributeDefaults(), names));
        body.metadata().forEach((key, value) -> proto.addMetadataProps(TensorWriter.entry(key, value)));
        for (Value input : body.inputs()) {
            proto.addInput(names.of(input));
            if (isWorthSaying(input.described(), input.notes())) {
                proto.addValueInfo(info(names.of(input), input.described(), input.notes()));
            }
        }
        for (Value constant : body.constants()) {
            Tensor tensor = constant.constant();
            if (tensor != null) {
                proto.addNode(NodeProto.newBuilder()
                        .setOpType(OpName.CONSTANT)
                        .addOutput(names.of(constant))
                        .addAttribute(attribute("value", Attribute.of(tensor), ofTensor(constant), names)));
            }
        }
        proto.addAllNode(nodes(body, names)).addAllValueInfo(valueInfos(body, names));
        for (Names.Output output : names.outputs()) {
            proto.addOutput(output.name());
            if (isNodeOutput(output) && isWorthSaying(output.value().described(), output.notes())) {
                proto.addValueInfo(info(output.name(), output.value().described(), output.notes()));
            }
        }
        return proto.addAllOpsetImport(imports.toProtos()).build();
    }

    private static boolean isNodeOutput(Names.Output output) {
        return !output.copied() && output.value().producer() != null;
    }

    private List<NodeProto> nodes(Graph graph, Names names) {
        var protos = new ArrayList<NodeProto>(graph.nodeCount());
        for (Node node : graph.nodes()) {
            protos.add(node(node, names));
        }
        for (Names.Output output : names.outputs()) {
            if (output.copied()) {
                imports.requireOnnx(IDENTITY_TAKES_EVERYTHING);
                protos.add(NodeProto.newBuilder()
                        .setOpType(OpName.IDENTITY)
                        .addInput(names.of(output.value()))
                        .addOutput(output.name())
                        .build());
            }
        }
        return protos;
    }

    private NodeProto node(Node node, Names names) {
        var proto = NodeProto.newBuilder().setOpType(node.op().name());
        setUnlessEmpty(node.name(), proto::setName);
        setUnlessEmpty(imports.domainOf(node), proto::setDomain);
        setUnlessEmpty(node.overload(), proto::setOverload);
        node.inputs().forEach(input -> proto.addInput(input == null ? "" : names.of(input)));
        node.outputs().forEach(output -> proto.addOutput(output == null ? "" : names.of(output)));
        TensorWriter.write(node.remarks(), proto::setDocStringBytes, proto::addMetadataProps);
        return proto.addAllAttribute(attributes(node.attributes(), names)).build();
    }

    private static void setUnlessEmpty(String text, Consumer<String> setter) {
        if (!text.isEmpty()) {
            setter.accept(text);
        }
    }

    /** Returns the types and notes of the values that are neither inputs nor outputs. */
    private static List<ValueInfoProto> valueInfos(Graph graph, Names names) {
        var infos = new ArrayList<ValueInfoProto>();
        var listed = new HashSet<String>();
        names.outputs().forEach(output -> listed.add(output.name()));
        for (Value constant : graph.constants()) {
            if (constant.notes().describesValue()) {
                infos.add(info(names.of(constant), constant.type(), constant.notes()));
            }
        }
        for (Node node : graph.nodes()) {
            for (Value output : node.outputs()) {
                if (output != null
                        && isWorthSaying(output.described(), output.notes())
                        && !listed.contains(names.of(output))) {
                    infos.add(info(names.of(output), output.described(), output.notes()));
                }
            }
        }
        return infos;
    }

    private static boolean isWorthSaying(@Nullable ValueType type, ValueNotes notes) {
        return isKnown(type) || notes.describesValue();
    }

    private static boolean isKnown(@Nullable ValueType type) {
        return type != null
                && !(type instanceof ValueType.TensorType(var element, var shape) && element == null && shape == null);
    }

    private static ValueInfoProto info(String name, @Nullable ValueType type, ValueNotes notes) {
        var proto = ValueInfoProto.newBuilder().setName(name);
        if (type != null || !notes.denotations().isEmpty()) {
            proto.setType(TypeWriter.toProto(type, notes.denotations()));
        }
        TensorWriter.write(notes.value(), proto::setDocStringBytes, proto::addMetadataProps);
        return proto.build();
    }

    private List<AttributeProto> attributes(Attributes attributes, Names names) {
        return attributes.asMap().entrySet().stream()
                .map(entry -> attribute(entry.getKey(), entry.getValue(), attributes.notes(entry.getKey()), names))
                .toList();
    }

    private AttributeProto attribute(String name, Attribute attribute, AttributeNotes notes, Names names) {
        var proto = AttributeProto.newBuilder().setName(name);
        if (!notes.documentation().isEmpty()) {
            proto.setDocStringBytes(TensorWriter.bytes(notes.documentation()));
        }
        switch (attribute) {
            case Attribute.Int a -> proto.setType(AttributeType.INT).setI(a.value());
            case Attribute.Float a -> proto.setType(AttributeType.FLOAT).setF(a.value());
            case Attribute.Bytes a -> proto.setType(AttributeType.STRING).setS(bytes(a));
            case Attribute.Ints a -> proto.setType(AttributeType.INTS).addAllInts(a.values());
            case Attribute.Floats a -> proto.setType(AttributeType.FLOATS).addAllFloats(a.values());
            case Attribute.Strings a ->
                proto.setType(AttributeType.STRINGS)
                        .addAllStrings(
                                a.values().stream().map(GraphWriter::bytes).toList());
            case Attribute.TensorValue a ->
                proto.setType(AttributeType.TENSOR).setT(tensors.inline(a.value(), notes.tensor(0)));
            case Attribute.Tensors a ->
                proto.setType(AttributeType.TENSORS)
                        .addAllTensors(IntStream.range(0, a.values().size())
                                .mapToObj(i -> tensors.inline(a.values().get(i), notes.tensor(i)))
                                .toList());
            case Attribute.GraphValue a -> proto.setType(AttributeType.GRAPH).setG(write(a.value(), names));
            case Attribute.Graphs a ->
                proto.setType(AttributeType.GRAPHS)
                        .addAllGraphs(a.values().stream()
                                .map(graph -> write(graph, names))
                                .toList());
            case Attribute.TypeValue a ->
                proto.setType(AttributeType.TYPE_PROTO).setTp(TypeWriter.toProto(a.value(), notes.type(0)));
            case Attribute.Types a ->
                proto.setType(AttributeType.TYPE_PROTOS)
                        .addAllTypeProtos(IntStream.range(0, a.values().size())
                                .mapToObj(i -> TypeWriter.toProto(a.values().get(i), notes.type(i)))
                                .toList());
            case Attribute.Sparse a ->
                proto.setType(AttributeType.SPARSE_TENSOR)
                        .setSparseTensor(SparseTensorProto.newBuilder()
                                .setValues(tensors.inline(a.values(), notes.tensor(0)))
                                .setIndices(tensors.inline(a.indices(), notes.tensor(1)))
                                .addAllDims(a.dims()));
            case Attribute.Reference a -> proto.setRefAttrName(a.callerAttribute());
        }
        return proto.build();
    }

    /** Returns the notes of an attribute that holds a constant: the remarks on the constant's tensor. */
    private static AttributeNotes ofTensor(Value constant) {
        return new AttributeNotes(
                DocString.NONE, List.of(new TensorNotes("", constant.notes().tensor())), List.of());
    }

    private static ByteString bytes(Attribute.Bytes text) {
        return ByteString.copyFrom(text.value());
    }
}
