package dev.millrace.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.io.Npy;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.Tensors;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.ByteArrayOutputStream;
import java.io.FileWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class CommandTest {
    @TempDir
    private Path folder = Path.of("");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private String model = "";

    /** y = x + 1, x: [n, 3]. */
    @BeforeEach
    void writeModel() {
        var editor = new GraphEditor(Graph.named("plus"));
        Value x =
                editor.addInput("x", ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("n"), Dim.of(3))));
        Value one = editor.addConstant("one", Tensor.scalar(1f));
        editor.addOutput(
                "y",
                editor.append(NodeSpec.of(OpId.onnx("Add"), 21, x, one), List.of("y"))
                        .requireOutput(0));
        var written = new Model(
                new Model.Header(10, "test", "1", "", 1, ""),
                Map.of(OpId.ONNX, 21),
                Map.of(),
                Map.of(),
                editor.graph(),
                null);
        Path file = folder.resolve("plus.onnx");
        Models.write(written, file, WriteOptions.inline());
        model = file.toString();
    }

    private int millrace(String... arguments) {
        return millrace(new PrintWriter(out, true), arguments);
    }

    private int millrace(PrintWriter printed, String... arguments) {
        CommandLine line = RootCommand.line();
        line.setOut(printed);
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @Test
    void aWrongLineOfACommandIsToldInOneLine() {
        Command unknown = Command.millrace("run", "net.onnx", "--format", "jsn");
        assertThat(unknown.code()).isEqualTo(ExitCode.USAGE);
        assertThat(unknown.err().lines())
                .singleElement()
                .asString()
                .startsWith("millrace: Invalid value for option '--format'")
                .endsWith("(see 'millrace run --help')");
        assertThat(Command.millrace("generate", "net.onnx").err().lines())
                .containsExactly("millrace: Missing required parameter: 'PROMPT' (see 'millrace generate --help')");
        assertThat(Command.millrace("run", "net.onnx", "--shap").err())
                .startsWith("millrace: Unknown option: '--shap'")
                .contains("--shape");
        assertThat(Command.millrace().err())
                .startsWith("millrace: Missing command")
                .contains("Commands:");
    }

    @Test
    void helpIsEverywhere() {
        assertThat(millrace("--help")).isZero();
        for (String command : List.of("run", "inspect", "models", "conformance", "demo")) {
            assertThat(out.toString()).contains(command);
            assertThat(millrace(command, "--help")).isZero();
        }
    }

    @Test
    void aCommandLineThatMakesNoSenseEndsWithTwo() {
        assertThat(millrace()).isEqualTo(ExitCode.USAGE);
        assertThat(millrace("run")).isEqualTo(ExitCode.USAGE);
        assertThat(millrace("fly")).isEqualTo(ExitCode.USAGE);
    }

    @Test
    void whatTheEngineRefusesIsOneLineAndThree() {
        assertThat(millrace("run", folder.resolve("none.onnx").toString())).isEqualTo(ExitCode.REFUSED);
        assertThat(err.toString().lines()).hasSize(1);
        assertThat(err.toString()).contains("NO_SUCH_FILE").contains("none.onnx");
        assertThat(millrace("run", model, "--shape", "z=1")).isEqualTo(ExitCode.REFUSED);
        assertThat(millrace("run", model, "--provider", "npu")).isEqualTo(ExitCode.REFUSED);
        assertThat(err.toString()).contains("'z'").contains("'npu'");
    }

    private void refused(String message, String... arguments) {
        err.getBuffer().setLength(0);
        assertThat(millrace(arguments)).isEqualTo(ExitCode.REFUSED);
        assertThat(err.toString()).contains(message);
        assertThat(err.toString().lines()).hasSize(1);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aFullDiskIsNoticedWhereverSomethingIsWritten() throws IOException {
        String full = "/dev/full";
        refused("No space left", "run", model, "--format", "json", "-o", full);
        refused("No space left", "run", model, "--trace", full);
        refused("No space left", "inspect", model, "--html", full);
        Path good = writeCase("good", 1);
        refused("No space left", "conformance", good.toString(), "--csv", full);
        for (String[] printing : new String[][] {
            {"run", model},
            {"run", model, "--format", "json"},
            {"inspect", model},
            {"models"},
            {"--help"},
            {"run", "--help"},
            {"help", "inspect"},
            {"--version"},
            {"conformance", "" + good}
        }) {
            err.getBuffer().setLength(0);
            try (var printed = new PrintWriter(new FileWriter(full))) {
                assertThat(millrace(printed, printing)).isEqualTo(ExitCode.REFUSED);
            }
            assertThat(err.toString()).contains("cannot write to the standard output");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void aReaderThatGoesAwayIsNoFailure() throws Exception {
        Process process = new OwnJvm(Main.class, "models").builder().start();
        process.getInputStream().close();
        String said = new String(process.getErrorStream().readAllBytes());
        assertThat(process.waitFor()).isEqualTo(ExitCode.READER_GONE);
        assertThat(said.lines().filter(line -> line.startsWith("millrace"))).isEmpty();
    }

    @Test
    void whatIsTooLargeIsRefusedInOneLine() throws IOException {
        refused("input 'x': there is no memory for", "run", model, "--shape", "x=99999999999,3");
        refused("too many elements", "run", model, "--shape", "x=9999999999999999,9999999999");
        for (String shape : List.of("(99999999999, 3)", "(3000000000000000000, 1, 3)")) {
            refused("too few for", "run", model, "-i", "x=" + npy(shape));
        }
        refused("too many elements", "run", model, "-i", "x=" + npy("(4611686018427387904, 3)"));
        refused("makes no sense", "run", model, "-i", "x=" + npy("(1, three)"));
        refused("negative extent", "run", model, "-i", "x=" + npy("(-1, 3)"));
    }

    private Path npy(String shape) throws IOException {
        String header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
        var file = new ByteArrayOutputStream();
        file.writeBytes(new byte[] {(byte) 0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, (byte) header.length(), 0});
        file.writeBytes(header.getBytes(StandardCharsets.US_ASCII));
        file.writeBytes(new byte[12]);
        return Files.write(folder.resolve("input.npy"), file.toByteArray());
    }

    @Test
    void aFileThatCannotBeUsedIsToldWithTheReason() throws IOException {
        String missing = folder.resolve("none").resolve("y.json").toString();
        refused("there is no file or folder " + missing, "run", model, "--format", "json", "-o", missing);
        String file = Files.createFile(folder.resolve("file")).toString();
        refused("a file already where a folder belongs: " + file, "run", model, "--format", "npy", "-o", file);
    }

    @Test
    void theModelIsNotWrittenOver() throws IOException {
        byte[] before = Files.readAllBytes(Path.of(model));
        String link = Files.createSymbolicLink(folder.resolve("y.npy"), Path.of(model))
                .toString();
        refused("is the model itself", "run", model, "--format", "json", "-o", model);
        refused("is the model itself", "run", model, "--format", "npy", "-o", folder.toString());
        refused("is the model itself", "run", model, "--trace", link);
        refused("is the model itself", "inspect", model, "--html", link);
        assertThat(Files.readAllBytes(Path.of(model))).isEqualTo(before);
    }

    @Test
    void namesOfAModelDoNotReachTheTerminalAsCommands() throws IOException {
        String evil = "\u001b[2J\u009b1m\u202e";
        var editor = new GraphEditor(Graph.named("evil"));
        Value x = editor.addInput("x" + evil, ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.of(1))));
        editor.addOutput(
                "y" + evil,
                editor.append(NodeSpec.of(OpId.onnx("Relu"), 21, x), List.of("y" + evil))
                        .requireOutput(0));
        var written = new Model(
                new Model.Header(10, "test" + evil, evil, "", 1, ""),
                Map.of(OpId.ONNX, 21),
                Map.of(),
                Map.of(),
                editor.graph(),
                null);
        String file = folder.resolve("evil.onnx").toString();
        Models.write(written, Path.of(file), WriteOptions.inline());
        assertThat(millrace("inspect", file)).isZero();
        assertThat(millrace("run", file)).isZero();
        assertThat(millrace("run", file, "--profile")).isZero();
        assertThat(millrace("run", file, "--format", "json")).isZero();
        assertThat(millrace("run", file, "--shape", "z=1")).isEqualTo(ExitCode.REFUSED);
        assertThat(out.toString() + err)
                .doesNotContain("\u001b", "\u009b", "\u202e")
                .contains("\\u001b[2J\\u009b1m");
    }

    @Test
    void inputsComeFromFilesAndOutputsGoToFiles() throws IOException {
        Path input = folder.resolve("x.npy");
        Npy.write(input, Tensor.copyOf(new float[] {1, 2, 3, 4, 5, 6}, 2, 3));
        assertThat(millrace("run", model, "-i", "x=" + input, "--format", "npy", "-o", folder.toString()))
                .isZero();
        assertThat(Npy.read(folder.resolve("y.npy")).floats()).containsExactly(2, 3, 4, 5, 6, 7);
        assertThat(millrace("run", model, "-i", "x=" + input, "--format", "json"))
                .isZero();
        assertThat(out.toString()).contains("{\"y\":{\"type\":\"float\",\"shape\":[2,3],\"data\":[2.0,3.0,4.0");
    }

    @Test
    void madeUpInputsFollowTheSeedAndTheShape() {
        assertThat(millrace("run", model, "--random", "5", "--shape", "x=2,3")).isZero();
        String first = out.toString();
        assertThat(first).contains("y: float[2, 3]");
        out.getBuffer().setLength(0);
        assertThat(millrace("run", model, "--random", "5", "--shape", "x=2,3")).isZero();
        assertThat(out).hasToString(first);
        out.getBuffer().setLength(0);
        assertThat(millrace("run", model, "--random", "6", "--shape", "x=2,3")).isZero();
        assertThat(out.toString()).isNotEqualTo(first);
    }

    @Test
    void inspectShowsTheModelAndDrawsIt() throws IOException {
        Path page = folder.resolve("graph.html");
        assertThat(millrace("inspect", model, "--html", page.toString())).isZero();
        assertThat(out.toString())
                .contains("opset ai.onnx 21")
                .contains("input  x: float[n,3]")
                .contains("Partitions")
                .contains("Memory");
        assertThat(Files.readString(page)).contains("<svg").contains("Add");
    }

    @Test
    void aTraceIsWritten() throws IOException {
        Path trace = folder.resolve("trace.json");
        assertThat(millrace("run", model, "--trace", trace.toString())).isZero();
        assertThat(Files.readString(trace)).contains("\"op_name\"");
    }

    @Test
    void modelsAreListedAndUnknownOnesRefused() {
        assertThat(millrace("models")).isZero();
        assertThat(out.toString()).contains("minilm").contains("silero-vad");
        assertThat(millrace("models", "nonesuch")).isEqualTo(ExitCode.REFUSED);
        assertThat(err.toString()).contains("nonesuch").contains("minilm");
    }

    @Test
    void conformanceCountsAndWritesALinePerCase() throws IOException {
        Path good = writeCase("good", 1);
        writeCase("bad", 2);
        Path csv = folder.resolve("result.csv");
        assertThat(millrace("conformance", folder.resolve("suite").toString(), "--csv", csv.toString()))
                .isEqualTo(ExitCode.NO);
        assertThat(out.toString()).endsWith("1 passed, 1 failed, 0 skipped" + System.lineSeparator());
        assertThat(Files.readAllLines(csv)).hasSize(3).contains("suite,good,all,y,passed,");
        assertThat(millrace("conformance", good.toString(), "--no-optimize")).isZero();
    }

    private Path writeCase(String name, float added) throws IOException {
        Path test = Files.createDirectories(folder.resolve("suite").resolve(name));
        Files.copy(Path.of(model), test.resolve("model.onnx"));
        Path data = Files.createDirectory(test.resolve("test_data_set_0"));
        float[] y = {added, added, added};
        Files.write(data.resolve("input_0.pb"), Tensors.toBytes("x", Tensor.copyOf(new float[3], 1, 3)));
        Files.write(data.resolve("output_0.pb"), Tensors.toBytes("y", Tensor.copyOf(y, 1, 3)));
        return test;
    }
}
