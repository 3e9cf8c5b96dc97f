package dev.millrace.graph.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.ir.Model;
import dev.millrace.graph.proto.ModelProto;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("shared")
class OnnxModelsTest {
    @Test
    void everyModelOfOnnxReadsAsProtobufParsesIt() throws IOException {
        List<Path> files = OnnxData.models();
        for (Path file : files) {
            try {
                ProtoComparison.assertSame(Models.read(file), ModelProto.parseFrom(Files.readAllBytes(file)));
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError(file + ": " + e.getMessage(), e);
            }
        }
        assertThat(files).hasSizeGreaterThan(1500);
    }

    @Test
    void arraysAndBuffersReadLikeTheFile() throws IOException {
        Path file = OnnxData.model("node", "test_abs");
        ModelProto proto = ModelProto.parseFrom(Files.readAllBytes(file));
        byte[] bytes = Files.readAllBytes(file);
        for (Model model : List.of(
                Models.read(bytes, null),
                Models.read(ByteBuffer.wrap(bytes).asReadOnlyBuffer(), null),
                Models.read(ByteBuffer.allocateDirect(bytes.length).put(bytes).flip(), null))) {
            ProtoComparison.assertSame(model, proto);
        }
    }
}
