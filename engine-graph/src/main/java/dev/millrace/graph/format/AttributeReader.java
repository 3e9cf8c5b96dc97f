package dev.millrace.graph.format;

import static dev.millrace.graph.proto.AttributeProto.AttributeType.FLOATS_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.FLOAT_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.GRAPHS_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.GRAPH_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.INTS_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.INT_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.SPARSE_TENSOR_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.STRINGS_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.STRING_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.TENSORS_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.TENSOR_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.TYPE_PROTOS_VALUE;
import static dev.millrace.graph.proto.AttributeProto.AttributeType.TYPE_PROTO_VALUE;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.AttributeNotes;
import dev.millrace.graph.ir.Denotations;
import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.TensorNotes;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.tensor.Tensor;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Reads {@code AttributeProto}. */
final class AttributeReader {
    private static final int UNDEFINED = 0;
    private static final int MIXED = -1;

    private final TensorReader tensors;
    private final SparseReader sparse;

    AttributeReader(TensorReader tensors, SparseReader sparse) {
        this.tensors = tensors;
        this.sparse = sparse;
    }

    /** An attribute, its name, and its documentation and other notes from the file. */
    record Named(String name, Attribute attribute, AttributeNotes notes) {
        void noteIn(Map<String, AttributeNotes> all) {
            if (!notes.isEmpty()) {
                all.put(name, notes);
            }
        }
    }

    /** Reads one attribute; {@code graphs} reads the graphs in it. */
    Named read(WireReader in, boolean mayRefer, Function<WireReader, Graph> graphs) {
        var parts = new Parts();
        while (in.next()) {
            parts.take(in);
        }
        try {
            Attribute attribute = attribute(parts, mayRefer, graphs);
            return new Named(parts.name, attribute, parts.notes());
        } catch (EngineException e) {
            throw e.at("attribute '" + parts.name + "'");
        }
    }

    private Attribute attribute(Parts parts, boolean mayRefer, Function<WireReader, Graph> graphs) {
        if (!parts.reference.isEmpty()) {
            if (!mayRefer) {
                throw EngineException.invalidGraph("it refers to '" + parts.reference
                        + "' of a caller, but only the body of a function has a caller");
            }
            return new Attribute.Reference(parts.reference);
        }
        return switch ((int) parts.kind()) {
            case FLOAT_VALUE -> new Attribute.Float(parts.real);
            case INT_VALUE -> new Attribute.Int(parts.integer);
            case STRING_VALUE -> new Attribute.Bytes(parts.text);
            case FLOATS_VALUE -> new Attribute.Floats(parts.reals);
            case INTS_VALUE -> new Attribute.Ints(parts.integers);
            case STRINGS_VALUE -> new Attribute.Strings(parts.texts);
            case TENSOR_VALUE -> new Attribute.TensorValue(readTensor(parts.one(), parts.tensors));
            case TENSORS_VALUE -> new Attribute.Tensors(parts.each(in -> readTensor(in, parts.tensors)));
            case GRAPH_VALUE -> new Attribute.GraphValue(graphs.apply(parts.one()));
            case GRAPHS_VALUE -> new Attribute.Graphs(parts.each(graphs));
            case TYPE_PROTO_VALUE -> new Attribute.TypeValue(readType(parts.one(), parts.types));
            case TYPE_PROTOS_VALUE -> new Attribute.Types(parts.each(in -> readType(in, parts.types)));
            case SPARSE_TENSOR_VALUE -> {
                SparseReader.Named named = sparse.read(parts.one());
                parts.tensors.addAll(List.of(named.ofValues(), named.ofIndices()));
                yield named.sparse();
            }
            case UNDEFINED -> throw EngineException.invalidGraph("it has neither a type nor a value");
            default -> throw EngineException.notImplemented("attributes of type " + parts.type + " are not read");
        };
    }

    private Tensor readTensor(WireReader in, List<TensorNotes> notes) {
        TensorReader.Named named = tensors.read(in);
        notes.add(named.notes());
        return named.tensor();
    }

    private static ValueType readType(WireReader in, List<Denotations> denotations) {
        TypeReader.Denoted denoted = TypeReader.read(in);
        if (denoted.type() == null) {
            throw EngineException.notImplemented("a type that is opaque or incomplete is not read");
        }
        denotations.add(denoted.denotations());
        return denoted.type();
    }

    /** The fields of one message, in whatever order they came. */
    private static final class Parts {
        String name = "";
        String reference = "";
        long type;
        int found = UNDEFINED;
        int neutral = UNDEFINED;
        long integer;
        float real;
        byte[] text = {};
        final List<Long> integers = new ArrayList<>(0);
        final List<Float> reals = new ArrayList<>(0);
        final List<Attribute.Bytes> texts = new ArrayList<>(0);
        final List<WireReader> messages = new ArrayList<>(0);
        DocString documentation = DocString.NONE;
        /** The notes of the tensors, in the order in which they are read. */
        final List<TensorNotes> tensors = new ArrayList<>(0);
        /** The denotations of the types, in the order in which they are read. */
        final List<Denotations> types = new ArrayList<>(0);

        void take(WireReader in) {
            switch (in.field()) {
                case AttributeProto.NAME_FIELD_NUMBER -> name = in.text();
                case AttributeProto.TYPE_FIELD_NUMBER -> type = in.varint();
                case AttributeProto.REF_ATTR_NAME_FIELD_NUMBER -> reference = in.text();
                case AttributeProto.I_FIELD_NUMBER -> {
                    integer = in.varint();
                    find(INT_VALUE, integer != 0);
                }
                case AttributeProto.F_FIELD_NUMBER -> {
                    real = in.float32();
                    find(FLOAT_VALUE, real != 0);
                }
                case AttributeProto.S_FIELD_NUMBER -> {
                    text = in.byteArray();
                    find(STRING_VALUE, text.length > 0);
                }
                case AttributeProto.INTS_FIELD_NUMBER -> {
                    in.varints(integers::add);
                    find(INTS_VALUE, true);
                }
                case AttributeProto.FLOATS_FIELD_NUMBER -> {
                    for (WireReader run = in.run(); run.remaining() > 0; ) {
                        reals.add(run.rawFloat());
                    }
                    find(FLOATS_VALUE, true);
                }
                case AttributeProto.STRINGS_FIELD_NUMBER -> {
                    texts.add(new Attribute.Bytes(in.byteArray()));
                    find(STRINGS_VALUE, true);
                }
                case AttributeProto.T_FIELD_NUMBER -> keep(in, TENSOR_VALUE);
                case AttributeProto.TENSORS_FIELD_NUMBER -> keep(in, TENSORS_VALUE);
                case AttributeProto.G_FIELD_NUMBER -> keep(in, GRAPH_VALUE);
                case AttributeProto.GRAPHS_FIELD_NUMBER -> keep(in, GRAPHS_VALUE);
                case AttributeProto.TP_FIELD_NUMBER -> keep(in, TYPE_PROTO_VALUE);
                case AttributeProto.TYPE_PROTOS_FIELD_NUMBER -> keep(in, TYPE_PROTOS_VALUE);
                case AttributeProto.SPARSE_TENSOR_FIELD_NUMBER -> keep(in, SPARSE_TENSOR_VALUE);
                case AttributeProto.DOC_STRING_FIELD_NUMBER -> documentation = in.docString();
                default -> in.skip();
            }
        }

        AttributeNotes notes() {
            return documentation.isEmpty() && tensors.isEmpty() && types.isEmpty()
                    ? AttributeNotes.NONE
                    : new AttributeNotes(documentation, tensors, types);
        }

        private void keep(WireReader in, int kind) {
            messages.add(in.message());
            find(kind, true);
        }

        /** Records which kind of value is present. Some exporters write every scalar field, the unused ones as zero. */
        private void find(int kind, boolean tells) {
            if (!tells) {
                neutral = kind;
            } else {
                found = found == UNDEFINED || found == kind ? kind : MIXED;
            }
        }

        long kind() {
            boolean contradicts = type != UNDEFINED && found != UNDEFINED && type != found;
            if (found == MIXED || contradicts) {
                throw EngineException.invalidGraph("its value is not of its declared type " + type);
            }
            return type != UNDEFINED ? type : found != UNDEFINED ? found : neutral;
        }

        WireReader one() {
            if (messages.size() != 1) {
                throw EngineException.invalidGraph("it holds " + messages.size() + " values where one belongs");
            }
            return messages.getFirst();
        }

        <T> List<T> each(Function<WireReader, T> reader) {
            return messages.stream().map(reader).toList();
        }
    }
}
