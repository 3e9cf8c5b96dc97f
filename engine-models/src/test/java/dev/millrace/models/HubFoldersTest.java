package dev.millrace.models;

import static dev.millrace.models.Refusals.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.Status;
import dev.millrace.graph.format.Models;
import dev.millrace.graph.format.WriteOptions;
import dev.millrace.graph.ir.Graph;
import dev.millrace.graph.ir.GraphEditor;
import dev.millrace.graph.ir.Model;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.models.TestHub.Seen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests of models from a hub with what belongs to them: external data, tokenizers and configurations. */
class HubFoldersTest extends HubFixture {
    @Test
    void externalDataComesWithItsModel() {
        hub.with("onnx/model.onnx", MadeModel.withData("data.bin", "parts/more.bin"))
                .with("onnx/parts/more.bin", "more");
        Path model = fetch("hf:org/net/onnx/model.onnx");

        assertThat(model.resolveSibling("data.bin")).hasBinaryContent(LARGE);
        assertThat(model.resolveSibling("parts/more.bin")).hasContent("more");
        assertThat(hub.seen).extracting(Seen::path).noneMatch(path -> path.endsWith("config.json"));
    }

    @Test
    void aModelReadsItsDataThroughTheLinks() throws IOException {
        Path made = folder.resolve("made.onnx");
        var editor = new GraphEditor(Graph.named("constant"));
        editor.addOutput("w", editor.addConstant("w", Tensor.copyOf(new float[1000], 1000)));
        var header = new Model.Header(10, "test", "1", "", 1, "");
        Models.write(
                new Model(header, Map.of("", 21), Map.of(), Map.of(), editor.graph(), null),
                made,
                WriteOptions.externalData("weights"));
        hub.with("onnx/made.onnx", Files.readAllBytes(made))
                .with("onnx/weights", Files.readAllBytes(folder.resolve("weights")));
        Path file = fetch("hf:org/net/onnx/made.onnx");

        assertThat(Models.read(file).graph().outputs()).hasSize(1);
        assertThat(file.resolveSibling("weights")).isSymbolicLink();
    }

    @Test
    void externalDataOutsideOfTheFolderIsNotFetched() {
        hub.with("onnx/model.onnx", MadeModel.withData("../config.json"));
        assertFails(Status.INVALID_GRAPH, "escapes model directory", () -> fetch("hf:org/net/onnx/model.onnx"));
        assertThat(hub.seen).extracting(Seen::path).noneMatch(path -> path.endsWith("config.json"));
    }

    @Test
    void aFolderHasItsModelItsTokenizerAndItsConfigurations() {
        hub.with("onnx/model_quantized.onnx", MadeModel.withData())
                .with("onnx/model.onnx", MadeModel.withData())
                .with("tokenizer.json", "{\"a\":1}")
                .with("README.md", "not asked for");
        FetchedModel model = models().fetch(ModelName.parse("hf:org/net"));

        assertThat(model.file()).hasFileName("model_quantized.onnx");
        assertThat(model.folder().resolve("tokenizer.json")).exists();
        assertThat(model.folder().resolve("config.json")).exists();
        assertThat(model.folder().resolve("README.md")).doesNotExist();
        assertThat(model.folder().resolve("onnx/model.onnx")).doesNotExist();

        hub.takeSeen();
        assertThat(models().fetch(ModelName.parse("hf:org/net"))).isEqualTo(model);
        assertThat(hub.seen).as("what is absent at a commit is known").hasSize(1);

        FetchedModel plain = models().fetchWithFolder(ModelName.parse("hf:org/net/onnx/model.onnx"));
        assertThat(plain.file()).hasFileName("model.onnx");
        assertThat(plain.folder()).isEqualTo(model.folder());
    }

    @Test
    void aFolderOfModelBuilderHasTheModelsThatItsConfigurationNames() {
        hub.with("cpu-int4/genai_config.json", """
            {"model": {"decoder": {"filename": "model.onnx"}, "vision": {"filename" : "vision.onnx"}}}\
            """)
                .with("cpu-int4/model.onnx", MadeModel.withData("model.onnx.data"))
                .with("cpu-int4/model.onnx.data", LARGE)
                .with("cpu-int4/vision.onnx", MadeModel.withData())
                .with("cpu-int4/tokenizer.json", "{\"a\":1}");
        FetchedModel model = models().fetch(ModelName.parse("hf:org/net/cpu-int4"));

        assertThat(model.file()).isEqualTo(model.folder().resolve("model.onnx")).exists();
        assertThat(model.folder()).hasFileName("cpu-int4");
        for (String each : List.of("vision.onnx", "model.onnx.data", "tokenizer.json")) {
            assertThat(model.folder().resolve(each)).exists();
        }
    }

    @Test
    void aFolderWithoutAModelIsRefused() {
        assertFails(Status.NO_SUCH_FILE, "has no model with a usual name", () -> fetch("hf:org/net"));
    }

    @Test
    void aPointerOfGitLfsIsExplained() {
        hub.with("model.onnx", "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n");
        assertFails(Status.INVALID_PROTOBUF, "is a pointer of Git LFS", () -> fetch("hf:org/net/model.onnx"));
    }
}
