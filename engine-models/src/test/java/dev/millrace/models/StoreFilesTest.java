package dev.millrace.models;

import static dev.millrace.models.Refusals.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.Status;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of models, folders and mirrors of an object store. */
class StoreFilesTest {
    @TempDir
    private Path folder = Path.of("");

    @BeforeEach
    void clear() {
        MemoryStore.clear();
    }

    private ModelFiles models(boolean offline) {
        return ModelFiles.with(
                FetchOptions.builder()
                        .folder(folder.resolve("own"))
                        .offline(offline)
                        .build(),
                _ -> {});
    }

    private Path fetch(String name) {
        return models(false).fetch(ModelName.parse(name)).file();
    }

    private static List<String> asked() {
        List<String> all = List.copyOf(MemoryStore.ASKED);
        MemoryStore.ASKED.clear();
        return all;
    }

    @Test
    void anObjectIsFetchedOnceAndAnewUnderAnotherPathWhenItHasChanged() throws IOException {
        byte[] first = MadeModel.withData();
        MemoryStore.OBJECTS.put("nets/net.onnx", first);
        Path file = fetch("mem://bucket/nets/net.onnx");
        assertThat(file).hasBinaryContent(first).endsWithRaw(Path.of("nets", "net.onnx"));
        assertThat(asked()).containsExactly("find nets/net.onnx", "read nets/net.onnx from 0");
        assertThat(fetch("mem://bucket/nets/net.onnx")).isEqualTo(file);
        assertThat(asked()).containsExactly("find nets/net.onnx");

        byte[] second = MadeModel.withData("net.data");
        MemoryStore.put("nets/net.data", "");
        MemoryStore.OBJECTS.put("nets/net.onnx", second);
        assertThat(fetch("mem://bucket/nets/net.onnx")).isNotEqualTo(file).hasBinaryContent(second);
        assertThat(file).hasBinaryContent(first);
    }

    @Test
    void externalDataComesWithItsModel() throws IOException {
        MemoryStore.OBJECTS.put("a/net.onnx", MadeModel.withData("data/weights.bin"));
        assertFails(Status.NO_SUCH_FILE, "has external data in", () -> fetch("mem://bucket/a/net.onnx"));
        MemoryStore.put("a/data/weights.bin", "weights");
        assertThat(fetch("mem://bucket/a/net.onnx").resolveSibling("data/weights.bin"))
                .hasContent("weights");
        Path same = models(false)
                .fetch(ModelName.of("mem://bucket/a", "net.onnx", null))
                .file();
        assertThat(same.resolveSibling("data/weights.bin")).hasContent("weights");
    }

    @Test
    void aFolderIsTheModelWithAUsualNameOrTheOnlyOneOrAPackage() throws IOException {
        MemoryStore.put("text/onnx/model.onnx", "");
        MemoryStore.put("text/onnx/model_int8.onnx", "");
        MemoryStore.put("text/onnx/model_fp16.onnx", "");
        MemoryStore.put("text/tokenizer.json", "{}");
        FetchedModel text = models(false).fetch(ModelName.parse("mem://bucket/text/"));
        assertThat(text.file()).endsWithRaw(Path.of("onnx", "model_int8.onnx"));
        assertThat(text.folder().resolve("tokenizer.json")).hasContent("{}");
        assertThat(asked()).doesNotContain("read text/onnx/model.onnx from 0").containsOnlyOnce("list text/");
        assertThat(models(false).fetch(ModelName.parse("mem://bucket/text")).file())
                .exists();

        MemoryStore.put("one/odd-name.onnx", "");
        assertThat(fetch("mem://bucket/one/")).endsWithRaw(Path.of("odd-name.onnx"));
        MemoryStore.put("many/a.onnx", "");
        MemoryStore.put("many/b.onnx", "");
        assertFails(Status.NO_SUCH_FILE, "has no model with a usual name", () -> fetch("mem://bucket/many/"));

        MemoryStore.put("package/manifest.json", "{}");
        MemoryStore.put("package/parts/net.onnx", "");
        assertThat(fetch("mem://bucket/package/")).isDirectory();
        assertThat(fetch("mem://bucket/package/").resolve("parts/net.onnx")).exists();
        assertFails(Status.NO_SUCH_FILE, "has no object below this name", () -> fetch("mem://bucket/none/"));
    }

    @Test
    void theTokenizerBesideAModelComesWithIt() {
        MemoryStore.put("text/onnx/model.onnx", "");
        MemoryStore.put("text/tokenizer.json", "{}");
        FetchedModel fetched = models(false).fetchWithFolder(ModelName.parse("mem://bucket/text/onnx/model.onnx"));
        assertThat(fetched.folder().resolve("tokenizer.json")).hasContent("{}");
        assertThat(fetched.file()).isEqualTo(fetched.folder().resolve("onnx/model.onnx"));
    }

    @Test
    void aVersionIsAskedForOnce() {
        MemoryStore.put("net.onnx", "");
        String name = "mem://bucket/net.onnx?versionId=v.1/+=";
        Path file = fetch(name);
        assertThat(asked()).contains("find net.onnx v.1/+=");
        assertThat(fetch(name)).isEqualTo(file);
        assertThat(asked()).isEmpty();
        assertFails(Status.NO_SUCH_FILE, "no such object of this version", () -> fetch("mem://bucket/x?versionId=1"));
    }

    @Test
    void aDownloadGoesOnWhereItWasCut() throws IOException {
        MemoryStore.put("data.bin", "0123456789");
        MemoryStore.cut = 4;
        var progress = new ArrayList<FetchProgress>();
        var options = FetchOptions.builder()
                .folder(folder.resolve("own"))
                .listener(progress::add)
                .build();
        Path file = ModelFiles.with(options, _ -> {})
                .fetch(ModelName.parse("mem://bucket/data.bin"))
                .file();
        assertThat(file).hasContent("0123456789");
        assertThat(asked()).contains("read data.bin from 0", "read data.bin from 4");
        assertThat(progress).contains(new FetchProgress("data.bin", 10, 10));
    }

    @Test
    void withoutTheStoreItIsUsedAsItWasFoundBefore() throws IOException {
        byte[] model = MadeModel.withData();
        MemoryStore.OBJECTS.put("net.onnx", model);
        assertFails(
                Status.NO_SUCH_FILE,
                "forbids to fetch it",
                () -> models(true).fetch(ModelName.parse("mem://bucket/net.onnx")));
        Path file = fetch("mem://bucket/net.onnx");
        MemoryStore.unreachable = true;
        assertThat(fetch("mem://bucket/net.onnx")).isEqualTo(file);
        assertFails(Status.FAIL, "the store is down", () -> fetch("mem://bucket/other.onnx"));
        asked();
        assertThat(models(true).fetch(ModelName.parse("mem://bucket/net.onnx")).file())
                .isEqualTo(file);
        assertThat(asked()).isEmpty();
    }

    @Test
    void anotherContentThanTheDigestSaysIsRefused() throws IOException {
        MemoryStore.put("net.onnx", "");
        String right = "#sha256=" + TestHub.sha256(new byte[0]);
        assertFails(Status.FAIL, "is wanted", () -> fetch("mem://bucket/net.onnx#sha256=" + "0".repeat(64)));
        assertThat(fetch("mem://bucket/net.onnx" + right)).isEmptyFile();
        MemoryStore.put("net.onnx", "x");
        assertFails(Status.FAIL, "is wanted", () -> fetch("mem://bucket/net.onnx" + right));
    }

    @Test
    void aMirrorFollowsTheStoreInOneFolder() throws IOException {
        MemoryStore.put("models/a/1/model.onnx", "one");
        MemoryStore.put("models/a/config.pbtxt", "max_batch_size: 4");
        MemoryStore.put("models/b/", "");
        ModelName name = ModelName.parse("mem://bucket/models/");
        Path mirror = models(false).mirror(name);
        assertThat(mirror.resolve("a/1/model.onnx")).hasContent("one");
        Object before = Files.getLastModifiedTime(mirror.resolve("a/config.pbtxt"));
        asked();

        MemoryStore.put("models/a/2/model.onnx", "two");
        MemoryStore.OBJECTS.remove("models/a/1/model.onnx");
        assertThat(models(false).mirror(name)).isEqualTo(mirror);
        assertThat(asked()).containsExactly("list models/", "read models/a/2/model.onnx from 0");
        assertThat(mirror.resolve("a/2/model.onnx")).hasContent("two");
        assertThat(mirror.resolve("a/1")).doesNotExist();
        assertThat(Files.getLastModifiedTime(mirror.resolve("a/config.pbtxt"))).isEqualTo(before);

        MemoryStore.unreachable = true;
        assertThat(models(false).mirror(name)).isEqualTo(mirror);
        assertThat(models(true).mirror(name)).isEqualTo(mirror);
        assertFails(Status.FAIL, "the store is down", () -> models(false).mirror(ModelName.parse("mem://bucket/")));
    }

    @Test
    void namesThatLeadOutOfTheStoreAreRefused() {
        MemoryStore.put("models/../../x", "");
        assertFails(
                Status.INVALID_ARGUMENT,
                "parts between slashes",
                () -> models(false).mirror(ModelName.parse("mem://bucket/models/")));
        assertFails(Status.INVALID_ARGUMENT, "names no object", () -> fetch("mem://buc ket/net.onnx"));
        assertFails(Status.INVALID_ARGUMENT, "has no version", () -> ModelName.parse("mem://bucket/a/?versionId=1"));
        assertFails(Status.NOT_IMPLEMENTED, "millrace-models-s3", () -> fetch("s3://bucket/net.onnx"));
        assertThat(ModelName.isName("gs://bucket/net.onnx")).isFalse();
        String text = "s3://bucket/a/net.onnx?versionId=1#sha256=" + "0".repeat(64);
        assertThat(ModelName.parse(text)).hasToString(text);
    }
}
