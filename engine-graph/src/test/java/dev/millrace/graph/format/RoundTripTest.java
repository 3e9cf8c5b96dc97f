package dev.millrace.graph.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.tensor.Datum;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RoundTripTest {
    @Test
    void everyModelOfOnnxSurvivesBeingWrittenInline() {
        for (Path file : OnnxData.models()) {
            Model model = Models.read(file);
            assertThat(ModelText.of(Models.read(Models.toBytes(model), null)))
                    .as(file.toString())
                    .isEqualTo(ModelText.of(model));
        }
    }

    @Test
    void everyModelOfOnnxSurvivesBeingWrittenWithExternalData(@TempDir Path folder) throws IOException {
        int external = 0;
        Path written = folder.resolve("model.onnx");
        for (Path file : OnnxData.models()) {
            Model model = Models.read(file);
            Models.write(model, written, WriteOptions.externalData("model.onnx.data", 1));
            assertThat(ModelText.of(Models.read(written))).as(file.toString()).isEqualTo(ModelText.of(model));
            external += Files.deleteIfExists(folder.resolve("model.onnx.data")) ? 1 : 0;
        }
        assertThat(external).isGreaterThan(40);
    }

    @Test
    void everyValueOfOnnxTestsSurvivesBeingWritten() throws IOException {
        int values = 0;
        for (Path file : OnnxData.models()) {
            Model model = Models.read(file);
            Path data = Objects.requireNonNull(file.getParent()).resolve("test_data_set_0");
            values += survive(data, "input", model.graph().inputs());
            values += survive(data, "output", model.graph().outputs());
        }
        assertThat(values).isGreaterThan(4000);
    }

    private static int survive(Path data, String kind, List<Value> declared) throws IOException {
        int values = 0;
        for (int i = 0; i < declared.size(); i++) {
            Path file = data.resolve(kind + "_" + i + ".pb");
            if (Files.exists(file)) {
                ValueType type = Objects.requireNonNull(declared.get(i).described());
                Datum datum = Tensors.readDatum(file, type);
                byte[] written = Tensors.toBytes("x", datum);
                assertThat(DatumText.of(Tensors.readDatum(MemorySegment.ofArray(written), type)))
                        .as(file.toString())
                        .isEqualTo(DatumText.of(datum));
                values++;
            }
        }
        return values;
    }
}
