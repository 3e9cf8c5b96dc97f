package dev.millrace.example.webflux;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.spring.boot.ServedSession;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;

class EmbeddingServiceTest {
    private static final String WORDS = """
        {"version": "1.0", "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
         "model": {"type": "WordLevel", "unk_token": "?", "vocab": {"?": 0, "mill": 1, "race": 2}}}
        """;

    /** A word's vector is its row of a table. */
    private static byte[] model() {
        var editor = new GraphEditor(Graph.named("words"));
        Value ids = editor.addInput(
                "input_ids",
                ValueType.tensor(ElementType.INT64, SymbolicShape.of(Dim.symbol("texts"), Dim.symbol("words"))));
        Value table = editor.addConstant("table", Tensor.copyOf(new float[] {1, 0, 0, 4, 3, 0}, 3, 2));
        editor.addOutput(
                "hidden",
                editor.append(NodeSpec.of(OpId.onnx("Gather"), 21, table, ids), List.of("hidden"))
                        .requireOutput(0));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        return Models.toBytes(new Model(header, Map.of("", 21), Map.of(), Map.of(), editor.graph(), null));
    }

    @Test
    void everyLineIsAnsweredByAVector(@TempDir Path folder) throws Exception {
        Path model = Files.write(folder.resolve("model.onnx"), model());
        Path words = Files.writeString(folder.resolve("tokenizer.json"), WORDS);
        try (var service = SpringApplication.run(
                        EmbeddingService.class,
                        "--server.port=0",
                        "--millrace.sessions.words.model=" + model,
                        "--tokenizer=" + words,
                        "--management.endpoint.health.show-details=always");
                var client = HttpClient.newHttpClient()) {
            String place = "http://localhost:" + service.getEnvironment().getRequiredProperty("local.server.port");
            var request = HttpRequest.newBuilder(URI.create(place + "/embeddings"))
                    .header("Content-Type", "text/plain")
                    .POST(BodyPublishers.ofString("mill\nrace race\nmill race\n"))
                    .build();
            var response = client.send(request, BodyHandlers.ofString());
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            assertThat(response.headers().firstValue("Content-Type")).hasValue("application/x-ndjson");
            // the third is the mean of (0, 4) and (3, 0), brought to length one
            assertThat(response.body().lines()).containsExactly("[0.0,1.0]", "[1.0,0.0]", "[0.6,0.8]");
            var asked = HttpRequest.newBuilder(URI.create(place + "/actuator/health"))
                    .build();
            var well = client.send(asked, BodyHandlers.ofString());
            assertThat(well.statusCode()).isEqualTo(200);
            assertThat(well.body()).contains("\"sessions\":{\"words\":\"UP\"}");
            service.getBean(ServedSession.class).session().close();
            var closed = client.send(asked, BodyHandlers.ofString());
            assertThat(closed.statusCode()).isEqualTo(503);
            assertThat(closed.body()).contains("(CLOSED)");
        }
    }
}
