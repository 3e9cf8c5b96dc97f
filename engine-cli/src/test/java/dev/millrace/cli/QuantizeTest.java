package dev.millrace.cli;

import static dev.millrace.cli.Command.millrace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.io.Npy;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Dim;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.ir.SymbolicShape;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuantizeTest {
    private static final ValueType ROWS =
            ValueType.tensor(ElementType.FLOAT, SymbolicShape.of(Dim.symbol("rows"), Dim.of(64)));

    private final Path folder;
    private final Path source;
    private final Path target;

    QuantizeTest(@TempDir Path folder) {
        this.folder = folder;
        this.source = folder.resolve("source.onnx");
        this.target = folder.resolve("target.onnx");
    }

    @BeforeEach
    void writeSource() {
        write(source, "MatMul");
    }

    private static void write(Path file, String operator) {
        Command.model(file, editor -> {
            Value x = editor.addInput("x", ROWS);
            Value y = node(editor, operator, "first", x, editor.addConstant("w1", weight(1)));
            editor.addOutput("logits", node(editor, operator, "second", y, editor.addConstant("w2", weight(2))));
        });
    }

    private static Value node(GraphEditor editor, String operator, String name, Value... operands) {
        return editor.append(NodeSpec.of(OpId.onnx(operator), 21, operands).named(name), List.of(name + "_out"))
                .requireOutput(0);
    }

    private static Tensor weight(long seed) {
        var random = new Random(seed);
        float[] numbers = new float[64 * 64];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) random.nextGaussian();
        }
        return Tensor.copyOf(numbers, 64, 64);
    }

    private List<String> operators() {
        var operators = new ArrayList<String>();
        Models.read(target)
                .graph()
                .nodes()
                .forEach(node -> operators.add(node.op().name()));
        return operators;
    }

    @Test
    void theReportNamesWeightsAndTotals() {
        Command made = millrace("quantize", source, "-o", target, "--exclude", "second");
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(made.out())
                .containsPattern("\\d\\.\\d{3}%    4   16.0 KiB    2.5 KiB  MatMulNBits          w1 \\[64,? ?64]")
                .contains("kept: 1 of 16.0 KiB: it is not selected by name")
                .contains("1 weights quantised, 1 kept; constants 32.0 KiB -> 18.5 KiB")
                .contains("target.onnx, ")
                .doesNotContain("arg-max");
        assertThat(operators()).containsExactly("MatMulNBits", "MatMul");
    }

    @Test
    void theModelsAreComparedOnSamples() throws IOException {
        Path sample = Files.createDirectories(folder.resolve("sample"));
        Npy.write(sample.resolve("x.npy"), weight(3));
        Path numbered = Files.createDirectories(folder.resolve("numbered"));
        Files.copy(sample.resolve("x.npy"), numbered.resolve("input_0.npy"));
        Command made = millrace(
                "quantize",
                source,
                "-o",
                target,
                "--bits",
                "8",
                "--compare",
                "2",
                "--shape",
                "x=5,64",
                "--samples",
                sample,
                numbered);
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(made.out()).contains("output (4 samples)").containsPattern("0\\.\\d{3}% .* 1?\\d\\d/138  logits");
        Command given = millrace("quantize", source, "-o", target, "--force", "-i", "x=" + sample.resolve("x.npy"));
        assertThat(given.out()).contains("output (1 samples)").contains("/64  logits");
    }

    @Test
    void jsonHoldsTheWholeReport() {
        Command made = millrace(
                "quantize", source, "-o", target, "--method", "dynamic", "--include", "w1", "--compare", "1", "--json");
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(made.out().strip())
                .startsWith("{\"output\":\"")
                .contains("\"bytes_before\":32768,\"bytes_after\":20736,")
                .contains("\"weights\":[{\"name\":\"w1\",\"operator\":\"MatMulInteger\",\"shape\":[64,64],")
                .contains("\"kept\":[{\"name\":\"w2\",\"shape\":[64,64],\"type\":\"float\",\"bytes\":16384,")
                .contains("\"samples\":1,\"outputs\":[{\"name\":\"logits\",\"max_abs\":")
                .contains("\"equal_arg_max\":")
                .endsWith("}");
        assertThat(operators()).contains("DynamicQuantizeLinear", "MatMulInteger", "MatMul");
    }

    @Test
    void allOptionsReachTheQuantiser() {
        Command made = millrace(
                "quantize",
                source,
                "-o",
                target,
                "--bits",
                "8",
                "--block",
                "16",
                "--asymmetric",
                "--accuracy-level",
                "4",
                "--no-search",
                "--embedding",
                "--fp16-scales",
                "--min-elements",
                "64",
                "--external-data",
                "always",
                "--threads",
                "1");
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(Models.read(target).metadata())
                .containsEntry(
                        "millrace.quantization",
                        "method=blocks bits=8 block_size=16 symmetric=false scale_search=false accuracy_level=4"
                                + " embedding=true fp16_scales=true");
        assertThat(folder.resolve("target.onnx.data")).isRegularFile();
    }

    @Test
    void existingFilesAreReplacedByForceOnly() throws IOException {
        Files.writeString(target, "mine");
        Command refused = millrace("quantize", source, "-o", target);
        assertThat(refused.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(refused.err()).contains("target.onnx exists; --force replaces it");
        assertThat(target).hasContent("mine");
        assertThat(millrace("quantize", source, "-o", target, "--force").code()).isZero();
        Command same = millrace("quantize", source, "-o", source, "--force");
        assertThat(same.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(same.err()).contains("is the model itself");
    }

    @Test
    void aModelWithNothingToQuantiseIsWrittenByForceOnly() {
        write(source, "Add");
        Command refused = millrace("quantize", source, "-o", target);
        assertThat(refused.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(refused.err()).contains("no weight can be quantised: of weights, Add reads it (2×)");
        assertThat(target).doesNotExist();
        Command forced = millrace("quantize", source, "-o", target, "--force");
        assertThat(forced.code()).isZero();
        assertThat(forced.out()).contains("0 weights quantised, 2 kept");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--bits=3", "--block=48", "--accuracy-level=5", "--exclude=none", "--samples=."})
    void optionsThatFitNothingAreRefused(String option) {
        Command refused = millrace("quantize", source, "-o", target, option);
        assertThat(refused.code()).as(refused.err()).isEqualTo(ExitCode.REFUSED);
        assertThat(refused.err()).startsWith("millrace: INVALID_ARGUMENT: ");
        assertThat(target).doesNotExist();
    }

    @Test
    void senselessCommandLinesAreUsageErrors() {
        assertThat(millrace("quantize", source).code()).isEqualTo(ExitCode.USAGE);
        assertThat(millrace("quantize", source, "-o", target, "--symmetric", "--asymmetric")
                        .code())
                .isEqualTo(ExitCode.USAGE);
        assertThat(millrace("quantize", source, "-o", target, "--compare", "-1").code())
                .isEqualTo(ExitCode.USAGE);
    }

    @Test
    void textIsNoModel() throws IOException {
        Files.writeString(source, "ir_version: 8\ngraph {\n  name: \"text\"\n}\n");
        Command refused = millrace("quantize", source, "-o", target);
        assertThat(refused.code()).isEqualTo(ExitCode.REFUSED);
        assertThat(refused.err()).startsWith("millrace: INVALID_PROTOBUF: ");
        assertThat(target).doesNotExist();
    }
}
