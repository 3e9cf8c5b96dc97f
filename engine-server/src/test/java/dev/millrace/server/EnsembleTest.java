package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests ensembles: optional inputs, names of classes, and steps that are not ready. */
class EnsembleTest {
    private static final String BOTH = """
        platform: "ensemble"
        max_batch_size: 8
        input { name: "LEFT" data_type: TYPE_FP32 dims: [2] }
        input { name: "RIGHT" data_type: TYPE_FP32 dims: [2] optional: true }
        output { name: "SUM" data_type: TYPE_FP32 dims: [2] label_filename: "classes.txt" }
        output { name: "OTHER" data_type: TYPE_FP32 dims: [2] }
        output { name: "RIGHT" data_type: TYPE_FP32 dims: [2] }
        ensemble_scheduling {
          step { model_name: "plus" model_version: -1
            input_map { key: "x" value: "LEFT" } output_map { key: "y" value: "SUM" } }
          step { model_name: "%s" model_version: -1
            input_map { key: "x" value: "RIGHT" } output_map { key: "y" value: "OTHER" } }
        }\
        """;

    private static final String REQUEST = """
        {"inputs": [{"name": "LEFT", "datatype": "FP32", "shape": [1, 2], "data": [1, 2]}],
         "outputs": [{"name": "%s"%s}]}\
        """;

    @TempDir
    Path folder;

    private TestRepository repository() {
        return new TestRepository(folder)
                .version("plus", 1, ServerModels.plus(1, 2))
                .config("plus", "max_batch_size: 8")
                .version("other", 1, ServerModels.plus(1, 2))
                .config(
                        "other",
                        "max_batch_size: 8 input { name: \"x\" data_type: TYPE_FP32 dims: [2] optional: false }")
                .write("both/classes.txt", "cat\ndog\n".getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void aStepThatNeedsAnInputThatIsLeftOutSaysSo() {
        repository().config("both", BOTH.formatted("other"));
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            var answer = client.post("v2/models/both/infer", REQUEST.formatted("SUM", ""));
            assertThat(answer.status()).as(answer.body()).isEqualTo(400);
            assertThat(answer.body()).contains("model 'other' needs input 'x'");
            assertThat(client.post(
                                    "v2/models/both/infer",
                                    REQUEST.replace("\"LEFT\"", "\"RIGHT\"").formatted("SUM", ""))
                            .body())
                    .contains("needs input 'LEFT'");
        }
    }

    @Test
    void aStepMayDoWithoutAnInputAndAnOutputMayNot() {
        new TestRepository(folder)
                .version("plus", 1, ServerModels.plus(1, 2))
                .version("optional", 1, ServerModels.simple(ElementType.FLOAT))
                .config("both", """
                    platform: "ensemble"
                    input { name: "LEFT" data_type: TYPE_FP32 dims: [-1, 2] }
                    input { name: "RIGHT" data_type: TYPE_FP32 dims: [-1, 2] optional: true }
                    output { name: "SUM" data_type: TYPE_FP32 dims: [-1, 2] }
                    output { name: "RIGHT" data_type: TYPE_FP32 dims: [-1, 2] }
                    ensemble_scheduling {
                      step { model_name: "plus" model_version: -1
                        input_map { key: "x" value: "LEFT" } output_map { key: "y" value: "SUM" } }
                    }\
                    """);
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            assertThat(client.post("v2/models/both/infer", REQUEST.formatted("SUM", ""))
                            .body())
                    .contains("[2.0,3.0]");
            assertThat(client.post("v2/models/both/infer", REQUEST.formatted("RIGHT", ""))
                            .body())
                    .contains("output 'RIGHT' is an optional input");
        }
    }

    @Test
    void classesHaveTheNamesThatTheEnsembleGivesThem() {
        repository().config("both", BOTH.formatted("plus"));
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            String both = REQUEST.replace(
                    "}],",
                    "}, {\"name\": \"RIGHT\", \"datatype\": \"FP32\", \"shape\": [1, 2]," + " \"data\": [1, 2]}],");
            var answer = client.post(
                    "v2/models/both/infer", both.formatted("SUM", ", \"parameters\": {\"classification\": 1}"));
            assertThat(answer.body()).contains("\"3.000000:1:dog\"");
        }
    }

    @Test
    void anEnsembleIsReadyWithItsSteps() {
        repository().config("both", BOTH.formatted("other"));
        try (var server = ModelServer.start(TestServers.options(folder)
                        .control(ControlMode.EXPLICIT)
                        .loaded("both")
                        .build());
                var client = new RestClient(server)) {
            assertThat(client.get("v2/models/both/ready").status()).isEqualTo(200);
            client.post("v2/repository/models/other/unload", "");
            assertThat(client.get("v2/models/both/ready").status()).isEqualTo(503);
            assertThat(client.post("v2/repository/index", "").body())
                    .contains("\"state\":\"UNAVAILABLE\",\"reason\":\"its step 'other' is not ready\"");
            assertThat(client.post("v2/repository/index", "{\"ready\": true}").body())
                    .doesNotContain("both");
            assertThat(client.get("v2/models/other/stats").body()).contains("is not ready: unloaded");
            client.post("v2/repository/models/other/load", "");
            assertThat(client.get("v2/models/both/ready").status()).isEqualTo(200);
        }
    }
}
