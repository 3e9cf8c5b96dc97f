package dev.millrace.models.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.FetchOptions;
import dev.millrace.models.ModelFiles;
import dev.millrace.models.ModelName;
import dev.millrace.models.s3.TestS3.Trouble;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of models in S3, by a server on loopback. */
class S3ModelsTest {
    private static final String KEY = "AKIAMILL";

    @TempDir
    private Path folder = Path.of("");

    private final TestS3 store = new TestS3();

    S3ModelsTest() throws IOException {}

    @BeforeEach
    void signIn() {
        // the first place where the SDK looks for credentials; the others are outside of the test
        System.setProperty("aws.accessKeyId", KEY);
        System.setProperty("aws.secretAccessKey", "secret");
        System.setProperty("aws.disableEc2Metadata", "true");
    }

    @AfterEach
    void end() {
        store.close();
        signOut();
        System.clearProperty("aws.disableEc2Metadata");
    }

    private static void signOut() {
        System.clearProperty("aws.accessKeyId");
        System.clearProperty("aws.secretAccessKey");
    }

    private FetchOptions.Builder options() {
        return FetchOptions.builder()
                .folder(folder.resolve("own"))
                .patience(Duration.ofSeconds(10))
                .attempts(2)
                .storeSetting("AWS_ENDPOINT_URL_S3", store.endpoint());
    }

    private static Path fetch(FetchOptions.Builder options, String name) {
        return ModelFiles.with(options.build()).fetch(ModelName.parse(name)).file();
    }

    private static void assertFails(Status status, String message, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(status))
                .hasMessageContaining(message);
    }

    @Test
    void aModelIsFetchedBySignedRequests() throws IOException {
        store.accessKey = KEY;
        store.with("nets/a b.onnx", "");
        Path file = fetch(options(), "s3://models/nets/a b.onnx");
        assertThat(file).isEmptyFile();
        assertThat(store.seen).containsExactly("HEAD /models/nets/a b.onnx", "GET /models/nets/a b.onnx");
        assertThat(fetch(options(), "s3://models/nets/a b.onnx")).isEqualTo(file);
        assertThat(store.seen).hasSize(3);
    }

    @Test
    void aPublicBucketNeedsNoCredentials() {
        signOut();
        store.with("net.onnx", "");
        assertFails(
                Status.FAIL,
                "there are no credentials for S3: set AWS_ACCESS_KEY_ID",
                () -> fetch(options(), "s3://models/net.onnx"));
        assertThat(fetch(options().storeSetting("MILLRACE_S3_ANONYMOUS", "true"), "s3://models/net.onnx"))
                .exists();
        store.accessKey = KEY;
        assertFails(
                Status.FAIL,
                "the credentials, or their absence, do not allow to read it",
                () -> fetch(options().storeSetting("MILLRACE_S3_ANONYMOUS", "true"), "s3://models/net.onnx"));
    }

    @Test
    void aVersionIsAnObjectOfItsOwn() {
        store.with("net.bin", "new").versions.put("net.bin 3/L4k+=", "old".getBytes(StandardCharsets.UTF_8));
        assertThat(fetch(options(), "s3://models/net.bin?versionId=3/L4k+=")).hasContent("old");
        assertThat(fetch(options(), "s3://models/net.bin")).hasContent("new");
        assertFails(
                Status.NO_SUCH_FILE,
                "no such object of this version",
                () -> fetch(options(), "s3://models/net.bin?versionId=4"));
    }

    @Test
    void aDownloadGoesOnWhereItWasCut() {
        store.with("net.bin", "0123456789");
        store.troubles.add(new Trouble(0, "", -1));
        store.troubles.add(new Trouble(0, "", 4));
        assertThat(fetch(options(), "s3://models/net.bin")).hasContent("0123456789");
        assertThat(store.seen)
                .containsExactly("HEAD /models/net.bin", "GET /models/net.bin", "GET /models/net.bin bytes=4-");
    }

    @Test
    void aFolderIsListedPageByPage() throws IOException {
        for (String each :
                new String[] {"a/1/model.onnx", "a/config.pbtxt", "b/1/model.onnx", "b/2/model.onnx", "c.onnx"}) {
            store.with("repository/" + each, each);
        }
        Path mirror = ModelFiles.with(options().build()).mirror(ModelName.parse("s3://models/repository/"));
        try (var all = Files.walk(mirror)) {
            assertThat(all.filter(Files::isRegularFile)).hasSize(5);
        }
        assertThat(mirror.resolve("b/2/model.onnx")).hasContent("b/2/model.onnx");
        assertThat(store.seen.stream().filter(each -> each.startsWith("GET /models") && !each.contains("repository")))
                .hasSize(3);
    }

    @ParameterizedTest
    @CsvSource({
        "403, AccessDenied, FAIL, do not allow to read it (because)",
        "403, SignatureDoesNotMatch, FAIL, the secret key is wrong",
        "403, InvalidAccessKeyId, FAIL, does not know the access key",
        "403, RequestTimeTooSkewed, FAIL, the clock of this machine is wrong",
        "400, ExpiredToken, FAIL, the session's token is wrong or has expired",
        "503, SlowDown, OVERLOADED, the store answers with status 503",
        "412, PreconditionFailed, FAIL, has changed while it was fetched",
    })
    void aRefusalIsOneSentence(int status, String code, Status expected, String sentence) {
        store.with("net.onnx", "");
        for (int i = 0; i < 20; i++) {
            store.troubles.add(new Trouble(status, code, 0));
        }
        assertFails(expected, sentence, () -> fetch(options(), "s3://models/net.onnx"));
    }

    @Test
    void aMissingBucketObjectOrStoreIsToldApart() {
        store.with("net.onnx", "");
        assertFails(Status.NO_SUCH_FILE, "there is no bucket 'other'", () -> fetch(options(), "s3://other/net.onnx"));
        assertFails(Status.NO_SUCH_FILE, "there is no bucket 'other'", () -> fetch(options(), "s3://other/nets/"));
        assertFails(
                Status.NO_SUCH_FILE, "the bucket has no such object", () -> fetch(options(), "s3://models/no.onnx"));
        assertFails(
                Status.INVALID_ARGUMENT,
                "is no address of a store",
                () -> fetch(options().storeSetting("AWS_ENDPOINT_URL_S3", "minio:9000"), "s3://models/net.onnx"));
        fetch(options(), "s3://models/net.onnx");
        store.close();
        assertThat(fetch(options(), "s3://models/net.onnx")).exists();
        assertFails(Status.FAIL, "the store does not answer", () -> fetch(options(), "s3://models/no.onnx"));
    }
}
