package dev.millrace.models;

import static dev.millrace.models.Refusals.assertFails;
import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.graph.Status;
import dev.millrace.models.TestHub.Trouble;
import dev.millrace.models.packages.PackageArchive;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests of files from addresses, from folders, and from packages that were fetched before. */
class OtherSourcesTest {
    private static final byte[] DATA = new byte[50_000];

    static {
        new Random(3).nextBytes(DATA);
    }

    @TempDir
    private Path folder = Path.of("");

    private ModelFiles models(boolean offline) {
        return ModelFiles.with(
                FetchOptions.builder()
                        .folder(folder.resolve("own"))
                        .offline(offline)
                        .build(),
                _ -> {});
    }

    @Test
    void theFilesOfAnAddressNeedDigestsAndLieTogether() throws IOException {
        byte[] model = MadeModel.withData("data.bin");
        try (var server = new TestHub().with("a/model.onnx", model).with("a/data.bin", DATA)) {
            String source = server.storeAddress() + "/a";
            assertFails(
                    Status.INVALID_ARGUMENT,
                    "needs the SHA-256",
                    () -> models(false).fetch(ModelName.of(source, "model.onnx", null)));
            ModelName alone = ModelName.of(source, "model.onnx", TestHub.sha256(model));
            assertFails(
                    Status.NO_SUCH_FILE,
                    "name that file with its digest",
                    () -> models(false).fetch(alone));

            server.storeTroubles.add(Trouble.cutAfter(20));
            ModelName whole = alone.and("data.bin", TestHub.sha256(DATA));
            Path file = models(false).fetch(whole).file();
            assertThat(file).hasBinaryContent(model);
            assertThat(file.resolveSibling("data.bin")).hasBinaryContent(DATA);

            server.takeSeen();
            assertThat(models(true).fetch(whole).file()).isEqualTo(file);
            assertThat(server.seen).isEmpty();
            assertFails(
                    Status.NO_SUCH_FILE,
                    "forbids to fetch",
                    () -> models(true).fetch(ModelName.of(source, "other.onnx", "0".repeat(64))));
        }
    }

    @Test
    void aWrongDigestAndAMissingFileAreRefused() throws IOException {
        try (var server = new TestHub().with("data.bin", DATA)) {
            assertFails(
                    Status.FAIL,
                    "is wanted",
                    () -> models(false).fetch(ModelName.of(server.storeAddress(), "data.bin", "0".repeat(64))));
            server.storeTroubles.add(Trouble.status(404));
            assertFails(
                    Status.NO_SUCH_FILE,
                    "status 404",
                    () -> models(false).fetch(ModelName.of(server.storeAddress(), "data.bin", "1".repeat(64))));
            try (var left = Files.walk(folder)) {
                assertThat(left.map(Path::toString)).noneMatch(each -> each.contains("data.bin"));
            }
        }
    }

    @Test
    void aFileIsItself() throws IOException {
        Path file = Files.write(folder.resolve("model.onnx"), MadeModel.withData());
        String name = "file:" + file;
        assertThat(ModelFiles.of(name)).isEqualTo(file);
        assertThat(ModelFiles.of("file:" + folder, "model.onnx", TestHub.sha256(MadeModel.withData())))
                .isEqualTo(file);
        assertFails(Status.FAIL, "is wanted", () -> ModelFiles.of(name + "#sha256=" + "0".repeat(64)));
        assertFails(Status.NO_SUCH_FILE, "there is no model file", () -> ModelFiles.of(name + "x"));

        Files.writeString(file, "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n");
        assertFails(Status.INVALID_PROTOBUF, "pointer of Git LFS", () -> ModelFiles.of(name));
    }

    @Test
    void filesOfPackagesAreKept() throws IOException {
        Path kept = folder.resolve("own/packages/mvn_g_a_1.0/models/model.onnx");
        Files.createDirectories(kept.getParent());
        Files.write(kept, DATA);
        String name = "mvn:g:a:1.0/models/model.onnx";
        assertThat(models(true).fetch(ModelName.parse(name)).file()).isEqualTo(kept);
        assertFails(
                Status.FAIL,
                "is wanted",
                () -> models(true).fetch(ModelName.parse(name + "#sha256=" + "0".repeat(64))));
        assertFails(
                Status.INVALID_ARGUMENT,
                "names no package",
                () -> models(true).fetch(ModelName.parse("npm:net@latest/model.onnx")));
    }

    @Test
    void externalDataOfAPackageComesWithItsModel() throws IOException {
        Path jar = folder.resolve("a.jar");
        try (var out = new ZipOutputStream(Files.newOutputStream(jar))) {
            out.putNextEntry(new ZipEntry("m/model.onnx"));
            out.write(MadeModel.withData("data.bin"));
            out.putNextEntry(new ZipEntry("m/data.bin"));
            out.write(DATA);
        }
        var archive = new PackageArchive("mvn:g:a:1.0", jar);
        var source = new PackageSource(
                ModelName.parse("mvn:g:a:1.0/m/model.onnx"),
                FetchOptions.builder().folder(folder.resolve("own")).build(),
                (_, _, _, use) -> use.of(archive));

        Path model = source.fetch();
        assertThat(model.resolveSibling("data.bin")).hasBinaryContent(DATA);
    }
}
