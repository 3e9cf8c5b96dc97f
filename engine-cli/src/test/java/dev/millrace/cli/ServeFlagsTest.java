package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.server.ControlMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** Tests how flags of {@code serve} are read. */
class ServeFlagsTest {
    @TempDir
    private Path folder = Path.of("");

    private static ServeFlags read(String line) {
        return Objects.requireNonNull(ServeFlags.read(line.split(" ")), line);
    }

    private static String text(ServeFlags flags) {
        var text = new StringBuilder(flags.folders().toString());
        for (ServeFlag each : ServeFlag.values()) {
            text.append(each.kind() == ServeFlag.Kind.SWITCH ? List.of(flags.isOn(each)) : flags.texts(each));
        }
        return text.toString();
    }

    /** Plain lines are read as picocli reads them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "serve",
                "serve a b",
                "serve a --http-port 1 b --grpc-port=2",
                "serve --load a --load=b --load c=d",
                "serve --access-log a --no-dashboard",
                "serve --model n=hf:o/n --threads 3 --memory-budget=4",
                "serve --control poll --host=::1 --config a=b"
            })
    void plainLinesAreRead(String line) {
        String[] words = line.split(" ");
        CommandLine root = RootCommand.line().setExecutionStrategy(_ -> 0);
        ParseResult parsed = root.parseArgs(words).subcommand();
        assertThat(text(read(line))).isEqualTo(text(ServerCommand.flags(parsed)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "run a",
                "serve --help",
                "serve -h",
                "serve --http",
                "serve --http-port",
                "serve --http-port -1",
                "serve --http-port=",
                "serve --http-port 1 --http-port 2",
                "serve --access-log=true",
                "serve -- a",
                "serve @file",
                "serve --load @file"
            })
    void otherLinesAreLeftToPicocli(String line) {
        assertThat(ServeFlags.read(line.split(" "))).isNull();
    }

    @Test
    void theCommandLineGoesBeforeTheEnvironmentAndThatBeforeTheFile() throws Exception {
        Path config = Files.writeString(folder.resolve("serve.yaml"), """
            http-port: 1
            grpc-port: 2
            metrics-port: 3
            load: [a, b]
            access-log: true
            folders: [models]
            models:
              minilm: {source: "hf:org/minilm@v1", file: onnx/model.onnx, sha256: abc}
              other: mvn:g:a:1/model.onnx
            """);
        var variables = Map.of(
                "MILLRACE_SERVE_HTTP_PORT", "4", "MILLRACE_SERVE_GRPC_PORT", "5", "MILLRACE_SERVE_METRICS_PORT", "");
        ServeFlags flags = read("serve --http-port 6")
                .orElse(ServeFlags.ofEnvironment(variables))
                .orElse(ServeConfigFile.read(config));
        assertThat(flags.count(ServeFlag.HTTP_PORT, 0, 0)).isEqualTo(6);
        assertThat(flags.count(ServeFlag.GRPC_PORT, 0, 0)).isEqualTo(5);
        assertThat(flags.count(ServeFlag.METRICS_PORT, 0, 0)).isEqualTo(3);
        assertThat(flags.texts(ServeFlag.LOAD)).containsExactly("a", "b");
        assertThat(flags.isOn(ServeFlag.ACCESS_LOG)).isTrue();
        assertThat(flags.folders()).containsExactly("models");
        assertThat(flags.texts(ServeFlag.MODEL))
                .containsExactly("minilm=hf:org/minilm@v1/onnx/model.onnx#sha256=abc", "other=mvn:g:a:1/model.onnx");
    }

    @Test
    void foldersOfTheCommandLineGoBeforeThoseOfTheFile() throws Exception {
        Path config = Files.writeString(folder.resolve("serve.yaml"), "folders: [models]");
        assertThat(read("serve mine").orElse(ServeConfigFile.read(config)).folders())
                .containsExactly("mine");
    }

    @Test
    void valuesAreChecked() {
        assertThat(read("serve --control Poll").constant(ServeFlag.CONTROL, ControlMode.NONE))
                .isEqualTo(ControlMode.POLL);
        assertThatThrownBy(() -> read("serve --control often").constant(ServeFlag.CONTROL, ControlMode.NONE))
                .hasMessage("--control is 'often'; it is one of [NONE, POLL, EXPLICIT]");
        assertThatThrownBy(() -> read("serve --threads 3000000000").count(ServeFlag.THREADS, 0, 0))
                .hasMessage("--threads is '3000000000'; it is 0 to 2147483647");
        assertThatThrownBy(() -> read("serve --poll-seconds 0").count(ServeFlag.POLL_SECONDS, 1, 15))
                .hasMessage("--poll-seconds is '0'; it is 1 to 2147483647");
        ServeFlags environment = ServeFlags.ofEnvironment(Map.of("MILLRACE_SERVE_ACCESS_LOG", "1"));
        assertThatThrownBy(() -> environment.isOn(ServeFlag.ACCESS_LOG))
                .hasMessage("MILLRACE_SERVE_ACCESS_LOG is '1'; it is true or false");
    }

    @Test
    void aServerThatCannotStartHasAnExitCode() {
        ServeFlags gone = read("serve " + folder.resolve("gone") + " --http-port=0 --grpc-port=0 --metrics-port=0");
        assertThat(ServerRun.alone(gone)).isEqualTo(ExitCode.REFUSED);
        assertThat(ServerRun.alone(read("serve"))).isEqualTo(ExitCode.USAGE);
    }
}
