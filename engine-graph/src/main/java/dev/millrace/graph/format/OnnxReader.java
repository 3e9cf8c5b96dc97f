package dev.millrace.graph.format;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.MappedFile;
import dev.millrace.graph.Status;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.AttributeNotes;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Function;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.OperatorSetIdProto;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads {@code ModelProto} from its bytes, which the tensors of the model go on referring to. */
final class OnnxReader {
    private final GraphReader graphs;
    private final Map<String, Integer> assumed = new LinkedHashMap<>();
    private final List<String> notes = new ArrayList<>();
    private final ExternalData external;
    private final @Nullable Path source;

    OnnxReader(ExternalData external, @Nullable Path source) {
        this.external = external;
        this.graphs = new GraphReader(external);
        this.source = source;
    }

    Model read(FileMapping.Content content) {
        try {
            Model model = read(content.bytes());
            var mapped = new ArrayList<>(content.watched());
            mapped.addAll(external.mapped());
            return model.withMapped(mapped);
        } catch (RuntimeException e) {
            content.check();
            MappedFile.check(external.mapped());
            throw e;
        }
    }

    private Model read(MemorySegment bytes) {
        try {
            return readModel(bytes);
        } catch (EngineException e) {
            String other = e.status() == Status.INVALID_PROTOBUF ? OtherKind.of(bytes) : null;
            throw other == null ? e : new EngineException(Status.INVALID_PROTOBUF, other, e);
        }
    }

    private Model readModel(MemorySegment bytes) {
        var parts = new Parts();
        WireReader in = WireReader.of(bytes);
        while (in.next()) {
            parts.take(in);
        }
        if (parts.graph == null) {
            throw new EngineException(Status.INVALID_PROTOBUF, "it holds no graph; is it an ONNX model?");
        }
        Map<String, Integer> opsets = readOpsets(parts.opsets);
        List<FunctionParts> functions =
                parts.functions.stream().map(FunctionParts::new).toList();
        var domains = new HashSet<String>();
        functions.forEach(function -> domains.add(function.op().domain()));
        var read = new LinkedHashMap<Function.Id, Function>();
        for (FunctionParts function : functions) {
            Function made = readFunction(function, parts.irVersion, opsets, domains);
            if (read.put(made.id(), made) != null) {
                throw EngineException.invalidGraph("function " + made.id().op() + " stands twice in the model");
            }
        }
        Graph graph = graphs.read(parts.graph, new Dialect(parts.irVersion, opsets, domains, assumed, notes, false));
        assumed.forEach((domain, opset) -> {
            opsets.putIfAbsent(domain, opset);
            notes.add("the model imports no opset of domain '" + domain + "'; opset " + opset + " is assumed");
        });
        return new Model(parts.header(), opsets, parts.metadata, read, graph, source, notes, List.of(), parts.training);
    }

    private Function readFunction(
            FunctionParts parts, long irVersion, Map<String, Integer> modelOpsets, Set<String> functionDomains) {
        var opsets = new LinkedHashMap<>(modelOpsets);
        opsets.putAll(readOpsets(parts.opsets));
        try {
            var defaults = new LinkedHashMap<String, Attribute>();
            var attributeNotes = new HashMap<String, AttributeNotes>();
            for (WireReader message : parts.defaults) {
                AttributeReader.Named named = graphs.readDefault(message);
                defaults.put(named.name(), named.attribute());
                named.noteIn(attributeNotes);
            }
            Graph body = graphs.read(parts.body, new Dialect(irVersion, opsets, functionDomains, assumed, notes, true));
            var id = new Function.Id(parts.op(), parts.overload);
            return new Function(id, parts.attributes, Attributes.of(defaults, attributeNotes), opsets, body);
        } catch (EngineException e) {
            throw e.at("function " + parts.op());
        }
    }

    private static Map<String, Integer> readOpsets(List<WireReader> messages) {
        var opsets = new LinkedHashMap<String, Integer>();
        for (WireReader in : messages) {
            String domain = "";
            long version = 0;
            while (in.next()) {
                switch (in.field()) {
                    case OperatorSetIdProto.DOMAIN_FIELD_NUMBER -> domain = in.text();
                    case OperatorSetIdProto.VERSION_FIELD_NUMBER -> version = in.varint();
                    default -> in.skip();
                }
            }
            if (version < 0 || version > Integer.MAX_VALUE) {
                throw EngineException.invalidGraph("opset " + version + " of domain '" + domain + "' is no version");
            }
            if (OpsetAlias.opsetOf(domain) == 0) {
                opsets.put(new OpId(domain, "").domain(), (int) version);
            }
        }
        return opsets;
    }

    private static final class Parts {
        long irVersion;
        String producerName = "";
        String producerVersion = "";
        String domain = "";
        long modelVersion;
        DocString documentation = DocString.NONE;

        @Nullable
        WireReader graph;

        final List<WireReader> opsets = new ArrayList<>();
        final Map<String, String> metadata = new LinkedHashMap<>();
        final List<WireReader> functions = new ArrayList<>(0);
        final List<MemorySegment> training = new ArrayList<>(0);

        void take(WireReader in) {
            switch (in.field()) {
                case ModelProto.IR_VERSION_FIELD_NUMBER -> irVersion = in.varint();
                case ModelProto.PRODUCER_NAME_FIELD_NUMBER -> producerName = in.text();
                case ModelProto.PRODUCER_VERSION_FIELD_NUMBER -> producerVersion = in.text();
                case ModelProto.DOMAIN_FIELD_NUMBER -> domain = in.text();
                case ModelProto.MODEL_VERSION_FIELD_NUMBER -> modelVersion = in.varint();
                case ModelProto.DOC_STRING_FIELD_NUMBER -> documentation = in.docString();
                case ModelProto.GRAPH_FIELD_NUMBER -> {
                    if (graph != null) {
                        throw new EngineException(Status.INVALID_PROTOBUF, "it holds two graphs where one belongs");
                    }
                    graph = in.message();
                }
                case ModelProto.OPSET_IMPORT_FIELD_NUMBER -> opsets.add(in.message());
                case ModelProto.METADATA_PROPS_FIELD_NUMBER -> {
                    Map.Entry<String, String> entry = TensorReader.readEntry(in.message());
                    metadata.put(entry.getKey(), entry.getValue());
                }
                case ModelProto.TRAINING_INFO_FIELD_NUMBER -> training.add(in.bytes());
                case ModelProto.FUNCTIONS_FIELD_NUMBER -> functions.add(in.message());
                default -> in.skip();
            }
        }

        Model.Header header() {
            return new Model.Header(irVersion, producerName, producerVersion, domain, modelVersion, documentation);
        }
    }

    private static final class FunctionParts {
        final GraphParts body = new GraphParts();
        String domain = "";
        String overload = "";
        final List<String> attributes = new ArrayList<>();
        final List<WireReader> defaults = new ArrayList<>();
        final List<WireReader> opsets = new ArrayList<>();

        FunctionParts(WireReader in) {
            while (in.next()) {
                switch (in.field()) {
                    case FunctionProto.DOMAIN_FIELD_NUMBER -> domain = in.text();
                    case FunctionProto.OVERLOAD_FIELD_NUMBER -> overload = in.text();
                    case FunctionProto.ATTRIBUTE_FIELD_NUMBER -> attributes.add(in.text());
                    case FunctionProto.ATTRIBUTE_PROTO_FIELD_NUMBER -> defaults.add(in.message());
                    case FunctionProto.OPSET_IMPORT_FIELD_NUMBER -> opsets.add(in.message());
                    default -> {
                        if (!body.takeOfFunction(in)) {
                            in.skip();
                        }
                    }
                }
            }
        }

        OpId op() {
            return new OpId(domain, body.name);
        }
    }
}
