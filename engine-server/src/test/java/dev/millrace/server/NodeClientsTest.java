package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests both protocols by clients of others that run in Node.js: grpc-js and OpenAI's. They are installed into {@code target}
 * from the network, so the test runs only with {@code -Dmillrace.clients=true}.
 */
class NodeClientsTest {
    private static final Path SCRIPTS = Path.of("src", "test", "js");
    private static final Path INSTALLED = Path.of("target", "js");

    @Test
    void clientsInNodeGetTheirAnswers(@TempDir Path folder) throws Exception {
        Assumptions.assumeTrue(
                Boolean.getBoolean("millrace.clients"),
                "clients in Node.js are not installed without -Dmillrace.clients=true");
        Files.createDirectories(INSTALLED);
        try (Stream<Path> scripts = Files.list(SCRIPTS)) {
            for (Path each : scripts.toList()) {
                Files.write(INSTALLED.resolve(each.getFileName()), Files.readAllBytes(each));
            }
        }
        run("npm", "install", "--no-audit", "--no-fund", "--no-package-lock");
        new TestRepository(folder)
                .version("plus", 1, ServerModels.plus(1, 1))
                .mill()
                .write("minilm/1/model.onnx", resource("/all-minilm-l6-v2.onnx"))
                .write("minilm/1/tokenizer.json", resource("/all-minilm-l6-v2-tokenizer.json"));
        try (var server = TestServers.start(folder)) {
            Path protos = Path.of("src", "main", "proto").toAbsolutePath();
            assertThat(run("node", "grpc.js", Integer.toString(server.grpcPort()), protos.toString()))
                    .contains("grpc-js: all answers are right");
            assertThat(run("node", "openai.js", Integer.toString(server.httpPort())))
                    .contains("openai: all answers are right");
        }
    }

    private static byte[] resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(NodeClientsTest.class.getResourceAsStream(name))) {
            return in.readAllBytes();
        }
    }

    private static String run(String... command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(List.of(command))
                .directory(INSTALLED.toFile())
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output;
    }
}
