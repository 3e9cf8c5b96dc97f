package dev.millrace.cli;

import static dev.millrace.cli.Command.millrace;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code millrace serve}. */
class ServeTest {
    @TempDir
    private Path folder = Path.of("");

    /** A writer that passes on what is printed. */
    private static final class Lines extends java.io.Writer {
        private final LinkedBlockingQueue<String> all = new LinkedBlockingQueue<>();

        @Override
        public void write(char[] chars, int start, int length) {
            all.add(new String(chars, start, length));
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @Test
    void aFolderIsServedUntilTheEnd() throws Exception {
        WordModel.write(Files.createDirectories(folder.resolve("words/1")).resolve("model.onnx"), 1, 0);
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        var lines = new Lines();
        var code = new CompletableFuture<Integer>();
        Thread serving = Thread.ofPlatform().start(() -> {
            var line = Main.commandLine();
            line.setOut(new PrintWriter(lines, true));
            code.complete(line.execute(
                    "serve",
                    folder.toString(),
                    "--http-port",
                    "0",
                    "--grpc-port",
                    "0",
                    "--metrics-port",
                    "0",
                    "--threads",
                    "1",
                    "--token-file",
                    token.toString(),
                    "--control",
                    "poll",
                    "--drain-seconds",
                    "1"));
        });
        var printed = new StringBuilder();
        while (printed.indexOf("\n") < 0) {
            String more = lines.all.poll(60, TimeUnit.SECONDS);
            assertThat(more).as("a line of the server").isNotNull();
            printed.append(more);
        }
        Matcher found = Pattern.compile("serving at 127.0.0.1: HTTP (\\d+), gRPC \\d+, metrics \\d+; ready\\s+")
                .matcher(printed);
        assertThat(found.matches()).as(printed.toString()).isTrue();
        try (HttpClient client = HttpClient.newHttpClient()) {
            var request = HttpRequest.newBuilder(
                            URI.create("http://127.0.0.1:" + found.group(1) + "/v2/models/words/ready"))
                    .header("Authorization", "Bearer secret")
                    .build();
            assertThat(client.send(request, BodyHandlers.ofString()).body()).contains("\"ready\":true");
        }
        serving.interrupt();
        assertThat(code.get(60, TimeUnit.SECONDS)).isZero();
    }

    @Test
    void flagsAreChecked() {
        assertThat(millrace("serve").code()).isEqualTo(ExitCode.USAGE);
        assertThat(millrace("serve", folder, "--poll-seconds", 0).code()).isEqualTo(ExitCode.USAGE);
        Command tls = millrace("serve", folder, "--tls-key", folder.resolve("key"));
        assertThat(tls.code()).isEqualTo(ExitCode.USAGE);
        assertThat(tls.err()).contains("go together");
        assertThat(millrace("serve", folder.resolve("gone"), "--http-port", 0, "--grpc-port", 0, "--metrics-port", 0)
                        .code())
                .isEqualTo(ExitCode.REFUSED);
        assertThat(ServeEnvironment.name("--http-port")).isEqualTo("MILLRACE_SERVE_HTTP_PORT");
    }
}
