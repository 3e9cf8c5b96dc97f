package dev.millrace.graph.format;

import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.FunctionProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.proto.NodeProto;
import dev.millrace.graph.proto.SparseTensorProto;
import dev.millrace.graph.proto.StringStringEntryProto;
import dev.millrace.graph.proto.TensorProto;
import dev.millrace.graph.proto.TrainingInfoProto;
import java.lang.foreign.MemorySegment;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Collects the locations of external data from the messages of a model. It opens no file. */
final class ExternalLocations {
    private static final int EXTERNAL = 1;

    private enum Kind {
        MODEL,
        GRAPH,
        FUNCTION,
        TRAINING,
        NODE,
        ATTRIBUTE,
        SPARSE,
        TENSOR
    }

    private record Message(Kind kind, WireReader in) {}

    private final Set<String> found = new LinkedHashSet<>();
    private final Deque<Message> left = new ArrayDeque<>();

    private ExternalLocations() {}

    static Set<String> of(MemorySegment model) {
        var locations = new ExternalLocations();
        locations.left.push(new Message(Kind.MODEL, WireReader.of(model)));
        while (!locations.left.isEmpty()) {
            Message message = locations.left.pop();
            if (message.kind == Kind.TENSOR) {
                locations.readTensor(message.in);
            } else {
                locations.readMessage(message);
            }
        }
        return locations.found;
    }

    private void readMessage(Message message) {
        WireReader in = message.in;
        while (in.next()) {
            Kind inner = switch (message.kind) {
                case MODEL -> inModel(in.field());
                case GRAPH -> inGraph(in.field());
                case FUNCTION -> inFunction(in.field());
                case TRAINING -> inTraining(in.field());
                case NODE -> in.field() == NodeProto.ATTRIBUTE_FIELD_NUMBER ? Kind.ATTRIBUTE : null;
                case ATTRIBUTE -> inAttribute(in.field());
                case SPARSE -> inSparse(in.field());
                case TENSOR -> null;
            };
            if (inner == null) {
                in.skip();
            } else {
                left.push(new Message(inner, in.message()));
            }
        }
    }

    private static @Nullable Kind inModel(int field) {
        return switch (field) {
            case ModelProto.GRAPH_FIELD_NUMBER -> Kind.GRAPH;
            case ModelProto.FUNCTIONS_FIELD_NUMBER -> Kind.FUNCTION;
            case ModelProto.TRAINING_INFO_FIELD_NUMBER -> Kind.TRAINING;
            default -> null;
        };
    }

    private static @Nullable Kind inGraph(int field) {
        return switch (field) {
            case GraphProto.NODE_FIELD_NUMBER -> Kind.NODE;
            case GraphProto.INITIALIZER_FIELD_NUMBER -> Kind.TENSOR;
            case GraphProto.SPARSE_INITIALIZER_FIELD_NUMBER -> Kind.SPARSE;
            default -> null;
        };
    }

    private static @Nullable Kind inFunction(int field) {
        return switch (field) {
            case FunctionProto.NODE_FIELD_NUMBER -> Kind.NODE;
            case FunctionProto.ATTRIBUTE_PROTO_FIELD_NUMBER -> Kind.ATTRIBUTE;
            default -> null;
        };
    }

    private static @Nullable Kind inTraining(int field) {
        return switch (field) {
            case TrainingInfoProto.INITIALIZATION_FIELD_NUMBER, TrainingInfoProto.ALGORITHM_FIELD_NUMBER -> Kind.GRAPH;
            default -> null;
        };
    }

    private static @Nullable Kind inAttribute(int field) {
        return switch (field) {
            case AttributeProto.T_FIELD_NUMBER, AttributeProto.TENSORS_FIELD_NUMBER -> Kind.TENSOR;
            case AttributeProto.G_FIELD_NUMBER, AttributeProto.GRAPHS_FIELD_NUMBER -> Kind.GRAPH;
            case AttributeProto.SPARSE_TENSOR_FIELD_NUMBER, AttributeProto.SPARSE_TENSORS_FIELD_NUMBER -> Kind.SPARSE;
            default -> null;
        };
    }

    private static @Nullable Kind inSparse(int field) {
        return switch (field) {
            case SparseTensorProto.VALUES_FIELD_NUMBER, SparseTensorProto.INDICES_FIELD_NUMBER -> Kind.TENSOR;
            default -> null;
        };
    }

    private void readTensor(WireReader in) {
        String location = "";
        long place = 0;
        while (in.next()) {
            switch (in.field()) {
                case TensorProto.DATA_LOCATION_FIELD_NUMBER -> place = in.varint();
                case TensorProto.EXTERNAL_DATA_FIELD_NUMBER -> {
                    String named = locationIn(in.message());
                    location = named.isEmpty() ? location : named;
                }
                default -> in.skip();
            }
        }
        if (place == EXTERNAL && !location.isEmpty()) {
            found.add(location);
        }
    }

    private static String locationIn(WireReader entry) {
        String key = "";
        String value = "";
        while (entry.next()) {
            switch (entry.field()) {
                case StringStringEntryProto.KEY_FIELD_NUMBER -> key = entry.text();
                case StringStringEntryProto.VALUE_FIELD_NUMBER -> value = entry.text();
                default -> entry.skip();
            }
        }
        return key.equals("location") ? value : "";
    }
}
