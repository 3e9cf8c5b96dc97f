package dev.millrace.graph.format;

import static dev.millrace.graph.format.Protos.attribute;
import static dev.millrace.graph.format.Protos.bytes;
import static dev.millrace.graph.format.Protos.external;
import static dev.millrace.graph.format.Protos.graph;
import static dev.millrace.graph.format.Protos.model;
import static dev.millrace.graph.format.Protos.node;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.SparseTensorProto;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of the locations of external data that are read from a model whose data is not there yet. */
class ExternalLocationsTest {
    @TempDir
    private Path folder = Path.of("");

    private Path file(GraphProto.Builder graph) throws IOException {
        return Files.write(folder.resolve("model.onnx"), model(graph).build().toByteArray());
    }

    @Test
    void locationsOfInitializersAttributesAndInnerGraphsAreFoundOnce() throws IOException {
        var inner = graph(List.of(), List.of("z")).addInitializer(external("i", 4, "inner.bin"));
        var constant = AttributeProto.newBuilder()
                .setName("value")
                .setType(AttributeProto.AttributeType.TENSOR)
                .setT(external("c", 4, "sub/constant.bin"));
        var sparse = SparseTensorProto.newBuilder()
                .setValues(external("s", 4, "sparse.bin"))
                .addDims(4);
        var graph = graph(
                        List.of("x"),
                        List.of("y"),
                        node("If", List.of("x"), List.of("y")).addAttribute(attribute("then_branch", inner)),
                        node("Constant", List.of(), List.of("c")).addAttribute(constant))
                .addInitializer(external("a", 4, "weights.bin"))
                .addInitializer(external("b", 4, "weights.bin", "offset", "4"))
                .addInitializer(bytes("inline", 1, 2, 3))
                .addSparseInitializer(sparse);

        assertThat(Models.externalLocations(file(graph)))
                .containsExactlyInAnyOrder("weights.bin", "inner.bin", "sub/constant.bin", "sparse.bin");
    }

    @Test
    void graphsMayNestAsDeepAsTheFileHolds() throws IOException {
        byte[] nested = graph(List.of(), List.of("z"))
                .addInitializer(external("i", 4, "deep.bin"))
                .build()
                .toByteArray();
        for (int depth = 0; depth < 3_000; depth++) {
            nested = field(GraphProto.NODE_FIELD_NUMBER, field(5, field(AttributeProto.G_FIELD_NUMBER, nested)));
        }
        Path file = Files.write(folder.resolve("deep.onnx"), field(7, nested));

        assertThat(Models.externalLocations(file)).containsExactly("deep.bin");
    }

    private static byte[] field(int number, byte[] content) {
        var out = new ByteArrayOutputStream();
        out.write(number << 3 | 2);
        for (int rest = content.length; ; rest >>>= 7) {
            if (rest < 128) {
                out.write(rest);
                break;
            }
            out.write(rest & 127 | 128);
        }
        out.writeBytes(content);
        return out.toByteArray();
    }

    @Test
    void locationsOutsideOfTheFolderAndOtherFilesAreRefused() throws IOException {
        Path climbing = file(graph(List.of(), List.of("y")).addInitializer(external("w", 2, "../secret")));
        assertThatThrownBy(() -> Models.externalLocations(climbing))
                .isInstanceOf(EngineException.class)
                .hasMessageContaining("escapes model directory");

        Path page = Files.writeString(folder.resolve("page.onnx"), "<html>not found</html>");
        assertThatThrownBy(() -> Models.externalLocations(page))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.INVALID_PROTOBUF));
        assertThatThrownBy(() -> Models.externalLocations(folder.resolve("none.onnx")))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NO_SUCH_FILE));
    }
}
