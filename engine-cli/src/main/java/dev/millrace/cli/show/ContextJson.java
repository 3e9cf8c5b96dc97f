package dev.millrace.cli.show;

import dev.millrace.epcontext.ContextInfo;
import dev.millrace.epcontext.binary.SourcePlace;
import dev.millrace.inspect.JsonText;
import dev.millrace.session.ModelCompatibility;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;

/** Writes the description of a compiled model as JSON. */
public final class ContextJson {
    private final JsonGenerator json;

    private ContextJson(JsonGenerator json) {
        this.json = json;
    }

    /** @param madeFrom whether the model was made from the source in question; null without one */
    public static String of(ContextInfo info, List<ModelCompatibility> verdicts, @Nullable Boolean madeFrom) {
        return JsonText.object(json -> {
            new ContextJson(json).write(info, verdicts);
            if (madeFrom != null) {
                json.writeBooleanProperty("madeFromSource", madeFrom);
            }
        });
    }

    private void write(ContextInfo info, List<ModelCompatibility> verdicts) {
        json.writeStringProperty("model", info.model().toString());
        json.writeStringProperty("sourceDigest", info.sourceDigest());
        json.writeStringProperty("weightless", info.weightless().name());
        JsonText.objects(json, "compatibility", verdicts, each -> {
            json.writeStringProperty("provider", each.provider());
            json.writeStringProperty("verdict", each.verdict().name());
            json.writeStringProperty("compiledFor", each.compiledFor());
            json.writeStringProperty("reason", each.reason());
        });
        JsonText.objects(json, "nodes", info.nodes(), node -> {
            json.writeStringProperty("name", node.name());
            json.writeStringProperty("source", node.source());
            json.writeStringProperty("partition", node.partition());
            json.writeBooleanProperty("main", node.main());
            json.writeBooleanProperty("embeds", node.embeds());
            json.writeStringProperty("binary", node.binary());
        });
        JsonText.objects(json, "binaries", info.binaries(), this::write);
    }

    private void write(ContextInfo.Binary binary) {
        json.writeStringProperty("name", binary.name());
        json.writeNumberProperty("bytes", binary.bytes());
        json.writeStringProperty("trouble", binary.trouble());
        JsonText.objects(json, "graphs", binary.graphs(), graph -> {
            json.writeStringProperty("partition", graph.partition());
            json.writeStringProperty("source", graph.source());
            json.writeNumberProperty("planBytes", graph.planBytes());
            JsonText.array(json, "segments", graph.segments(), json::writeNumber);
        });
        JsonText.objects(json, "segments", binary.segments(), segment -> {
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
        });
    }
}
