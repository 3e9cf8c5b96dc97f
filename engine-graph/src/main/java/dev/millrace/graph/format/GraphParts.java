package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Denotations;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Remarks;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.TensorAnnotation;
import dev.millrace.graph.proto.ValueInfoProto;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The fields of a graph, or of a function's body, in whatever order the file has them. */
final class GraphParts {
    String name = "";
    DocString documentation = DocString.NONE;
    final List<NodeParts> nodes = new ArrayList<>();
    final List<WireReader> initializers = new ArrayList<>();
    final List<WireReader> sparseInitializers = new ArrayList<>(0);
    final List<Declared> inputs = new ArrayList<>();
    final List<Declared> outputs = new ArrayList<>();
    final Map<String, ValueType> types = new HashMap<>();
    final Map<String, String> metadata = new LinkedHashMap<>();
    /** The remarks on inputs and inner values by name: texts and metadata beside their types. */
    final Map<String, Remarks> remarks = new HashMap<>();
    /** The denotations of the types of inputs and inner values, by name. */
    final Map<String, Denotations> denotations = new HashMap<>(0);
    /** The names of a value's quantisation parameters by their roles, by the name of the value. */
    final Map<String, Map<String, String>> annotations = new LinkedHashMap<>();

    /** A declared value: its name, its type, and the denotations and remarks that the file has for it. */
    record Declared(String name, @Nullable ValueType type, Denotations denotations, Remarks remarks) {
        static Declared untyped(String name) {
            return new Declared(name, null, Denotations.NONE, Remarks.NONE);
        }
    }

    static GraphParts ofGraph(WireReader in) {
        var parts = new GraphParts();
        while (in.next()) {
            switch (in.field()) {
                case GraphProto.NODE_FIELD_NUMBER -> parts.nodes.add(new NodeParts(in.message()));
                case GraphProto.NAME_FIELD_NUMBER -> parts.name = in.text();
                case GraphProto.INITIALIZER_FIELD_NUMBER -> parts.initializers.add(in.message());
                case GraphProto.SPARSE_INITIALIZER_FIELD_NUMBER -> parts.sparseInitializers.add(in.message());
                case GraphProto.DOC_STRING_FIELD_NUMBER -> parts.documentation = in.docString();
                case GraphProto.INPUT_FIELD_NUMBER -> parts.addInput(declared(in.message()));
                case GraphProto.OUTPUT_FIELD_NUMBER -> parts.outputs.add(declared(in.message()));
                case GraphProto.VALUE_INFO_FIELD_NUMBER -> parts.addInfo(declared(in.message()));
                case GraphProto.QUANTIZATION_ANNOTATION_FIELD_NUMBER -> parts.addAnnotation(in.message());
                case GraphProto.METADATA_PROPS_FIELD_NUMBER -> parts.addMetadata(in.message());
                default -> in.skip();
            }
        }
        return parts;
    }

    /** Reads the field of a function at which {@code in} stands if it belongs to the body; returns false otherwise. */
    boolean takeOfFunction(WireReader in) {
        switch (in.field()) {
            case FunctionProto.NAME_FIELD_NUMBER -> name = in.text();
            case FunctionProto.INPUT_FIELD_NUMBER -> inputs.add(Declared.untyped(in.text()));
            case FunctionProto.OUTPUT_FIELD_NUMBER -> outputs.add(Declared.untyped(in.text()));
            case FunctionProto.NODE_FIELD_NUMBER -> nodes.add(new NodeParts(in.message()));
            case FunctionProto.DOC_STRING_FIELD_NUMBER -> documentation = in.docString();
            case FunctionProto.VALUE_INFO_FIELD_NUMBER -> addInfo(declared(in.message()));
            case FunctionProto.METADATA_PROPS_FIELD_NUMBER -> addMetadata(in.message());
            default -> {
                return false;
            }
        }
        return true;
    }

    private void addInput(Declared input) {
        inputs.add(input);
        addRemarks(input);
    }

    private void addInfo(Declared declared) {
        if (declared.type != null) {
            types.put(declared.name, declared.type);
        }
        addRemarks(declared);
    }

    private void addRemarks(Declared declared) {
        if (!declared.remarks.isEmpty()) {
            remarks.merge(declared.name, declared.remarks, Remarks::and);
        }
        if (!declared.denotations.isEmpty()) {
            denotations.put(declared.name, declared.denotations);
        }
    }

    private void addAnnotation(WireReader in) {
        String tensor = "";
        Map<String, String> parameters = Map.of();
        while (in.next()) {
            switch (in.field()) {
                case TensorAnnotation.TENSOR_NAME_FIELD_NUMBER -> tensor = in.text();
                case TensorAnnotation.QUANT_PARAMETER_TENSOR_NAMES_FIELD_NUMBER ->
                    parameters = TensorReader.withEntry(parameters, in.message());
                default -> in.skip();
            }
        }
        annotations.computeIfAbsent(tensor, _ -> new LinkedHashMap<>()).putAll(parameters);
    }

    private void addMetadata(WireReader in) {
        Map.Entry<String, String> entry = TensorReader.readEntry(in);
        metadata.put(entry.getKey(), entry.getValue());
    }

    private static Declared declared(WireReader in) {
        String name = "";
        TypeReader.Denoted type = TypeReader.Denoted.NOTHING;
        DocString documentation = DocString.NONE;
        Map<String, String> metadata = Map.of();
        while (in.next()) {
            switch (in.field()) {
                case ValueInfoProto.NAME_FIELD_NUMBER -> name = in.text();
                case ValueInfoProto.TYPE_FIELD_NUMBER -> {
                    WireReader message = in.message();
                    type = readType(message, name);
                }
                case ValueInfoProto.DOC_STRING_FIELD_NUMBER -> documentation = in.docString();
                case ValueInfoProto.METADATA_PROPS_FIELD_NUMBER ->
                    metadata = TensorReader.withEntry(metadata, in.message());
                default -> in.skip();
            }
        }
        return new Declared(name, type.type(), type.denotations(), Remarks.of(documentation, metadata));
    }

    private static TypeReader.Denoted readType(WireReader in, String name) {
        try {
            return TypeReader.read(in);
        } catch (EngineException e) {
            throw e.at("type of value '" + name + "'");
        }
    }
}
