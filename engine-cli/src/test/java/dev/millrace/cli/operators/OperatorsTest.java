package dev.millrace.cli.operators;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.ExitCode;
import dev.millrace.cli.RootCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class OperatorsTest {
    private static final Path PAGE = Path.of("../docs/guide/operators.md");

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int operators(String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "operators";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        CommandLine line = RootCommand.line();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(all);
    }

    private String line(String operator) {
        return out.toString()
                .lines()
                .filter(line -> line.startsWith(operator + " "))
                .findFirst()
                .orElse("");
    }

    @Test
    void thePageIsWhatTheCommandPrints() throws IOException {
        assertThat(operators("--markdown")).isEqualTo(ExitCode.OK);
        assertThat(Files.readString(PAGE))
                .as("docs/guide/operators.md; make it again with ./millrace operators --markdown >"
                        + " docs/guide/operators.md")
                .isEqualToNormalizingNewlines(out.toString());
    }

    @Test
    void anOperatorHasItsVersionsAndWhoTakesThem() {
        operators();
        assertThat(line("Relu").split("\\s+")).containsExactly("Relu", "1", "6", "13", "14", "cpu", "simd");
        assertThat(line("com.microsoft.FusedGemm")).endsWith(" composed");
        assertThat(line("If")).contains("cpu");
        assertThat(line("ai.onnx.preview.training.Gradient")).endsWith(" composed");
        assertThat(line("com.microsoft.EPContext")).endsWith(" 1");
    }

    @Test
    void onlyWhatAProviderTakes() {
        operators("--provider", "simd");
        assertThat(line("Relu")).isNotEmpty();
        assertThat(line("StringSplit")).isEmpty();
        assertThat(operators("--provider", "nobody")).isEqualTo(ExitCode.REFUSED);
        assertThat(err.toString()).contains("there is no provider 'nobody'");
    }

    @Test
    void anObjectForEachOperator() {
        operators("--json");
        assertThat(out.toString().lines())
                .anyMatch(line -> line.startsWith("{\"domain\":\"ai.onnx\",\"operator\":\"And\",\"versions\":[1,7],"
                        + "\"types\":[\"bool\"],\"providers\":{\"cpu\":{\"versions\":[1,7],\"types\":[\"bool\"]}"));
    }

    @Test
    void thePlacesOfAnOperatorAreItsPhases() {
        assertThat(operators("--where", "Softmax")).isEqualTo(ExitCode.OK);
        assertThat(out.toString())
                .containsPattern("description +engine-graph/.*/ai\\.onnx\\.txt:\\d+")
                .containsPattern("inference +engine-graph/.*/InferenceRules\\.java:\\d+")
                .containsPattern("passes +engine-graph/.*/AttentionPass\\.java:\\d+")
                .containsPattern("cpu +engine-providers/cpu/.*/ReduceKernels\\.java:\\d+")
                .containsPattern("simd +engine-providers/simd/.*/SoftmaxRules\\.java:\\d+")
                .containsPattern("kernels +engine-kernels/.*/Softmax\\.java:1")
                .doesNotContain("lowering");
    }

    @Test
    void aContributedOperatorIsFoundWithItsDomain() {
        assertThat(operators("--where", "com.microsoft.QLinearConcat")).isEqualTo(ExitCode.OK);
        assertThat(out.toString()).containsPattern("lowering +engine-graph/.*/QuantisedLowerings\\.java:\\d+");
    }

    @Test
    void anUnknownOperatorHasNoPlaces() {
        assertThat(operators("--where", "Sofmax")).isNotEqualTo(ExitCode.OK);
        assertThat(err.toString()).contains("there is no operator 'Sofmax'");
    }
}
