package dev.millrace.epcontext;

import static dev.millrace.epcontext.Fixtures.chain;
import static dev.millrace.epcontext.Fixtures.contexts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.ir.Model;
import dev.millrace.providers.partition.Partitioning;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which files are written, and which are left alone. */
class ContextModelFilesTest extends WrittenModels {
    @Test
    void anInterruptedThreadWritesThemAndStaysInterrupted() throws IOException {
        for (int mode = 0; mode <= 1; mode++) {
            Model source = source(chain("Relu", "Abs"));
            Thread.currentThread().interrupt();
            try {
                compile(source, enabled().embedMode(mode).build(), FAST);
            } finally {
                assertThat(Thread.interrupted()).isTrue();
            }
            assertThat(files()).contains("net_ctx.onnx");
            Files.delete(folder.resolve("net_ctx.onnx"));
        }
    }

    @Test
    void aFailureLeavesNothingBehind() throws IOException {
        Model source = source(chain("Relu"));
        Partitioning parts = share(source, FAST);
        var writer = new ContextBinaryWriter("fast");
        try (Arena arena = Arena.ofConfined()) {
            writer.graph(
                    parts.fused().getFirst().partition(), new byte[0], new int[] {writer.segment(arena.allocate(64))});
        }

        assertThatThrownBy(() -> write(
                        new CompiledModel(source, parts, Map.of("fast", writer), Map.of()),
                        enabled().build()))
                .isInstanceOf(IllegalStateException.class);
        assertThat(files()).containsExactly("net.onnx");
    }

    @Test
    void anExistingContextModelStaysUntouched() throws IOException {
        compile(source(chain("Relu")), enabled().build(), FAST);
        Path model = folder.resolve("net_ctx.onnx");
        Path binary = folder.resolve("net_fast.bin");
        byte[] modelBefore = Files.readAllBytes(model);
        var binaryTime = Files.getLastModifiedTime(binary);
        Model again = Models.read(folder.resolve("net.onnx"));
        Partitioning parts = share(again, FAST);

        assertThatThrownBy(() -> write(
                        new CompiledModel(again, parts, FakeProvider.keepAll(parts), Map.of()),
                        enabled().build()))
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.FAIL))
                .hasMessageContaining("exists already");
        assertThat(Files.readAllBytes(model)).isEqualTo(modelBefore);
        assertThat(Files.getLastModifiedTime(binary)).isEqualTo(binaryTime);
    }

    @Test
    void aBinaryLeftFromBeforeIsReplacedButNoOtherFile() throws IOException {
        compile(source(chain("Relu")), enabled().build(), FAST);
        Files.delete(folder.resolve("net_ctx.onnx"));
        Model again = compile(source(chain("Relu", "Abs", "Relu")), enabled().build(), FAST);
        assertThat(contexts(again.graph())).hasSize(2);
        assertThat(ContextBinary.map(folder.resolve("net_fast.bin")).graphCount())
                .isEqualTo(2);

        Files.delete(folder.resolve("net_ctx.onnx"));
        Files.writeString(folder.resolve("net_fast.bin"), "the only copy of something");
        assertThatThrownBy(() -> compile(source(chain("Relu")), enabled().build(), FAST))
                .hasMessageContaining("net_fast.bin")
                .hasMessageContaining("exists already");
        assertThat(folder.resolve("net_fast.bin")).hasContent("the only copy of something");
        assertThat(folder.resolve("net_ctx.onnx")).doesNotExist();
    }
}
