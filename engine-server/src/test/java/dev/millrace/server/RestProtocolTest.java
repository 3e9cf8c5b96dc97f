package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests what the server says by REST of itself and its models. */
class RestProtocolTest {
    @TempDir
    static Path folder;

    @AutoClose
    private static RestClient client;

    @BeforeAll
    static void start() {
        new TestRepository(folder)
                .version("simple", 1, ServerModels.simple(ElementType.INT32))
                .version("simple", 2, ServerModels.simple(ElementType.INT32))
                .config("simple", "max_batch_size: 8 version_policy { all {} }")
                .write("single.onnx", ServerModels.plus(1, 2));
        client = RestClient.ofOwnServer(folder);
    }

    @Test
    void liveAndReady() {
        assertThat(client.get("v2/health/live").body()).isEqualTo("{\"live\":true}");
        assertThat(client.get("v2/health/ready").body()).isEqualTo("{\"ready\":true}");
        assertThat(client.get("v2/models/simple/ready").body()).contains("\"ready\":true");
        assertThat(client.get("v2/models/simple/versions/2/ready").status()).isEqualTo(200);
        assertThat(client.get("v2/models/simple/versions/3/ready").status()).isEqualTo(503);
        assertThat(client.get("v2/models/gone/ready").status()).isEqualTo(404);
    }

    @Test
    void serverMetadata() {
        assertThat(client.get("v2").body())
                .contains("\"name\":\"millrace\"")
                .contains("\"binary_tensor_data\"", "\"model_repository\"", "\"statistics\"");
        assertThat(client.get("v2/").status()).isEqualTo(200);
    }

    @Test
    void modelMetadata() {
        assertThat(client.get("v2/models/simple").body())
                .isEqualTo("{\"name\":\"simple\",\"versions\":[\"1\",\"2\"],\"platform\":\"millrace_onnx\",\"inputs\":["
                        + "{\"name\":\"INPUT0\",\"datatype\":\"INT32\",\"shape\":[-1,16]},"
                        + "{\"name\":\"INPUT1\",\"datatype\":\"INT32\",\"shape\":[-1,16]}],\"outputs\":["
                        + "{\"name\":\"OUTPUT0\",\"datatype\":\"INT32\",\"shape\":[-1,16]},"
                        + "{\"name\":\"OUTPUT1\",\"datatype\":\"INT32\",\"shape\":[-1,16]}]}");
        assertThat(client.get("v2/models/single").body()).contains("\"versions\":[\"1\"]", "\"shape\":[-1,2]");
    }

    @Test
    void configuration() {
        assertThat(client.get("v2/models/simple/config").body())
                .contains("\"max_batch_size\":8", "\"data_type\":\"TYPE_INT32\"", "\"dims\":[16]");
    }

    @Test
    void statisticsCountRequestsAndFailures() {
        String request =
                "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1, 2], \"data\": [1, 2]}]}";
        assertThat(client.post("v2/models/single/infer", request).status()).isEqualTo(200);
        assertThat(client.post("v2/models/single/infer", "{\"inputs\": []}").status())
                .isEqualTo(400);
        String statistics = client.get("v2/models/single/versions/1/stats").body();
        assertThat(statistics)
                .contains("\"name\":\"single\",\"version\":\"1\"")
                .contains("\"inference_count\":1,\"execution_count\":1")
                .contains("\"success\":{\"count\":1,", "\"fail\":{\"count\":1,", "\"compute_infer\":{\"count\":1,");
        assertThat(client.get("v2/models/stats").body()).contains("\"name\":\"simple\",\"version\":\"2\"");
        assertThat(client.get("v2/models/gone/stats").status()).isEqualTo(404);
    }

    @Test
    void logSettingsCanBeChanged() {
        assertThat(client.get("v2/logging").body()).contains("\"log_verbose_level\":0");
        assertThat(client.post("v2/logging", "{\"log_verbose_level\": 1}").body())
                .contains("\"log_verbose_level\":1");
        assertThat(client.post("v2/logging", "{\"log_verbose_level\": 0}").status())
                .isEqualTo(200);
        assertThat(client.post("v2/logging", "{\"log_file\": \"/tmp/x\"}").status())
                .isEqualTo(501);
        assertThat(client.post("v2/logging", "{\"colour\": 1}").status()).isEqualTo(400);
    }

    @Test
    void tracesAreOff() {
        assertThat(client.get("v2/trace/setting").body()).contains("\"trace_level\":[\"OFF\"]");
        assertThat(client.post("v2/models/simple/trace/setting", "{\"trace_level\": [\"OFF\"]}")
                        .status())
                .isEqualTo(200);
        RestClient.Answer refused = client.post("v2/trace/setting", "{\"trace_level\": [\"TIMESTAMPS\"]}");
        assertThat(refused.status()).isEqualTo(501);
        assertThat(refused.body()).contains("'trace_level' cannot be changed", "--telemetry");
    }

    @Test
    void traceSettingsOfAnUnknownModelAreNotThere() {
        assertThat(client.get("v2/models/simple/trace/setting").status()).isEqualTo(200);
        RestClient.Answer gone = client.get("v2/models/gone/trace/setting");
        assertThat(gone.status()).isEqualTo(404);
        assertThat(gone.body()).contains("there is no model 'gone'");
        assertThat(client.post("v2/models/gone/trace/setting", "{}").status()).isEqualTo(404);
    }

    /** A value that a setting never has is 400, and one that this server does not have 501. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "logging | {'log_verbose_level': -1} | 400",
                "logging | {'log_verbose_level': 4294967296} | 400",
                "logging | {'log_verbose_level': 0.5} | 400",
                "logging | {'log_verbose_level': true} | 400",
                "logging | {'log_info': 'yes'} | 400",
                "logging | {'log_info': null} | 400",
                "logging | {'log_info': false} | 501",
                "logging | {'log_format': 'xml'} | 400",
                "logging | {'log_format': 'ISO8601'} | 501",
                "logging | {'log_format': 'default', 'log_info': true} | 200",
                "trace/setting | {'trace_level': ['LOUD']} | 400",
                "trace/setting | {'trace_level': []} | 400",
                "trace/setting | {'trace_level': ['TIMESTAMPS', 'TENSORS']} | 501",
                "trace/setting | {'trace_rate': 'often'} | 400",
                "trace/setting | {'trace_rate': ['1', '2']} | 400",
                "trace/setting | {'trace_rate': '1'} | 501",
                "trace/setting | {'trace_rate': 1000} | 200",
                "trace/setting | {'trace_count': '-2'} | 400",
                "trace/setting | {'trace_count': null} | 200",
                "trace/setting | {'log_frequency': '-1'} | 400",
                "trace/setting | {'trace_mode': 'loud'} | 400",
                "trace/setting | {'trace_file': 'a'} | 501"
            })
    void settingsAreValidated(String path, String change, int status) {
        assertThat(client.post("v2/" + path, change.replace('\'', '"')).status())
                .isEqualTo(status);
        assertThat(client.get("v2/logging").body()).contains("\"log_verbose_level\":0", "\"log_info\":true");
    }

    @ParameterizedTest
    @ValueSource(strings = {"systemsharedmemory/status", "cudasharedmemory/region/a/status"})
    void sharedMemoryIsNotImplemented(String path) {
        assertThat(client.get("v2/" + path).status()).isEqualTo(501);
    }

    @Test
    void otherPathsAndMethodsAreRefused() {
        assertThat(client.get("v2/nothing").status()).isEqualTo(404);
        RestClient.Answer other = client.get("v2/models/simple/infer");
        assertThat(other.status()).isEqualTo(405);
        assertThat(other.headers().firstValue("Allow")).contains("POST");
        var delete = HttpRequest.newBuilder(client.uri("v2")).DELETE().build();
        assertThat(client.send(delete).body()).contains("the method here is GET");
    }

    @ParameterizedTest
    @ValueSource(strings = {"HEAD /v2/health/ready", "GET http://proxied/v2/health/ready"})
    void probesMayAskForHeadersAndByProxies(String line) throws IOException {
        String answer;
        try (var socket = new Socket("127.0.0.1", client.uri("").getPort())) {
            socket.setSoTimeout(10_000);
            String request = line + " HTTP/1.1\r\nHost: proxied\r\nConnection: close\r\n\r\n";
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            answer = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
        String body = "{\"ready\":true}";
        assertThat(answer).startsWith("HTTP/1.1 200").contains("content-length: " + body.length());
        assertThat(answer).endsWith("\r\n\r\n" + (line.startsWith("HEAD") ? "" : body));
    }

    @ParameterizedTest
    @ValueSource(strings = {"v1/responses", "v1/chat/completions"})
    void otherPathsAndMethodsOfOpenAisAreRefusedInItsForm(String path) {
        assertThat(client.get(path).body())
                .startsWith("{\"error\":{\"message\":")
                .contains("\"type\":\"invalid_request_error\"");
    }
}
