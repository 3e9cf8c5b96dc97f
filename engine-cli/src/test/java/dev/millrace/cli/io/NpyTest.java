package dev.millrace.cli.io;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NpyTest {
    @TempDir
    private Path folder = Path.of("");

    @ParameterizedTest
    @EnumSource(
            value = ElementType.class,
            names = {
                "FLOAT", "DOUBLE", "FLOAT16", "INT8", "UINT8", "INT16", "UINT16", "INT32", "UINT32", "INT64", "BOOL"
            })
    void whatIsWrittenIsRead(ElementType type) throws IOException {
        for (Shape shape : new Shape[] {Shape.SCALAR, Shape.of(3), Shape.of(2, 0), Shape.of(2, 3, 4)}) {
            Tensor tensor = Tensor.allocate(type, shape);
            tensor.segment().fill((byte) 1);
            Path file = folder.resolve("t.npy");
            Npy.write(file, tensor);
            Tensor read = Npy.read(file);
            assertThat(read.type()).isEqualTo(type);
            assertThat(read.shape()).isEqualTo(shape);
            assertThat(read.segment().mismatch(tensor.segment())).isEqualTo(-1);
        }
    }

    @Test
    void filesThatAreCutOffOrInFortranOrderAreRefused() throws IOException {
        Path file = folder.resolve("t.npy");
        Npy.write(file, Tensor.copyOf(new float[100], 100));
        byte[] bytes = Files.readAllBytes(file);
        for (int length : new int[] {0, 5, 9, 40, bytes.length - 1}) {
            Files.write(file, Arrays.copyOf(bytes, length));
            assertThatThrownBy(() -> Npy.read(file)).hasMessageContaining("t.npy");
        }
        String text = new String(bytes, StandardCharsets.ISO_8859_1).replace("False", "True ");
        Files.write(file, text.getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> Npy.read(file)).hasMessageContaining("Fortran");
    }
}
