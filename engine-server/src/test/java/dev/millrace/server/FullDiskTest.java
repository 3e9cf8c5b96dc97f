package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests a server that finds no room for its files, in a process that may not write files above a size. */
class FullDiskTest {
    /** The blocks that a file may have: each is of 512 bytes in some shells, and of a KiB in others. */
    private static final int BLOCKS = 256;

    private static final byte[] LARGE = new byte[1 << 20];
    private static final String ROW = TestRequests.row("x", 1);

    @TempDir
    Path folder;

    @Test
    void aVersionThatFindsNoRoomLeavesTheOldOneServing() throws Exception {
        assumeThat(Path.of("/bin/sh")).as("the limit is set by a POSIX shell").exists();
        new TestRepository(folder.resolve("models"))
                .version("plus", 1, ServerModels.plus(1, 1))
                .version("weights", 1, ServerModels.product(512, 1));
        Files.createDirectory(folder.resolve("temporary"));
        String said = new OwnJvm(WithoutRoom.class, folder)
                .options("-Djava.io.tmpdir=" + folder.resolve("temporary"), "-XX:-UsePerfData", "-Xmx256m")
                .startedBy("sh", "-c", "ulimit -f " + BLOCKS + " && exec \"$@\"", "sh")
                .within(Duration.ofMinutes(1))
                .output();
        assertThat(said).contains("all is well");
    }

    /** The process without room. */
    static final class WithoutRoom {
        private WithoutRoom() {}

        /** @param arguments the folder of the models, of temporary files and of the cache */
        public static void main(String[] arguments) throws IOException {
            Path folder = Path.of(arguments[0]);
            var options = TestServers.cachedOptions(folder)
                    .control(ControlMode.EXPLICIT)
                    .loaded("plus")
                    .build();
            try (var server = ModelServer.start(options);
                    var client = new RestClient(server)) {
                assertThat(infer(client)).contains("\"data\":[2.0]");

                var refused = load(client, "plus", LARGE);
                assertThat(refused.status()).isEqualTo(500);
                assertThat(refused.body()).contains("the files of model 'plus' cannot be written");
                assertThat(infer(client)).contains("\"data\":[2.0]");
                assertThat(client.get("v2/health/ready").status()).isEqualTo(200);
                assertThat(index(client, "plus").at("state").text()).isEqualTo("READY");
                assertThat(index(client, "plus").at("reason").text()).contains("cannot be written");
                assertThat(files(folder.resolve("temporary"))).isEmpty();

                load(client, "new", LARGE);
                assertThat(index(client, "new").at("state").text()).isEqualTo("UNAVAILABLE");
                assertThat(index(client, "new").at("reason").text()).contains("cannot be written");

                assertThat(load(client, "plus", ServerModels.plus(5, 1)).status())
                        .isEqualTo(200);
                assertThat(infer(client)).contains("\"data\":[6.0]");
                assertThat(index(client, "plus").at("reason").value()).isNull();

                // its compilation is larger than the room
                assertThat(client.post("v2/repository/models/weights/load", "{}")
                                .status())
                        .isEqualTo(200);
                assertThat(index(client, "weights").at("state").text()).isEqualTo("READY");
                assertThat(files(folder.resolve("cache")))
                        .allSatisfy(file ->
                                assertThat(Files.size(file)).as(file.toString()).isLessThan(100 << 10));
            }
            System.out.println("all is well");
        }

        private static String infer(RestClient client) {
            return client.post("v2/models/plus/infer", ROW).body();
        }

        private static RestClient.Answer load(RestClient client, String model, byte[] file) {
            return client.post(
                    "v2/repository/models/" + model + "/load",
                    "{\"parameters\": {\"config\": \"{}\", \"file:1/model.onnx\": \""
                            + Base64.getEncoder().encodeToString(file) + "\"}}");
        }

        private static Json index(RestClient client, String model) {
            return Json.read(client.post("v2/repository/index", "{}").body())
                    .each()
                    .filter(each -> each.at("name").text().equals(model))
                    .findFirst()
                    .orElseThrow();
        }

        private static List<Path> files(Path folder) throws IOException {
            if (!Files.exists(folder)) {
                return List.of();
            }
            try (Stream<Path> all = Files.walk(folder)) {
                return all.filter(Files::isRegularFile).toList();
            }
        }
    }
}
