package dev.millrace.graph.format;

import dev.millrace.graph.ir.DocString;
import dev.millrace.graph.ir.Remarks;
import dev.millrace.graph.proto.NodeProto;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A node as the file has it: names that are still to be resolved, attributes that are still to be read. */
final class NodeParts {
    final List<String> inputs = new ArrayList<>(4);
    final List<String> outputs = new ArrayList<>(1);
    final List<WireReader> attributes = new ArrayList<>(4);
    String name = "";
    String operator = "";
    String domain = "";
    String overload = "";
    private DocString documentation = DocString.NONE;
    private Map<String, String> metadata = Map.of();

    NodeParts(WireReader in) {
        while (in.next()) {
            switch (in.field()) {
                case NodeProto.INPUT_FIELD_NUMBER -> inputs.add(in.text());
                case NodeProto.OUTPUT_FIELD_NUMBER -> outputs.add(in.text());
                case NodeProto.ATTRIBUTE_FIELD_NUMBER -> attributes.add(in.message());
                case NodeProto.NAME_FIELD_NUMBER -> name = in.text();
                case NodeProto.OP_TYPE_FIELD_NUMBER -> operator = in.text();
                case NodeProto.DOMAIN_FIELD_NUMBER -> domain = in.text();
                case NodeProto.OVERLOAD_FIELD_NUMBER -> overload = in.text();
                case NodeProto.DOC_STRING_FIELD_NUMBER -> documentation = in.docString();
                case NodeProto.METADATA_PROPS_FIELD_NUMBER -> metadata = TensorReader.withEntry(metadata, in.message());
                default -> in.skip();
            }
        }
    }

    Remarks remarks() {
        return Remarks.of(documentation, metadata);
    }

    /** Operator and name as errors show them. */
    String describe() {
        String what = operator.isEmpty() ? "node" : operator;
        if (!name.isEmpty()) {
            return what + " '" + name + "'";
        }
        return outputs.isEmpty() ? what : what + " -> '" + outputs.getFirst() + "'";
    }
}
