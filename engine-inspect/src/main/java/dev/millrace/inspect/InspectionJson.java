package dev.millrace.inspect;

import dev.millrace.graph.infer.TypeInference;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.Model;
import dev.millrace.scheduler.run.StretchSummary;
import dev.millrace.session.SessionReport;
import dev.millrace.session.ValueInfo;
import java.util.List;
import java.util.Map;
import tools.jackson.core.JsonGenerator;

/** An inspection as one JSON object. */
public final class InspectionJson {
    private final JsonGenerator json;

    private InspectionJson(JsonGenerator json) {
        this.json = json;
    }

    /** @param mostNodes how many nodes of the graph are in it at most; 0 for no graph */
    public static String of(Inspection inspection, int mostNodes) {
        return JsonText.object(json -> {
            var writer = new InspectionJson(json);
            writer.model(inspection);
            writer.session(inspection.session().report());
            writer.memory(inspection.session().stretches());
            Profile profile = inspection.profile();
            if (profile != null) {
                writer.times(profile);
            }
            RunTimeline timeline = inspection.timeline();
            if (timeline != null) {
                timeline.write(json);
            }
            if (mostNodes > 0) {
                writer.graph(inspection.facts(), mostNodes);
            }
        });
    }

    private void model(Inspection inspection) {
        ModelFacts facts = inspection.facts();
        Model.Header header = facts.model().header();
        json.writeStringProperty("title", inspection.title());
        json.writeStringProperty("file", facts.file().toString());
        json.writeNumberProperty("bytes", facts.bytes());
        json.writeNumberProperty("irVersion", header.irVersion());
        json.writeStringProperty("producer", (header.producerName() + " " + header.producerVersion()).strip());
        json.writeStringProperty("domain", header.domain());
        json.writeNumberProperty("modelVersion", header.modelVersion());
        json.writeStringProperty("documentation", header.documentation().text());
        json.writeObjectPropertyStart("opsets");
        facts.model().opsets().forEach((domain, opset) -> json.writeNumberProperty(ModelFacts.domain(domain), opset));
        json.writeEndObject();
        json.writeObjectPropertyStart("metadata");
        facts.model().metadata().forEach(json::writeStringProperty);
        json.writeEndObject();
        values("inputs", inspection.session().inputs());
        values("outputs", inspection.session().outputs());
        json.writeNumberProperty("nodes", facts.nodes());
        counts(facts.operators());
        json.writeNumberProperty("initializers", facts.initializers());
        json.writeNumberProperty("parameters", facts.parameters());
        json.writeNumberProperty("parameterBytes", facts.parameterBytes());
    }

    private void values(String property, List<ValueInfo> values) {
        JsonText.objects(json, property, values, value -> {
            json.writeStringProperty("name", value.name());
            json.writeStringProperty("type", String.valueOf(value.type()));
            json.writeBooleanProperty("optional", value.optional());
        });
    }

    private void counts(Map<String, Integer> operators) {
        json.writeObjectPropertyStart("operators");
        operators.forEach(json::writeNumberProperty);
        json.writeEndObject();
    }

    private void session(SessionReport report) {
        JsonText.array(json, "notes", report.notes(), json::writeString);
        json.writeStringProperty("optimisation", report.optimisation().toString());
        JsonText.objects(json, "partitions", report.partitions(), part -> {
            json.writeStringProperty("name", part.name());
            json.writeStringProperty("provider", part.provider());
            json.writeBooleanProperty("compiled", part.compiled());
            json.writeNumberProperty("nodes", part.nodes());
            counts(part.operators());
        });
        json.writeObjectPropertyStart("creationMillis");
        report.phases().forEach((phase, time) -> json.writeNumberProperty(phase, time.toNanos() / 1e6));
        json.writeEndObject();
    }

    /** Writes the blocks of devices and the programs of streams, where there are any. */
    private void devices(StretchSummary stretch) {
        if (stretch.streams().isEmpty()) {
            return;
        }
        json.writeArrayPropertyStart("onDevices");
        for (StretchSummary.DeviceBlock block : stretch.onDevices()) {
            json.writeStartObject();
            json.writeStringProperty("place", block.place());
            json.writeNumberProperty("bytes", block.bytes());
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeArrayPropertyStart("streams");
        for (StretchSummary.Stream stream : stretch.streams()) {
            json.writeStartObject();
            json.writeStringProperty("device", stream.device());
            json.writeArrayPropertyStart("instructions");
            stream.instructions().forEach(json::writeString);
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void memory(List<StretchSummary> stretches) {
        JsonText.objects(json, "memory", stretches, stretch -> {
            json.writeNumberProperty("firstStep", stretch.firstStep());
            json.writeNumberProperty("endStep", stretch.endStep());
            json.writeNumberProperty("launches", stretch.launches());
            json.writeNumberProperty("values", stretch.places().size());
            json.writeNumberProperty("blockBytes", stretch.blockBytes());
            json.writeNumberProperty("unsharedBytes", stretch.unsharedBytes());
            devices(stretch);
        });
    }

    private void times(Profile profile) {
        json.writeNumberProperty("runMicros", profile.runMicros());
        JsonText.objects(json, "kernels", profile.times(), time -> {
            json.writeStringProperty("kernel", time.kernel());
            json.writeStringProperty("node", time.node());
            json.writeNumberProperty("micros", time.micros());
            json.writeNumberProperty("calls", time.calls());
            json.writeNumberProperty("gigaflops", time.gigaflops());
            json.writeNumberProperty("gigabytesPerSecond", time.gigabytesPerSecond());
        });
    }

    /** The graph with all types that can be told before shapes are known. */
    private void graph(ModelFacts facts, int mostNodes) {
        Graph graph = facts.model().graph();
        TypeInference.infer(graph);
        new GraphJson(json, mostNodes).write("graph", graph);
        if (facts.nodes() > mostNodes) {
            json.writeStringProperty(
                    "cut",
                    "The model has %d nodes; the first %d are drawn. `millrace inspect --html` draws all."
                            .formatted(facts.nodes(), mostNodes));
        }
    }
}
