package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.models.FetchedModel;
import dev.millrace.server.source.ModelSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests folders of models that lie in a source. */
@Timeout(60)
class RemoteRepositoryTest {
    /** A source {@code far:} of one folder. The services of the tests name it. */
    public static final class FarSource implements ModelSource {
        private static volatile @Nullable Path copy;
        private static final Semaphore ASKED = new Semaphore(0);
        private static final Semaphore ALLOWED = new Semaphore(0);

        @Override
        public boolean accepts(String name) {
            return name.startsWith("far:");
        }

        @Override
        public FetchedModel fetch(String name) {
            throw new EngineException(Status.NOT_IMPLEMENTED, "there are only folders");
        }

        @Override
        public Path repository(String name) {
            try {
                ASKED.release();
                ALLOWED.acquire();
            } catch (InterruptedException e) {
                throw new EngineException(Status.CANCELLED, "interrupted", e);
            }
            Path now = copy;
            if (now == null) {
                throw new EngineException(Status.FAIL, "the far folder is out of order");
            }
            return now;
        }
    }

    @TempDir
    Path folder;

    @BeforeEach
    void start() {
        FarSource.ASKED.drainPermits();
        FarSource.ALLOWED.drainPermits();
        FarSource.copy = folder.resolve("copy");
    }

    private ServerOptions.Builder options() {
        return TestServers.options(folder.resolve("near")).remoteRepositories("far:folder");
    }

    private static String value(RestClient client, String model) {
        return client.post("v2/models/" + model + "/infer", """
            {"inputs": [{"name": "x", "datatype": "FP32", "shape": [1, 1], "data": [1]}]}\
            """).body();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        for (int i = 0; i < 2000 && !condition.getAsBoolean(); i++) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
        assertThat(condition.getAsBoolean()).isTrue();
    }

    @Test
    void aFolderInASourceIsPolledAndHoldsNoOtherUp() throws Exception {
        var near = new TestRepository(folder.resolve("near")).version("both", 1, ServerModels.plus(1, 1));
        var far = new TestRepository(folder.resolve("copy"))
                .version("both", 1, ServerModels.plus(2, 1))
                .version("far", 1, ServerModels.plus(3, 1));
        FarSource.ALLOWED.release();
        var polled = options().control(ControlMode.POLL).pollInterval(Duration.ofMillis(20));
        try (var server = ModelServer.start(polled.build());
                var client = new RestClient(server)) {
            assertThat(value(client, "both")).contains("\"data\":[2.0]");
            assertThat(value(client, "far")).contains("\"data\":[4.0]");
            FarSource.ASKED.acquire(2);
            near.version("later", 1, ServerModels.plus(7, 1));
            await(() -> value(client, "later").contains("\"data\":[8.0]"));

            far.version("far", 2, ServerModels.plus(5, 1));
            FarSource.ALLOWED.release();
            await(() -> value(client, "far").contains("\"data\":[6.0]"));
            FarSource.copy = null;
            FarSource.ASKED.acquire();
            FarSource.ALLOWED.release();
            FarSource.ASKED.acquire();
            assertThat(value(client, "far")).contains("\"data\":[6.0]");
        }
    }

    @Test
    void aServerDoesNotStartWithoutAFolderThatItIsToServe() throws Exception {
        Files.createDirectories(folder.resolve("near"));
        FarSource.copy = null;
        FarSource.ALLOWED.release();
        assertThatThrownBy(() -> ModelServer.start(options().build()).close())
                .hasMessageContaining("the far folder is out of order");
        assertThatThrownBy(() -> ModelServer.start(TestServers.options(folder.resolve("near"))
                                .remoteRepositories("nobody:folder")
                                .build())
                        .close())
                .hasMessageContaining("no source of models accepts 'nobody:folder'");
    }

    @Test
    void aLoadLooksForItsModelInTheFolderAndCanBeEnded() throws Exception {
        Files.createDirectories(folder.resolve("near"));
        new TestRepository(folder.resolve("copy")).version("far", 1, ServerModels.plus(3, 1));
        try (var server = ModelServer.start(
                        options().control(ControlMode.EXPLICIT).build());
                var client = new RestClient(server)) {
            var ended = CompletableFuture.supplyAsync(() -> client.post("v2/repository/models/far/load", ""));
            FarSource.ASKED.acquire();
            assertThat(client.post("v2/repository/models/far/unload", "").status())
                    .isEqualTo(200);
            assertThat(ended.get().body()).contains("was ended: it is unloaded");

            FarSource.ALLOWED.release();
            assertThat(client.post("v2/repository/models/far/load", "").status())
                    .isEqualTo(200);
            assertThat(value(client, "far")).contains("\"data\":[4.0]");
            FarSource.ALLOWED.release();
            var missing = client.post("v2/repository/models/none/load", "");
            assertThat(missing.status()).isEqualTo(404);
            assertThat(missing.body()).contains("no repository has a model 'none'");
            assertThat(client.post("v2/repository/index", "").body()).doesNotContain("none");
        }
    }
}
