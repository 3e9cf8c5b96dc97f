package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.tensor.ElementType;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests what configurations say of batches, sequences, ensembles, warm-up and instances, and what is refused. */
class SchedulingTest {
    private static final String SEQUENCES = """
        max_batch_size: 8
        input { name: "INPUT" data_type: TYPE_INT32 dims: [1] }
        output { name: "OUTPUT" data_type: TYPE_INT32 dims: [1] }
        sequence_batching {
          %s
          max_sequence_idle_microseconds: %d
          control_input { name: "START" control { kind: CONTROL_SEQUENCE_START int32_false_true: [0, 1] } }
          state { input_name: "STATE_IN" output_name: "STATE_OUT" data_type: TYPE_INT32 dims: [1] %s }
        }\
        """;

    @TempDir
    Path folder;

    private static String element(String id, boolean start, boolean end, int value) {
        return "{\"parameters\": {\"sequence_id\": " + id + ", \"sequence_start\": " + start + ", \"sequence_end\": "
                + end
                + "}, \"inputs\": [{\"name\": \"INPUT\", \"datatype\": \"INT32\", \"shape\": [1, 1], \"data\": ["
                + value
                + "]}]}";
    }

    /** The batch runs when it is full, so that all of its requests are under way at the same time. */
    @Test
    void oneConnectionOfHttp2HasManyRequestsUnderWay() {
        new TestRepository(folder).version("plus", 1, ServerModels.plus(1, 1)).config("plus", """
            max_batch_size: 500
            dynamic_batching { preferred_batch_size: [500] max_queue_delay_microseconds: 60000000 }
            """);
        try (var server = TestServers.start(folder);
                var client = new RestClient(server, HttpClient.Version.HTTP_2)) {
            assertThat(client.get("v2/health/ready").status()).isEqualTo(200);
            client.postAtOnce(500, "v2/models/plus/infer", TestRequests.row("x", 1));
        }
    }

    @Test
    void concurrentRequestsAreAnsweredByBatches() {
        new TestRepository(folder).version("plus", 1, ServerModels.plus(1, 1)).config("plus", """
            max_batch_size: 8
            dynamic_batching { preferred_batch_size: [4, 8] max_queue_delay_microseconds: 2000
              priority_levels: 2 default_priority_level: 2
              default_queue_policy { max_queue_size: 500 default_timeout_microseconds: 20000000 } }
            instance_group { count: 1 kind: KIND_CPU rate_limiter { priority: 2 } }
            optimization { graph { level: -1 } }
            parameters { key: "intra_op_thread_count" value { string_value: "1" } }
            """);
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            var all = IntStream.range(0, 300)
                    .mapToObj(i -> client.later("v2/models/plus/infer", TestRequests.row("x", i)))
                    .toList();
            for (int i = 0; i < all.size(); i++) {
                HttpResponse<String> answer = all.get(i).join();
                assertThat(answer.body()).contains("\"shape\":[1,1],\"data\":[" + (i + 1f) + "]");
            }
            assertThat(client.get("v2/models/plus/stats").body()).contains("\"inference_count\":300");
            assertThat(client.post("v2/models/plus/infer", """
                {"inputs": [{"name": "x", "datatype": "FP32", "shape": [9, 1], "data": [1,2,3,4,5,6,7,8,9]}]}\
                """).body())
                    .contains("batch of 9 rows; the model takes 1 to 8");
        }
    }

    @Test
    void aTimeLimitEndsARequest() {
        new TestRepository(folder).version("loop", 1, ServerModels.loop());
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            var answer = client.post("v2/models/loop/infer", """
                {"parameters": {"timeout": 100000}, "inputs": [
                 {"name": "n", "datatype": "INT64", "shape": [], "data": [9000000000000]},
                 {"name": "x", "datatype": "FP32", "shape": [1], "data": [1]}]}\
                """);
            assertThat(answer.status()).isEqualTo(504);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"direct {}", "oldest { max_candidate_sequences: 2 }"})
    void elementsOfASequenceShareAState(String strategy) {
        new TestRepository(folder)
                .version("sum", 1, ServerModels.sum())
                .config("sum", SEQUENCES.formatted(strategy, 60_000_000, ""));
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            String path = "v2/models/sum/infer";
            assertThat(client.get("v2/models/sum").body()).doesNotContain("STATE", "START");
            assertThat(client.post(path, element("1", true, false, 5)).body()).contains("\"data\":[5]");
            assertThat(client.post(path, element("\"one\"", true, false, 100)).body())
                    .contains("\"data\":[100]");
            assertThat(client.post(path, element("1", false, false, 6)).body()).contains("\"data\":[11]");
            assertThat(client.post(path, element("\"one\"", false, true, 1)).body())
                    .contains("\"data\":[101]");
            assertThat(client.post(path, element("1", true, false, 7)).body()).contains("\"data\":[7]");
            assertThat(client.post(path, element("\"one\"", false, false, 1)).body())
                    .contains("has not begun");
            assertThat(client.post(path, element("0", true, false, 1)).body()).contains("sequence_id");
            if (strategy.startsWith("oldest")) {
                client.post(path, element("2", true, false, 1));
                var third = client.post(path, element("3", true, false, 1));
                assertThat(third.status()).isEqualTo(503);
            }
        }
    }

    @Test
    void aSequenceBeginsWithItsInitialStateAndEndsWhenItIsIdle() throws Exception {
        new TestRepository(folder)
                .write("sum/initial_state/seven", new byte[] {7, 0, 0, 0})
                .version("sum", 1, ServerModels.sum())
                .config(
                        "sum",
                        SEQUENCES
                                .formatted(
                                        "direct {}",
                                        200_000,
                                        "initial_state { name: \"s\" data_type: TYPE_INT32 dims: [1] data_file:"
                                                + " \"seven\" }")
                                .replace("[0, 1]", "[0, 0]"));
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            assertThat(client.post("v2/models/sum/infer", element("9", true, false, 1))
                            .body())
                    .contains("\"data\":[8]");
            TimeUnit.MILLISECONDS.sleep(400);
            assertThat(client.post("v2/models/sum/infer", element("9", false, false, 1))
                            .body())
                    .contains("was idle for longer");
        }
    }

    @Test
    void aSequenceMayBeIdleForAsLongAsANumberSays() {
        new TestRepository(folder)
                .version("sum", 1, ServerModels.sum())
                .config("sum", SEQUENCES.formatted("direct {}", Long.MAX_VALUE, ""));
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            String id = "18446744073709551615";
            client.post("v2/models/sum/infer", element("1", true, false, 1));
            assertThat(client.post("v2/models/sum/infer", element(id, true, false, 1))
                            .body())
                    .contains("\"data\":[1]");
            assertThat(client.post("v2/models/sum/infer", element(id, false, true, 1))
                            .body())
                    .contains("\"data\":[2]");
        }
    }

    @Test
    void anEnsembleIsAGraphOfModelsWithBranches() {
        new TestRepository(folder)
                .version("one", 1, ServerModels.plus(1, 16))
                .version("ten", 1, ServerModels.plus(10, 16))
                .version("both", 1, ServerModels.simple(ElementType.FLOAT))
                .config("all", """
                    platform: "ensemble"
                    input { name: "IN" data_type: TYPE_FP32 dims: [-1, 16] }
                    output { name: "SUM" data_type: TYPE_FP32 dims: [-1, 16] }
                    output { name: "LEFT" data_type: TYPE_FP32 dims: [-1, 16] }
                    ensemble_scheduling {
                      step { model_name: "both" model_version: -1
                        input_map { key: "INPUT0" value: "LEFT" } input_map { key: "INPUT1" value: "right" }
                        output_map { key: "OUTPUT0" value: "SUM" } }
                      step { model_name: "one" model_version: 1
                        input_map { key: "x" value: "IN" } output_map { key: "y" value: "LEFT" } }
                      step { model_name: "ten" model_version: -1
                        input_map { key: "x" value: "IN" } output_map { key: "y" value: "right" } }
                    }\
                    """);
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            String request = "{\"inputs\": [{\"name\": \"IN\", \"datatype\": \"FP32\", \"shape\": [1, 16], \"data\": ["
                    + "0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,2]}]%s}";
            assertThat(client.get("v2/models/all").body()).contains("\"platform\":\"ensemble\"");
            assertThat(client.post("v2/models/all/infer", request.formatted("")).body())
                    .contains("\"name\":\"SUM\"", "[11.0,11.0,", ",15.0]", "\"name\":\"LEFT\"", "[1.0,1.0,", ",3.0]");
            assertThat(client.post("v2/models/all/infer", request.formatted(", \"outputs\": [{\"name\": \"SUM\"}]"))
                            .body())
                    .doesNotContain("LEFT");
            // both branches end at once now and then
            var many = IntStream.range(0, 400)
                    .mapToObj(_ -> CompletableFuture.supplyAsync(
                            () -> client.post("v2/models/all/infer", request.formatted(""))
                                    .status()))
                    .toList();
            assertThat(many).allMatch(each -> each.join() == 200);
        }
    }

    @Test
    void aModelIsWarmedUpBeforeItIsReady() {
        new TestRepository(folder)
                .write("plus/warmup/half", new byte[] {0, 0, 0, 63})
                .version("plus", 1, ServerModels.plus(1, 1))
                .config("plus", """
                    max_batch_size: 4
                    model_warmup { name: "zeros" batch_size: 4 count: 2
                      inputs { key: "x" value { data_type: TYPE_FP32 dims: [1] zero_data: true } } }
                    model_warmup { name: "random" batch_size: 1
                      inputs { key: "x" value { data_type: TYPE_FP32 dims: [1] random_data: true } } }
                    model_warmup { name: "file" batch_size: 1
                      inputs { key: "x" value { data_type: TYPE_FP32 dims: [1] input_data_file: "half" } } }
                    """);
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            assertThat(client.get("v2/models/plus/stats").body())
                    .contains("\"inference_count\":0,\"execution_count\":4");
        }
    }

    @Test
    void tensorsAreReshapedBetweenRequestsAndTheModel() {
        new TestRepository(folder).version("plus", 1, ServerModels.plus(1, 4)).config("plus", """
            max_batch_size: 4
            input { name: "x" data_type: TYPE_FP32 dims: [2, 2] reshape { shape: [4] } }
            output { name: "y" data_type: TYPE_FP32 dims: [2, 2] reshape { shape: [4] } }
            """);
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            assertThat(client.post("v2/models/plus/infer", """
                {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 2, 2], "data": [[[1, 2], [3, 4]]]}]}\
                """).body())
                    .contains("\"shape\":[1,2,2],\"data\":[2.0,3.0,4.0,5.0]");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "name: \"other\"|its folder is 'plus'",
                "backend: \"python\"|this server runs ONNX models",
                "max_batch_size: 4 input { name: \"x\" dims: [7] }|the model has [4]",
                "input { name: \"z\" }|has input 'z'",
                "input { name: \"x\" data_type: TYPE_INT8 }|says that 'x' is TYPE_INT8",
                "dynamic_batching {}|no max_batch_size",
                "max_batch_size: 2 dynamic_batching { default_queue_policy { timeout_action: DELAY } }|REJECT",
                "max_batch_size: 2 dynamic_batching { priority_levels: 3 }|default_priority_level",
                "instance_group { kind: KIND_GPU }|use KIND_CPU",
                "model_transaction_policy { decoupled: true }|generate_stream",
                "response_cache { enable: true }|response_cache",
                "optimization { cuda { graphs: true } }|cuda",
                "parameters { key: \"colour\" value { string_value: \"red\" } }|no option 'colour'",
                "version_policy { specific { versions: 4 } }|no version that its policy wants",
                "default_model_filename: \"../../x\"|outside of",
                "platform: \"ensemble\"|without ensemble_scheduling",
                "platform: \"ensemble\" input { name: \"a\" } output { name: \"b\" } ensemble_scheduling { step {"
                    + " model_name: \"no\" input_map { key: \"x\" value: \"a\" } output_map { key: \"y\" value: \"b\""
                    + " } } }|no repository has",
                "model_warmup { inputs { key: \"x\" value { data_type: TYPE_FP32 dims: [1, 4] input_data_file:"
                        + " \"../config.pbtxt\" } } }|outside of"
            })
    void aConfigurationThatIsNotHonouredIsRefused(String config, String words) {
        new TestRepository(folder).version("plus", 1, ServerModels.plus(1, 4)).config("plus", config);
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            assertThat(client.post("v2/repository/index", "").body()).contains("UNAVAILABLE", words);
        }
    }

    @Test
    void anEnsembleThatWaitsForItselfIsRefused() {
        new TestRepository(folder).version("one", 1, ServerModels.plus(1, 16)).config("circle", """
            platform: "ensemble"
            input { name: "IN" data_type: TYPE_FP32 dims: [-1, 16] }
            output { name: "b" data_type: TYPE_FP32 dims: [-1, 16] }
            ensemble_scheduling {
              step { model_name: "one" model_version: -1
                input_map { key: "x" value: "b" } output_map { key: "y" value: "a" } }
              step { model_name: "one" model_version: -1
                input_map { key: "x" value: "a" } output_map { key: "y" value: "b" } } }\
            """);
        try (var server = TestServers.start(folder);
                var client = new RestClient(server)) {
            assertThat(client.post("v2/repository/index", "").body()).contains("which no step computes before it");
        }
    }
}
