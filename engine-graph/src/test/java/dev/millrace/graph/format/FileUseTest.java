package dev.millrace.graph.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.memory.MappingGuard;
import java.io.IOException;
import java.lang.foreign.ValueLayout;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FileUseTest {
    private static final int COUNT = 5_000;

    @TempDir
    Path folder;

    private static float[] numbers() {
        float[] numbers = new float[COUNT];
        for (int i = 0; i < COUNT; i++) {
            numbers[i] = i;
        }
        return numbers;
    }

    private static Model model() {
        var editor = new GraphEditor(Graph.named("g"));
        editor.addOutput("one", editor.addConstant("one", Tensor.copyOf(numbers(), COUNT)));
        editor.addOutput("other", editor.addConstant("other", Tensor.copyOf(numbers(), 2, COUNT / 2)));
        return new Model(
                new Model.Header(10, "test", "1", "", 1, ""), Map.of("", 21), Map.of(), Map.of(), editor.graph(), null);
    }

    private static void empty(Path file) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
            channel.truncate(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWasReadStaysWhenItsFilesAreCutShort(boolean external) throws IOException {
        Path file = folder.resolve("model.onnx");
        Models.write(model(), file, external ? WriteOptions.externalData("model.data", 0) : WriteOptions.inline());
        Graph graph = Models.read(file, FileUse.READ).graph();
        try (var files = Files.list(folder)) {
            for (Path each : files.toList()) {
                empty(each);
            }
        }
        assertThat(graph.outputs())
                .allSatisfy(output -> assertThat(
                                Objects.requireNonNull(output.constant()).floats())
                        .containsExactly(numbers()));
    }

    @Test
    void aWholeFileIsReadByAnInterruptedThreadThatStaysInterrupted() throws IOException {
        Path file = Files.write(folder.resolve("some.bin"), new byte[] {1, 2, 3});
        Thread.currentThread().interrupt();
        assertThat(FileMapping.read(file).toArray(ValueLayout.JAVA_BYTE)).containsExactly(1, 2, 3);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void contextBinariesAreMappedWhereFilesOfThatSizeAreRead() {
        long size = 1 << 20;
        assertThat(FileUse.BY_SIZE.reads(size)).isTrue();
        assertThat(FileUse.BY_SIZE.readsBinary(size)).isEqualTo(!MappingGuard.isPossible());
        assertThat(FileUse.BY_SIZE.readsBinary(1 << 10)).isTrue();
        assertThat(FileUse.READ.readsBinary(size)).isTrue();
        assertThat(FileUse.MAP.readsBinary(1 << 10)).isFalse();
    }
}
