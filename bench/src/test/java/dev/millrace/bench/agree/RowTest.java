package dev.millrace.bench.agree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RowTest {
    @TempDir
    private Path folder;

    private static Row differing(String file) {
        return new Row(file, Verdict.DIFFER, "a, \"b\"\nc", 0.25);
    }

    @Test
    void aRowIsALineOfCommaSeparatedValues() {
        assertThat(Row.csvHeading()).isEqualTo("file,verdict,reason,worst");
        assertThat(differing("x,y.onnx").toCsv()).isEqualTo("\"x,y.onnx\",differ,\"a, \"\"b\"\" c\",0.250");
        assertThat(new Row("x.onnx", Verdict.ONLY_THERE, "", null).toCsv()).isEqualTo("x.onnx,only there,,");
    }

    @Test
    void aRowIsAnObject() {
        assertThat(differing("x.onnx").toJson("why"))
                .isEqualTo("{\"file\":\"x.onnx\",\"verdict\":\"differ\",\"reason\":\"a, \\\"b\\\" c\","
                        + "\"worst\":0.25,\"known\":\"why\"}");
        assertThat(new Row("x.onnx", Verdict.AGREE, "", Double.POSITIVE_INFINITY).toJson(null))
                .contains("\"worst\":\"Infinity\"");
    }

    @Test
    void aRowComesOutOfAnotherProcessAsItWentIn() {
        for (Verdict verdict : Verdict.values()) {
            for (Double worst : new Double[] {null, 0.0, 1e-9, Double.POSITIVE_INFINITY}) {
                var row = new Row("x.onnx", verdict, "why\tnot", worst);
                assertThat(Row.ofLine("x.onnx", row.toLine())).isEqualTo(row);
            }
        }
    }

    @Test
    void whatIsKnownIsFoundByTheEndOfThePath() throws IOException {
        Path file = folder.resolve("known.txt");
        Files.write(file, List.of("# comment", "", "ops/test_.*\\.onnx  not told by ONNX"));
        Known known = Known.read(file);
        assertThat(known.reason(differing("/some/ops/test_1.onnx"))).isEqualTo("not told by ONNX");
        assertThat(known.reason(differing("ops/test_1.onnx"))).isEqualTo("not told by ONNX");
        assertThat(known.reason(differing("/some/props/test_1.onnx"))).isNull();
        assertThat(known.reason(new Row("ops/test_1.onnx", Verdict.AGREE, "", null)))
                .isNull();
    }

    @Test
    void aKnownDifferenceHasAReason() throws IOException {
        Path file = folder.resolve("known.txt");
        Files.writeString(file, "model.onnx\n");
        assertThatThrownBy(() -> Known.read(file))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("without a reason");
    }

    @Test
    void tolerancesAreSaidByType() {
        Tolerances tolerances = Tolerances.of(List.of("float=0.5", "int64=2"));
        assertThat(tolerances).asString().contains("float 5e-01", "int64 2");
        assertThat(Tolerances.of(tolerances.said()).said()).isEqualTo(tolerances.said());
        for (String wrong : List.of("float", "flaot=1", "float=x", "float=-1", "=1", "float=NaN")) {
            assertThatThrownBy(() -> Tolerances.of(List.of(wrong))).isInstanceOf(EngineException.class);
        }
    }
}
