package dev.millrace.cli.show;

import dev.millrace.epcontext.ContextInfo;
import dev.millrace.epcontext.SourcePlace;
import dev.millrace.session.ModelCompatibility;
import java.io.StringWriter;
import java.util.List;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/** What a compiled model holds, as JSON. */
public final class ContextJson {
    private final JsonGenerator json;

    private ContextJson(JsonGenerator json) {
        this.json = json;
    }

    public static String of(ContextInfo info, List<ModelCompatibility> verdicts) {
        var text = new StringWriter();
        try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), text)) {
            new ContextJson(json).write(info, verdicts);
        }
        return text.toString();
    }

    private void write(ContextInfo info, List<ModelCompatibility> verdicts) {
        json.writeStartObject();
        json.writeStringProperty("model", info.model().toString());
        json.writeStringProperty("sourceDigest", info.sourceDigest());
        json.writeStringProperty("weightless", info.weightless().name());
        json.writeArrayPropertyStart("compatibility");
        for (ModelCompatibility each : verdicts) {
            json.writeStartObject();
            json.writeStringProperty("provider", each.provider());
            json.writeStringProperty("verdict", each.verdict().name());
            json.writeStringProperty("compiledFor", each.compiledFor());
            json.writeStringProperty("reason", each.reason());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("nodes");
        for (ContextInfo.ContextNode node : info.nodes()) {
            json.writeStartObject();
            json.writeStringProperty("name", node.name());
            json.writeStringProperty("source", node.source());
            json.writeStringProperty("partition", node.partition());
            json.writeBooleanProperty("main", node.main());
            json.writeBooleanProperty("embeds", node.embeds());
            json.writeStringProperty("binary", node.binary());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("binaries");
        info.binaries().forEach(this::write);
        json.writeEndArray();
        json.writeEndObject();
    }

    private void write(ContextInfo.Binary binary) {
        json.writeStartObject();
        json.writeStringProperty("name", binary.name());
        json.writeNumberProperty("bytes", binary.bytes());
        json.writeStringProperty("trouble", binary.trouble());
        json.writeArrayPropertyStart("graphs");
        for (ContextInfo.CompiledPart graph : binary.graphs()) {
            json.writeStartObject();
            json.writeStringProperty("partition", graph.partition());
            json.writeStringProperty("source", graph.source());
            json.writeNumberProperty("planBytes", graph.planBytes());
            json.writeArrayPropertyStart("segments");
            graph.segments().forEach(json::writeNumber);
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("segments");
        for (ContextInfo.Segment segment : binary.segments()) {
            json.writeStartObject();
            json.writeNumberProperty("bytes", segment.bytes());
            json.writeStringProperty("digest", "sha256:" + segment.digest());
            SourcePlace named = segment.named();
            if (named != null) {
                json.writeObjectPropertyStart("named");
                json.writeStringProperty("initializer", named.initializer());
                json.writeStringProperty("file", named.file());
                json.writeNumberProperty("offset", named.offset());
                json.writeEndObject();
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }
}
