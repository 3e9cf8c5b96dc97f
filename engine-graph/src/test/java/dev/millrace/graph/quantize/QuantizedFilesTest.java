package dev.millrace.graph.quantize;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.quantize.ModelQuantizer.TensorFile;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QuantizedFilesTest {
    private final ModelQuantizer quantizer = ModelQuantizer.of(QuantizeOptions.defaults());
    private final Path folder;
    private final Path source;
    private final Path target;

    QuantizedFilesTest(@TempDir Path folder) {
        this.folder = folder;
        this.source = folder.resolve("source.onnx");
        this.target = folder.resolve("target.onnx");
    }

    /** Writes a model with a weight that is large enough for the temporary file. */
    @BeforeEach
    void writeSource() {
        var products = new Products(21);
        Value wide = products.editor.addConstant("wide", products.random(64, 4096));
        Model model = products.then("MatMul", "a", products.weight("w"))
                .then("MatMul", "b", wide)
                .model();
        Models.write(model, source, WriteOptions.externalData("source.onnx.data"));
    }

    private List<String> files() throws IOException {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(each -> each.getFileName().toString()).sorted().toList();
        }
    }

    @Test
    void theFileIsWhatTheModelInMemoryIs() throws IOException {
        byte[] before = Files.readAllBytes(source);
        QuantizeReport report = quantizer.quantize(source, target, TensorFile.NEVER, false);
        var inMemory = quantizer.quantize(Models.read(source));
        assertThat(Files.readAllBytes(target)).isEqualTo(Models.toBytes(inMemory.model()));
        assertThat(report).isEqualTo(inMemory.report());
        assertThat(files()).containsExactly("source.onnx", "source.onnx.data", "target.onnx");
        assertThat(Files.readAllBytes(source)).isEqualTo(before);
    }

    @Test
    void externalDataHoldsTheSameTensorsAligned() throws IOException {
        quantizer.quantize(source, target, TensorFile.ALWAYS, false);
        Model expected = quantizer.quantize(Models.read(source)).model();
        Model written = Models.read(target);
        assertThat(files()).containsExactly("source.onnx", "source.onnx.data", "target.onnx", "target.onnx.data");
        for (Value constant : written.graph().constants()) {
            Tensor same = expected.graph().constants().stream()
                    .filter(each -> each.name().equals(constant.name()))
                    .findFirst()
                    .map(Value::constant)
                    .orElseThrow();
            Tensor tensor = Objects.requireNonNull(constant.constant());
            assertThat(tensor.segment().mismatch(same.segment())).isEqualTo(-1);
            if (same.segment().byteSize() >= 1024) {
                assertThat(tensor.segment().address() % 64).isZero();
            }
        }
    }

    @Test
    void filesOfTheSourceAreNotOverwritten() throws IOException {
        byte[] data = Files.readAllBytes(folder.resolve("source.onnx.data"));
        assertThatThrownBy(() -> quantizer.quantize(source, source, TensorFile.AUTO, false))
                .hasMessageContaining("is a file of the model itself");
        Path link = Files.createSymbolicLink(folder.resolve("link.onnx"), source);
        assertThatThrownBy(() -> quantizer.quantize(source, link, TensorFile.AUTO, false))
                .hasMessageContaining("is a file of the model itself");
        Files.delete(link);
        Path other = Files.copy(source, folder.resolve("other.onnx"));
        assertThatThrownBy(() -> quantizer.quantize(other, source, TensorFile.ALWAYS, false))
                .hasMessageContaining("source.onnx.data is a file of the model itself");
        assertThat(files()).containsExactly("other.onnx", "source.onnx", "source.onnx.data");
        assertThat(Files.readAllBytes(folder.resolve("source.onnx.data"))).isEqualTo(data);
    }

    @Test
    void aModelWithNothingToQuantiseIsRefusedWithReasons() throws IOException {
        var products = new Products(21);
        Model model = products.then("Add", "a", products.weight("w")).model();
        Models.write(model, source, WriteOptions.inline());
        assertThatThrownBy(() -> quantizer.quantize(source, target, TensorFile.AUTO, false))
                .hasMessageContaining("no weight can be quantised")
                .hasMessageContaining("Add reads it (1×)");
        assertThat(files()).containsExactly("source.onnx", "source.onnx.data");
        assertThat(quantizer.quantize(source, target, TensorFile.AUTO, true).weights())
                .isEmpty();
        assertThat(Files.readAllBytes(target)).isEqualTo(Files.readAllBytes(source));
    }

    @Test
    void aFailureLeavesNothingBehind() throws IOException {
        Path missing = folder.resolve("none").resolve("target.onnx");
        assertThatThrownBy(() -> quantizer.quantize(source, missing, TensorFile.AUTO, false))
                .hasMessageContaining("cannot be written");
        Path occupied = Files.createDirectory(folder.resolve("occupied.onnx"));
        assertThatThrownBy(() -> quantizer.quantize(source, occupied, TensorFile.ALWAYS, false))
                .hasMessageContaining("occupied.onnx is a folder");
        assertThat(files()).containsExactly("occupied.onnx", "source.onnx", "source.onnx.data");
    }

    @Test
    void smallTensorsOfASpillFileStayInMemory() throws IOException {
        Path file = folder.resolve("spill");
        try (var spill = new SpillFile(file)) {
            Tensor small = spill.allocate(ElementType.UINT8, Shape.of(16));
            assertThat(spill.keep(small)).isSameAs(small);
            Tensor large = spill.allocate(ElementType.UINT8, Shape.of(1 << 17));
            large.segment().fill((byte) 3);
            Tensor kept = spill.keep(large);
            assertThat(large.isClosed()).isTrue();
            assertThat(kept.longs()).hasSize(1 << 17).containsOnly(3);
        }
        assertThat(files()).doesNotContain("spill");
    }
}
