package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.server.tensor.Datatype;
import java.net.http.HttpClient;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests inferences by REST: JSON, bytes, datatypes, classification and refusals. */
class RestInferTest {
    private static final String SIMPLE = """
        {"id": "a1", "inputs": [
          {"name": "INPUT0", "datatype": "INT32", "shape": [1, 16], "data": [%s]},
          {"name": "INPUT1", "datatype": "INT32", "shape": [1, 16], "data": [[%s]]}]%s}\
        """;

    private static final String ONES = "1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1";
    private static final String COUNT =
            IntStream.range(0, 16).mapToObj(String::valueOf).collect(Collectors.joining(","));

    @TempDir
    static Path folder;

    @AutoClose
    private static RestClient client;

    @BeforeAll
    static void start() {
        var repository = new TestRepository(folder)
                .version("simple", 1, ServerModels.simple(ElementType.INT32))
                .write("labelled/classes.txt", "first\nsecond\n".getBytes(StandardCharsets.UTF_8))
                .version("labelled", 1, ServerModels.plus(0, 4))
                .config("labelled", """
                    max_batch_size: 8
                    output { name: "y" label_filename: "classes.txt" }
                    """);
        for (ElementType type : ElementType.values()) {
            if (Datatype.of(type) != null) {
                repository.version("same-" + type.onnxName(), 1, ServerModels.same(type));
            }
        }
        client = RestClient.ofOwnServer(folder);
    }

    @Test
    void jsonInAndOut() {
        var answer = client.post("v2/models/simple/infer", SIMPLE.formatted(COUNT, ONES, ""));
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body())
                .startsWith("{\"model_name\":\"simple\",\"model_version\":\"1\",\"id\":\"a1\",\"outputs\":[")
                .contains("{\"name\":\"OUTPUT0\",\"datatype\":\"INT32\",\"shape\":[1,16],\"data\":[1,2,3,4,")
                .contains("\"name\":\"OUTPUT1\"")
                .contains("\"data\":[-1,0,1,2,");
    }

    @Test
    void oneOutputOfAVersionOnHttp2() {
        try (var http2 = new RestClient(client.server(), HttpClient.Version.HTTP_2)) {
            var answer = http2.post(
                    "v2/models/simple/versions/1/infer",
                    SIMPLE.formatted(COUNT, ONES, ", \"outputs\": [{\"name\": \"OUTPUT1\"}]"));
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).contains("OUTPUT1").doesNotContain("OUTPUT0");
        }
    }

    @Test
    void bytesInAndOut() {
        ByteBuffer row = ByteBuffer.allocate(64).order(ByteOrder.LITTLE_ENDIAN);
        IntStream.range(0, 16).forEach(row::putInt);
        var answer = client.postBinary("v2/models/simple/infer", """
            {"inputs": [
              {"name": "INPUT0", "datatype": "INT32", "shape": [1, 16], "parameters": {"binary_data_size": 64}},
              {"name": "INPUT1", "datatype": "INT32", "shape": [1, 16], "parameters": {"binary_data_size": 64}}],
             "outputs": [{"name": "OUTPUT1", "parameters": {"binary_data": false}}, {"name": "OUTPUT0"}],
             "parameters": {"binary_data_output": true}}\
            """, row.array(), row.array());
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.headers().firstValue("content-type")).contains("application/octet-stream");
        int length = Integer.parseInt(
                answer.headers().firstValue("inference-header-content-length").orElseThrow());
        assertThat(answer.body().substring(0, length))
                .contains("\"binary_data_size\":64")
                .contains("\"data\":[0,0,");
        ByteBuffer sums = ByteBuffer.wrap(answer.bytes(), length, 64).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(IntStream.range(0, 16).map(_ -> sums.getInt()))
                .containsExactly(IntStream.range(0, 16).map(i -> 2 * i).boxed().toArray(Integer[]::new));
    }

    @Test
    void aRawBodyIsTheOnlyInput() {
        byte[] three = ByteBuffer.allocate(12)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putFloat(1)
                .putFloat(2)
                .putFloat(3)
                .array();
        var answer = client.post("v2/models/same-float/infer", three, Map.of("Inference-Header-Content-Length", "0"));
        assertThat(answer.status()).isEqualTo(200);
        byte[] end = Arrays.copyOfRange(answer.bytes(), answer.bytes().length - 12, answer.bytes().length);
        assertThat(end).isEqualTo(three);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "bool|BOOL|true,false",
                "uint8|UINT8|0,255",
                "uint16|UINT16|0,65535",
                "uint32|UINT32|0,4294967295",
                "uint64|UINT64|1,18446744073709551615",
                "int8|INT8|-128,127",
                "int16|INT16|-32768,32767",
                "int32|INT32|-2147483648,2147483647",
                "int64|INT64|-9223372036854775808,9223372036854775807",
                "float16|FP16|0.5,-2.0",
                "bfloat16|BF16|0.5,-2.0",
                "float|FP32|0.1,-1.5E30",
                "double|FP64|0.1,-1.5E300",
                "double|FP64|1.0E19,0.5",
                "string|BYTES|\"a\",\"ü\\n\""
            })
    void aDatatypeComesBackAsItWasSent(String model, String datatype, String data) {
        var answer = client.post("v2/models/same-" + model + "/infer", """
            {"inputs": [{"name": "x", "datatype": "%s", "shape": [2], "data": [%s]}]}\
            """.formatted(datatype, data));
        assertThat(answer.body()).contains("\"datatype\":\"" + datatype + "\",\"shape\":[2],\"data\":[" + data + "]");
    }

    @Test
    void modelsOfTensorsGenerateByTheNamesOfTheirInputs() {
        String row = "{\"x\": [1, 2, 3, 4.5], \"unknown\": true, \"parameters\": {\"timeout\": 10000000}}";
        assertThat(client.post("v2/models/labelled/generate", row).body())
                .isEqualTo("{\"model_name\":\"labelled\",\"model_version\":\"1\",\"y\":[1.0,2.0,3.0,4.5]}");
        var events = client.post("v2/models/same-string/versions/1/generate_stream", "{\"x\": \"ü\"}");
        assertThat(events.headers().firstValue("content-type").orElse("")).startsWith("text/event-stream");
        assertThat(events.body())
                .isEqualTo("data: {\"model_name\":\"same-string\",\"model_version\":\"1\",\"y\":\"ü\"}\n\n");
        var wrong = client.post("v2/models/same-uint64/generate_stream", "{\"x\": [18446744073709551615, {}]}");
        assertThat(wrong.status()).isEqualTo(400);
        assertThat(wrong.body()).contains("input 'x' is a number");
        assertThat(client.post("v2/models/gone/generate", "{}").status()).isEqualTo(404);
    }

    @Test
    void integersOfFloatsMayBeLargerThanALong() {
        var answer = client.post("v2/models/same-double/infer", """
            {"inputs": [{"name": "x", "datatype": "FP64", "shape": [2], "data": [10000000000000000000, 1]}]}\
            """);
        assertThat(answer.body()).contains("\"data\":[1.0E19,1.0]");
    }

    @Test
    void numbersThatJsonDoesNotHaveAreRead() {
        var answer = client.post("v2/models/same-float/infer", """
            {"inputs": [{"name": "x", "datatype": "FP32", "shape": [3], "data": [NaN, -Infinity, 1]}],
             "outputs": [{"name": "y", "parameters": {"binary_data": true}}]}\
            """);
        ByteBuffer numbers =
                ByteBuffer.wrap(answer.bytes(), answer.bytes().length - 12, 12).order(ByteOrder.LITTLE_ENDIAN);
        assertThat(numbers.getFloat()).isNaN();
        assertThat(numbers.getFloat()).isEqualTo(Float.NEGATIVE_INFINITY);
    }

    @Test
    void nothingIsAsGoodAsAbsent() {
        var answer = client.post("v2/models/same-float/infer", """
            {"id": null, "parameters": null, "outputs": null, "inputs": [
              {"name": "x", "datatype": "FP32", "shape": [1], "parameters": null, "data": [1]}]}\
            """);
        assertThat(answer.body()).contains("\"data\":[1.0]").doesNotContain("\"id\"");
    }

    @Test
    void aLongDocumentIsReadElsewhere() {
        String zeros = "0,".repeat(99_999) + "0";
        var answer = client.post(
                "v2/models/same-float/infer",
                "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [100000], \"data\": [" + zeros
                        + "]}]}");
        assertThat(answer.status()).isEqualTo(200);
        assertThat(answer.body()).contains("\"shape\":[100000],\"data\":[0.0,0.0,");
    }

    @Test
    void textsInBytesHaveTheirLengths() {
        byte[] texts = {1, 0, 0, 0, 'a', 2, 0, 0, 0, 'b', 'c'};
        var answer = client.postBinary("v2/models/same-string/infer", """
            {"inputs": [{"name": "x", "datatype": "BYTES", "shape": [2], "parameters": {"binary_data_size": 11}}],
             "outputs": [{"name": "y", "parameters": {"binary_data": true}}]}\
            """, texts);
        assertThat(answer.status()).isEqualTo(200);
        assertThat(Arrays.copyOfRange(answer.bytes(), answer.bytes().length - 11, answer.bytes().length))
                .isEqualTo(texts);
    }

    @Test
    void classesAreTheHighestScores() {
        var answer = client.post("v2/models/labelled/infer", """
            {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 4], "data": [0.25, 4, 2, 1]}],
             "outputs": [{"name": "y", "parameters": {"classification": 2}}]}\
            """);
        assertThat(answer.body())
                .contains("\"datatype\":\"BYTES\",\"shape\":[1,2],\"data\":[\"4.000000:1:second\",\"2.000000:2\"]");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "simple|{|400|no JSON",
                "simple|[]|400|no JSON object",
                "simple|{\"inputs\": []}|400|needs input 'INPUT0'",
                "simple|{\"inputs\": [{\"name\": \"x\"}]}|400|no shape",
                "same-float|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [3], \"data\":"
                        + " [1]}]}|400|has 1 elements",
                "same-float|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"INT8\", \"shape\": [1], \"data\":"
                        + " [1]}]}|400|is FP32",
                "same-float|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP7\", \"shape\": [1], \"data\":"
                        + " [1]}]}|400|no datatype",
                "same-int8|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"INT8\", \"shape\": [1], \"data\":"
                        + " [300]}]}|400|300 is no int8",
                "same-float|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1, 1], \"data\":"
                        + " [1]}]}|400|has the shape",
                "same-float|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [4294967296,"
                        + " 4294967296], \"data\": [1]}]}|400|product",
                "same-float|{\"inputs\": [{\"name\": \"z\", \"datatype\": \"FP32\", \"shape\": [1], \"data\":"
                        + " [1]}]}|400|'x'",
                "same-float|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1], \"parameters\":"
                        + " {\"shared_memory_region\": \"r\"}}]}|501|shared memory",
                "same-float|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1], \"parameters\":"
                        + " {\"binary_data_size\": 4}}]}|400|no header Inference-Header-Content-Length",
                "same-float|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1], \"data\":"
                        + " [1]}]} {}|400|more than one JSON document",
                "same-float|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1], \"data\":"
                        + " [null]}]}|400|something else than numbers",
                "labelled|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [], \"data\":"
                        + " [1]}]}|400|has the shape [-1, 4]",
                "same-int64|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"INT64\", \"shape\": [1], \"data\":"
                        + " [9223372036854775808]}]}|400|9223372036854775808 is no int64",
                "same-int8|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"INT8\", \"shape\": [1], \"data\":"
                        + " [18446744073709551615]}]}|400|18446744073709551615 is no int8",
                "same-uint64|{\"inputs\": [{\"name\": \"x\", \"datatype\": \"UINT64\", \"shape\": [1], \"data\":"
                        + " [-1]}]}|400|-1 is no uint64",
                "gone|{\"inputs\": []}|404|no model 'gone'",
                "%2e%2e%2fsimple|{\"inputs\": []}|404|no model '../simple'"
            })
    void aWrongRequestIsRefusedInWords(String model, String body, int status, String words) {
        var answer = client.post("v2/models/" + model + "/infer", body);
        assertThat(answer.status()).as(answer.body()).isEqualTo(status);
        assertThat(answer.body()).startsWith("{\"error\":").contains(words);
    }

    @Test
    void bytesThatBelongToNoInputAreRefused() {
        var answer = client.postBinary(
                "v2/models/same-float/infer",
                "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1], \"data\": [1]}]}",
                new byte[3]);
        assertThat(answer.status()).isEqualTo(400);
        assertThat(answer.body()).contains("3 bytes that belong to no input");
    }

    @Test
    void aVersionThatIsNotThereIsNotFound() {
        assertThat(client.post("v2/models/simple/versions/7/infer", SIMPLE.formatted(COUNT, ONES, ""))
                        .status())
                .isEqualTo(404);
        assertThat(client.post("v2/models/simple/versions/x/infer", SIMPLE.formatted(COUNT, ONES, ""))
                        .status())
                .isEqualTo(400);
    }
}
