package dev.millrace.server;

import static dev.millrace.server.TestTraces.attribute;
import static dev.millrace.server.TestTraces.named;
import static org.assertj.core.api.Assertions.assertThat;

import io.opentelemetry.sdk.trace.data.SpanData;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests OpenTelemetry's names of generations. */
class GenerationTelemetryTest {
    private static final String CHAT =
            "{\"model\": \"mill\", \"max_tokens\": 4, \"messages\": [{\"role\": \"user\", \"content\": \"one\"}]}";

    @TempDir
    Path folder;

    private static SpanData chat(TestTraces traces, RestClient client) {
        assertThat(client.post("v1/chat/completions", CHAT).status()).isEqualTo(200);
        return named(traces.await(1), "POST /v1/chat/completions");
    }

    @Test
    void spansAndMetersHaveTheNamesWhereTheyAreWanted() {
        new TestRepository(folder).mill();
        try (var traces = new TestTraces();
                var server = ModelServer.start(TestServers.options(folder)
                        .observations(traces.registry())
                        .genAiTelemetry(true)
                        .build());
                var client = new RestClient(server)) {
            SpanData span = chat(traces, client);
            assertThat(attribute(span, "gen_ai.operation.name")).isEqualTo("chat");
            assertThat(attribute(span, "gen_ai.provider.name")).isEqualTo("millrace");
            assertThat(attribute(span, "gen_ai.request.model")).isEqualTo("mill");
            assertThat(attribute(span, "gen_ai.request.max_tokens")).isEqualTo("4");
            assertThat(attribute(span, "gen_ai.response.model")).isEqualTo("mill");
            assertThat(attribute(span, "gen_ai.usage.input_tokens")).isEqualTo("2");
            assertThat(attribute(span, "gen_ai.usage.output_tokens")).isEqualTo("4");
            assertThat(Double.parseDouble(attribute(span, "gen_ai.response.time_to_first_chunk")))
                    .isPositive();
            String model = "gen_ai_operation_name=\"chat\",gen_ai_provider_name=\"millrace\","
                    + "gen_ai_request_model=\"mill\",gen_ai_response_model=\"mill\"";
            assertThat(client.get("metrics").body())
                    .contains("gen_ai_server_request_duration_seconds_count{" + model + "} 1\n")
                    .contains("gen_ai_server_time_to_first_token_seconds_count{" + model + "} 1\n")
                    .contains("gen_ai_server_time_per_output_token_seconds_count{" + model + "} 1\n")
                    .contains("gen_ai_client_token_usage_token_sum{" + model + ",gen_ai_token_type=\"input\"} 2.0\n")
                    .contains("gen_ai_client_token_usage_token_sum{" + model + ",gen_ai_token_type=\"output\"} 4.0\n")
                    .contains("millrace_generation_tokens");
        }
    }

    @Test
    void eachKindOfRequestHasItsOperationAndItsTokens() throws IOException {
        new TestRepository(folder)
                .mill()
                .version("minilm", 1, TextServerTest.resource("/all-minilm-l6-v2.onnx"))
                .write("minilm/1/tokenizer.json", TextServerTest.resource("/all-minilm-l6-v2-tokenizer.json"));
        try (var traces = new TestTraces();
                var server = ModelServer.start(TestServers.options(folder)
                        .observations(traces.registry())
                        .genAiTelemetry(true)
                        .build());
                var client = new RestClient(server)) {
            SpanData stream = asked(
                    traces,
                    client,
                    "v1/completions",
                    "{\"model\": \"mill\", \"max_tokens\": 3, \"prompt\": [\"one\", \"one\"], \"n\": 2, \"stream\":"
                            + " true}");
            assertThat(attribute(stream, "gen_ai.operation.name")).isEqualTo("text_completion");
            assertThat(attribute(stream, "gen_ai.usage.input_tokens")).isEqualTo("2");
            assertThat(attribute(stream, "gen_ai.usage.output_tokens")).isEqualTo("12");
            SpanData generate =
                    asked(traces, client, "v2/models/mill/generate", "{\"text_input\": \"one\", \"max_tokens\": 2}");
            assertThat(attribute(generate, "gen_ai.operation.name")).isEqualTo("text_completion");
            assertThat(attribute(generate, "gen_ai.response.model")).isEqualTo("mill");
            assertThat(attribute(generate, "gen_ai.usage.output_tokens")).isEqualTo("2");
            SpanData vectors =
                    asked(traces, client, "v1/embeddings", "{\"model\": \"minilm\", \"input\": \"A mill.\"}");
            assertThat(attribute(vectors, "gen_ai.operation.name")).isEqualTo("embeddings");
            assertThat(attribute(vectors, "gen_ai.usage.input_tokens")).isEqualTo("5");
            assertThat(vectors.getAttributes().asMap().keySet())
                    .extracting(Object::toString)
                    .doesNotContain("gen_ai.usage.output_tokens", "gen_ai.response.time_to_first_chunk");
            SpanData refused = asked(traces, client, "v1/completions", "{\"model\": \"mill\"}");
            assertThat(refused.getAttributes().asMap().keySet())
                    .extracting(Object::toString)
                    .noneMatch(each -> each.startsWith("gen_ai.usage"));
            assertThat(client.get("metrics").body())
                    .contains("gen_ai_server_request_duration_seconds_count{gen_ai_operation_name=\"embeddings\"")
                    .contains("gen_ai_server_request_duration_seconds_count{gen_ai_operation_name=\"text_completion\","
                            + "gen_ai_provider_name=\"millrace\",gen_ai_request_model=\"mill\","
                            + "gen_ai_response_model=\"mill\"} 2\n");
        }
    }

    /** Returns the span of a request, whose meters are told before it ends. */
    private static SpanData asked(TestTraces traces, RestClient client, String path, String body) {
        traces.clear();
        client.post(path, body);
        return traces.await(1).getFirst();
    }

    @Test
    void otherwiseNothingHasTheNames() {
        new TestRepository(folder).mill();
        try (var traces = new TestTraces();
                var server = ModelServer.start(TestServers.options(folder)
                        .observations(traces.registry())
                        .build());
                var client = new RestClient(server)) {
            assertThat(chat(traces, client).getAttributes().asMap().keySet())
                    .extracting(Object::toString)
                    .noneMatch(each -> each.startsWith("gen_ai"));
            assertThat(client.get("metrics").body()).doesNotContain("gen_ai_");
        }
    }
}
