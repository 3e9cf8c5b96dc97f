package dev.millrace.cli;

import static dev.millrace.cli.Command.millrace;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.Writer;
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
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests {@code millrace serve}. */
class ServeTest {
    @TempDir
    private Path folder = Path.of("");

    /** A writer that passes on what is printed. */
    private static final class Lines extends Writer {
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
        // the port of metrics is no port: the flag goes before it
        Path config = Files.writeString(folder.resolve("serve.yaml"), """
            folders: ['%s']
            control: poll
            http-port: 0
            metrics-port: 99999
            access-log: true
            no-dashboard: false
            load: [a, b]
            token-file: '%s'
            """.formatted(folder, token));
        var lines = new Lines();
        var code = new CompletableFuture<Integer>();
        Thread serving = Thread.ofPlatform().start(() -> {
            var line = RootCommand.line();
            line.setOut(new PrintWriter(lines, true));
            code.complete(line.execute(
                    "serve",
                    "--config",
                    config.toString(),
                    "--grpc-port",
                    "0",
                    "--metrics-port",
                    "0",
                    "--threads=1",
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

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "http-prt: 8000|there is no key 'http-prt'; there are folders, models and [access-log, context-cache",
                "config: other.yaml|there is no key 'config'",
                "help: true|there is no key 'help'",
                "http-port: [1, 2]|http-port is [1, 2]; it is one value",
                "http-port: many\\nfolders: a|serve.yaml: http-port is 'many'; it is a whole number",
                "access-log: 1|access-log is 1; it is true or false",
                "host: {a: b}|host is {a=b}; it is one value",
                "host: a\\nhost: b|duplicate key host",
                "host: [|is no YAML",
                "just a text|has no keys with values",
                "models: [a, b]|models has names with sources",
                "models: {a: {file: b}}|models a has [file]; it has source, and may have file and sha256",
                "models: {a: {source: 'hf:o/n', sha: b}}|models a has [source, sha]",
                "models: {'': 'hf:o/n'}|it is NAME=SOURCE",
                "host: localhost|serve needs a FOLDER of models"
            })
    void aFileThatMakesNoSenseIsRefused(String content, String reason) throws Exception {
        Path config = Files.writeString(folder.resolve("serve.yaml"), content.replace("\\n", "\n"));
        Command refused = millrace("serve", "--config", config);
        assertThat(refused.code()).isEqualTo(ExitCode.USAGE);
        assertThat(refused.err()).contains(reason);
    }

    @Test
    void flagsAreChecked() {
        assertThat(millrace("serve", "--model", "words").err()).contains("it is NAME=SOURCE");
        assertThat(millrace("serve").code()).isEqualTo(ExitCode.USAGE);
        assertThat(millrace("serve", folder, "--poll-seconds", 0).code()).isEqualTo(ExitCode.USAGE);
        Command tls = millrace("serve", folder, "--tls-key", folder.resolve("key"));
        assertThat(tls.code()).isEqualTo(ExitCode.USAGE);
        assertThat(tls.err()).contains("go together");
        assertThat(millrace("serve", folder.resolve("gone"), "--http-port", 0, "--grpc-port", 0, "--metrics-port", 0)
                        .code())
                .isEqualTo(ExitCode.REFUSED);
        Command traces = millrace("serve", folder, "--telemetry");
        assertThat(traces.code()).isEqualTo(ExitCode.USAGE);
        assertThat(traces.err()).contains("millrace-opentelemetry");
        assertThat(millrace("serve", "s3://bucket/models/", "--http-port=0", "--grpc-port=0", "--metrics-port=0")
                        .err())
                .contains(
                        "'s3://bucket/models' is a name in an object store, which the module millrace-models-s3 reads");
    }

    @Test
    void namesAndRemoteFoldersArePreparedLikeFolders() throws Exception {
        var flags = new ServeFlags();
        flags.addFolder("s3://bucket/models/");
        flags.addFolder("near");
        flags.add(ServeFlag.MODEL, "--model", "words=hf:org/name");
        var preparation = new ServerRun(flags, new PrintWriter(Writer.nullWriter())).preparation(folder);
        String near = Path.of("near").toAbsolutePath().toString();
        assertThat(preparation.arguments()).containsExactly(near, "s3://bucket/models/", "--model=words=hf:org/name");
        var models = preparation.models().build();
        assertThat(models.repositories()).containsExactly(Path.of("near"));
        assertThat(models.remoteRepositories()).containsExactly("s3://bucket/models/");
        assertThat(models.models()).containsEntry("words", "hf:org/name");
    }
}
