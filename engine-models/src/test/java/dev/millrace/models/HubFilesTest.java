package dev.millrace.models;

import static dev.millrace.models.Refusals.assertFails;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.graph.Status;
import dev.millrace.models.TestHub.Seen;
import dev.millrace.models.TestHub.Trouble;
import dev.millrace.providers.testkit.OwnJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of files from a hub: its cache, its redirects and its failures. */
class HubFilesTest extends HubFixture {
    @Test
    void aLargeFileIsLinkedToItsContentAsOtherClientsDo() throws IOException {
        Path file = fetch("hf:org/net/onnx/data.bin");

        assertThat(file).hasBinaryContent(LARGE).isSymbolicLink();
        assertThat(file).isEqualTo(repository().resolve("snapshots/" + TestHub.COMMIT + "/onnx/data.bin"));
        assertThat(Files.readSymbolicLink(file)).isEqualTo(Path.of("../../../blobs/" + TestHub.sha256(LARGE)));
        assertThat(repository().resolve("refs/main")).hasContent(TestHub.COMMIT);
    }

    @Test
    void aSmallFileIsNamedAsGitDoes() {
        assertThat(fetch("hf:org/net@main/config.json")).hasContent("{}");
        assertThat(repository().resolve("blobs/" + TestHub.gitBlob("{}".getBytes())))
                .hasContent("{}");
    }

    @Test
    void theTokenGoesToTheHubAlone() {
        models(options -> options.token("secret")).fetch(ModelName.parse("hf:org/net/onnx/data.bin"));

        assertThat(hub.seen)
                .extracting(Seen::server, Seen::method, Seen::token)
                .containsExactly(
                        tuple("hub", "HEAD", "Bearer secret"),
                        tuple("hub", "GET", "Bearer secret"),
                        tuple("store", "GET", "null"));
        assertThat(FetchOptions.builder().token("secret").build().toString()).doesNotContain("secret");
    }

    @Test
    void aKnownContentIsNotFetchedAgain() {
        fetch("hf:org/net/onnx/data.bin");
        hub.takeSeen();

        fetch("hf:org/net/onnx/data.bin");
        assertThat(hub.takeSeen()).extracting(Seen::method).containsExactly("HEAD");
        fetch("hf:org/net@" + TestHub.COMMIT + "/onnx/data.bin");
        assertThat(hub.takeSeen()).as("a commit does not change").isEmpty();

        hub.head = TestHub.LATER_COMMIT;
        assertThat(fetch("hf:org/net/onnx/data.bin").toString()).contains(TestHub.LATER_COMMIT);
        assertThat(hub.takeSeen()).extracting(Seen::method).containsExactly("HEAD");
    }

    @Test
    void aDownloadGoesOnWhereItWasCut() {
        hub.storeTroubles.add(Trouble.cutAfter(100_000));
        hub.storeTroubles.add(Trouble.cutAfter(50_000));
        var progress = new ArrayList<FetchProgress>();

        Path file = models(options -> options.listener(progress::add))
                .fetch(ModelName.parse("hf:org/net/onnx/data.bin"))
                .file();

        assertThat(file).hasBinaryContent(LARGE);
        List<String> ranges = hub.seen.stream()
                .filter(each -> each.server().equals("store"))
                .map(Seen::range)
                .toList();
        assertThat(ranges).hasSize(3).startsWith("null").element(1).asString().matches("bytes=[1-9]\\d*-");
        assertThat(pauses).hasSize(2);
        assertThat(progress).last().isEqualTo(new FetchProgress("onnx/data.bin", LARGE.length, LARGE.length));
    }

    @Test
    void aLaterCallGoesOnWhereAFormerOneFailed() {
        hub.storeTroubles.add(Trouble.cutAfter(100_000));
        ModelFiles once = models(options -> options.attempts(1));
        ModelName name = ModelName.parse("hf:org/net/onnx/data.bin");
        assertFails(Status.FAIL, "cannot be fetched", () -> once.fetch(name));
        hub.takeSeen();

        assertThat(once.fetch(name).file()).hasBinaryContent(LARGE);
        assertThat(hub.seen).last().extracting(Seen::range).asString().startsWith("bytes=");
    }

    @Test
    void aContentThatDoesNotFitItsNameIsDeleted() throws IOException {
        hub.with("onnx/data.bin", LARGE);
        hub.wrongHeaders.put("X-Linked-Etag", "\"" + "0".repeat(64) + "\"");
        assertFails(Status.FAIL, "has another content than expected", () -> fetch("hf:org/net/onnx/data.bin"));
        hub.wrongHeaders.clear();
        hub.wrongHeaders.put("ETag", "\"" + "0".repeat(40) + "\"");
        assertFails(Status.FAIL, "did not arrive as it was sent", () -> fetch("hf:org/net/config.json"));

        try (Stream<Path> left = Files.list(repository().resolve("blobs"))) {
            assertThat(left).isEmpty();
        }
    }

    @Test
    void aDigestThatTheCallerNamesIsChecked() {
        String right = TestHub.sha256(LARGE);
        String wrong = "1".repeat(64);
        assertThat(fetch("hf:org/net/onnx/data.bin#sha256=" + right)).hasBinaryContent(LARGE);
        assertFails(
                Status.FAIL,
                right + ", and " + wrong + " is wanted",
                () -> fetch("hf:org/net/onnx/data.bin#sha256=" + wrong));
        assertFails(Status.FAIL, "is wanted", () -> fetch("hf:org/net/config.json#sha256=" + wrong));
        fetch("hf:org/net/config.json");
        assertFails(
                Status.FAIL, "is wanted", () -> fetch("hf:org/net@" + TestHub.COMMIT + "/config.json#sha256=" + wrong));
        assertThat(fetch("hf:org/net@" + TestHub.COMMIT + "/config.json#sha256=" + TestHub.sha256("{}".getBytes())))
                .hasContent("{}");
    }

    @ParameterizedTest
    @CsvSource({
        "401, FAIL, set HF_TOKEN",
        "403, FAIL, does not allow",
        "404, NO_SUCH_FILE, no such file",
        "429, OVERLOADED, status 429",
        "500, OVERLOADED, status 500",
        "418, FAIL, status 418"
    })
    void refusalsOfTheHubHaveWords(int status, Status expected, String message) {
        for (int i = 0; i < 10; i++) {
            hub.hubTroubles.add(Trouble.status(status));
        }
        assertFails(expected, message, () -> fetch("hf:org/net/config.json"));
    }

    @Test
    void missingRepositoriesAndRevisionsAreNamed() {
        assertFails(Status.NO_SUCH_FILE, "no such repository", () -> fetch("hf:other/net/config.json"));
        assertFails(Status.NO_SUCH_FILE, "Invalid rev id: v9", () -> fetch("hf:org/net@v9/config.json"));
        assertFails(Status.NO_SUCH_FILE, "has no such file", () -> fetch("hf:org/net/none.json"));
    }

    @Test
    void aBusyHubIsAskedAgainWhenItSays() {
        hub.hubTroubles.add(Trouble.status(429, "Retry-After", "7"));
        hub.hubTroubles.add(Trouble.status(503));
        assertThat(fetch("hf:org/net/config.json")).hasContent("{}");
        assertThat(pauses).containsExactly(Duration.ofSeconds(7), Duration.ofSeconds(2));

        hub.hubTroubles.add(Trouble.status(429, "Retry-After", "3600"));
        assertFails(Status.OVERLOADED, "try again in 3600 seconds", () -> fetch("hf:org/net/config.json"));
    }

    @Test
    void offlineOnlyTheCacheIsUsed() {
        ModelFiles offline = models(options -> options.offline(true));
        ModelName name = ModelName.parse("hf:org/net/onnx/data.bin");
        assertFails(Status.NO_SUCH_FILE, "was not fetched before", () -> offline.fetch(name));
        fetch("hf:org/net/onnx/data.bin");
        hub.takeSeen();

        assertThat(offline.fetch(name).file()).hasBinaryContent(LARGE);
        assertThat(hub.seen).isEmpty();
    }

    @Test
    void aHubThatDoesNotAnswerLeavesTheCache() {
        fetch("hf:org/net/config.json");
        assertFails(Status.NO_SUCH_FILE, "no such file", () -> fetch("hf:org/net/absent.json"));
        hub.close();

        assertThat(fetch("hf:org/net/config.json")).hasContent("{}");
        assertFails(Status.NO_SUCH_FILE, "no such file", () -> fetch("hf:org/net/absent.json"));
        assertFails(Status.FAIL, "no connection to 127.0.0.1:", () -> fetch("hf:org/net/onnx/data.bin"));
    }

    @Test
    void manyAtOnceFetchAContentOnce() throws Exception {
        try (var threads = Executors.newFixedThreadPool(8)) {
            var all = new ArrayList<Future<Path>>();
            for (int i = 0; i < 16; i++) {
                all.add(threads.submit(() -> fetch("hf:org/net/onnx/data.bin")));
            }
            for (Future<Path> each : all) {
                assertThat(each.get()).hasBinaryContent(LARGE);
            }
        }
        assertThat(hub.seen).filteredOn(each -> each.server().equals("store")).hasSize(1);
    }

    @Test
    void aSmallFileMayLieElsewhere() {
        Map<String, String> headers = new HashMap<>();
        headers.put("Location", hub.storeAddress() + "/config.json");
        headers.put("X-Repo-Commit", TestHub.COMMIT);
        headers.put("ETag", TestHub.gitBlob("{}".getBytes()));
        hub.hubTroubles.add(new Trouble(307, 0, headers));
        assertThat(fetch("hf:org/net/config.json")).hasContent("{}");
    }

    @Test
    void aRepositoryThatWasRenamedIsFound() {
        assertThat(fetch("hf:org/old/config.json")).hasContent("{}");
    }

    @Test
    void aServerThatFallsSilentIsAskedAgain() {
        hub.hubTroubles.add(Trouble.SILENCE);
        hub.storeTroubles.add(Trouble.SILENCE);
        ModelFiles impatient = models(options -> options.patience(Duration.ofMillis(500)));
        assertThat(impatient.fetch(ModelName.parse("hf:org/net/onnx/data.bin")).file())
                .hasBinaryContent(LARGE);
        assertThat(pauses).hasSize(2);
    }

    /** Fetches the large file into a cache, in a process of its own. */
    public static final class OtherProcess {
        public static void main(String[] arguments) {
            var options = FetchOptions.builder()
                    .endpoint(arguments[0])
                    .hubCache(Path.of(arguments[1]))
                    .offline(false)
                    .build();
            System.out.print(ModelFiles.with(options)
                    .fetch(ModelName.parse("hf:org/net/onnx/data.bin"))
                    .file());
        }
    }

    @Test
    void processesFetchAContentOnce() throws Exception {
        try (var threads = Executors.newFixedThreadPool(2)) {
            Callable<String> other = () -> new OwnJvm(OtherProcess.class, hub.endpoint(), folder.resolve("hub"))
                    .options("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto")
                    .within(Duration.ofMinutes(2))
                    .output();
            for (Future<String> each : threads.invokeAll(List.of(other, other))) {
                assertThat(Path.of(each.get())).hasBinaryContent(LARGE);
            }
        }
        assertThat(hub.seen).filteredOn(each -> each.server().equals("store")).hasSize(1);
    }

    @Test
    void anInterruptedThreadStopsItsDownload() {
        hub.storeTroubles.add(Trouble.status(503));
        ModelFiles interrupted = ModelFiles.with(
                FetchOptions.builder()
                        .hubCache(folder.resolve("hub"))
                        .endpoint(hub.endpoint())
                        .offline(false)
                        .build(),
                _ -> {
                    throw new InterruptedException();
                });
        assertFails(
                Status.CANCELLED, "interrupted", () -> interrupted.fetch(ModelName.parse("hf:org/net/onnx/data.bin")));
        assertThat(Thread.interrupted()).isTrue();
    }
}
