package dev.millrace.example.npu;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.RootCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The commands of the guide, as they stand there, by which a user of the NPU works with compiled models. */
class CommandFlowsIT {
    private static final Path JAR = Path.of(System.getProperty("example.npu.jar", ""));
    private static final Path GUIDE = Path.of(System.getProperty("example.npu.guide", ""));
    private static final String START = "./millrace ";
    private static final int COMMANDS = 7;
    private static final int REFUSED = 3;

    @TempDir
    private Path folder = Path.of("");

    private final StringWriter out = new StringWriter();

    @BeforeEach
    void write() throws IOException {
        Files.write(folder.resolve("model.onnx"), QuantisedModels.layers(2, 1));
        Files.write(folder.resolve("second.onnx"), QuantisedModels.layers(3, 1));
    }

    @AfterEach
    void forgetVersions() {
        System.clearProperty("example.npu.driver");
    }

    /** Runs a command line of the guide. Returns its exit code. */
    private int millrace(String command) {
        out.getBuffer().setLength(0);
        CommandLine line = RootCommand.line();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(out, true));
        return line.execute(Arrays.stream(command.substring(START.length()).split(" "))
                .map(this::placed)
                .toArray(String[]::new));
    }

    /** Puts the paths of a word into the folder of the test. */
    private String placed(String word) {
        return word.replace("npu.jar", JAR.toString()).replaceAll("(\\w+\\.onnx)", folder + "/$1");
    }

    private static List<String> commands() throws IOException {
        try (Stream<String> lines = Files.lines(GUIDE)) {
            return lines.filter(line -> line.startsWith(START)).toList();
        }
    }

    @Test
    void theCommandsOfTheGuideRunInTheirOrder() throws IOException {
        assertThat(commands()).hasSize(COMMANDS);
        for (String command : commands()) {
            assertThat(millrace(command)).as(command + "\n" + out).isZero();
            if (command.contains("ctx-info")) {
                assertThat(out.toString())
                        .contains("npu generation=1 sdk=1.2.0")
                        .containsIgnoringCase("optimal");
            }
        }
        assertThat(files())
                .containsExactly(
                        "embedded.onnx",
                        "model.onnx",
                        "model_ctx.onnx",
                        "model_npu.bin",
                        "next.onnx",
                        "next_npu.bin",
                        "second.onnx",
                        "second_ctx.onnx");
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void aModelOfAnotherDriverIsRefusedAndCompiledAgain() throws IOException {
        String compile = command("compile --provider npu,cpu --provider-library npu.jar model.onnx");
        String run = command("run --provider npu,cpu");
        assertThat(millrace(compile)).as(out.toString()).isZero();
        System.setProperty("example.npu.driver", "5");
        assertThat(millrace(run)).isEqualTo(REFUSED);
        assertThat(out.toString()).contains("for driver 4, and this is driver 5", "compile the model again");
        assertThat(millrace(compile + " --replace")).as(out.toString()).isZero();
        assertThat(millrace(run)).as(out.toString()).isZero();
    }

    private static String command(String beginning) throws IOException {
        return commands().stream()
                .filter(each -> each.startsWith(START + beginning))
                .findFirst()
                .orElseThrow();
    }
}
