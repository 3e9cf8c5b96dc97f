package dev.millrace.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.epcontext.cache.ContextCache;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A server that is killed under load while versions of its model are written, and starts again with the same files. The test runs only
 * with {@code -Dmillrace.soak=true}.
 */
@Tag("slow")
class KilledServerTest {
    private static final int KILLS = 12;
    private static final int WIDTH = 256;
    private static final int CLIENTS = 2;
    private static final int MOST_ANSWERS = 100;
    private static final String ROW = "{\"inputs\": [{\"name\": \"x\", \"datatype\": \"FP32\", \"shape\": [1, " + WIDTH
            + "], \"data\": [1" + ",0".repeat(WIDTH - 1) + "]}]}";

    @TempDir
    Path folder;

    private final Random random = new Random(12);
    private final AtomicInteger answers = new AtomicInteger();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private int written;

    /** Writes the next version, whose weights are its number. */
    private void write() {
        written++;
        new TestRepository(folder.resolve("models")).version("net", written, ServerModels.product(WIDTH, written));
    }

    /** Whether an answer is that of the version that it names. */
    private static boolean isRight(String body) {
        Json answer = Json.read(body);
        float version = Float.parseFloat(answer.at("model_version").text());
        return body.contains("\"data\":[" + version + "," + version + ",");
    }

    /** Sends requests until the server is gone. */
    private Thread client(ServerProcess server) {
        return Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    HttpResponse<String> answer = server.post("v2/models/net/infer", ROW);
                    answers.incrementAndGet();
                    if (answer.statusCode() != 200 || !isRight(answer.body())) {
                        wrong.add(answer.statusCode() + " " + answer.body());
                    }
                }
            } catch (IOException e) {
                // the server is killed
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
    }

    private void awaitAnswers(int more) throws InterruptedException {
        int wanted = answers.get() + more;
        for (int i = 0; i < 6000 && answers.get() < wanted; i++) {
            TimeUnit.MILLISECONDS.sleep(10);
        }
        assertThat(answers.get()).isGreaterThanOrEqualTo(wanted);
    }

    private static String version(ServerProcess server) throws Exception {
        HttpResponse<String> answer = server.post("v2/models/net/infer", ROW);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        assertThat(isRight(answer.body())).isTrue();
        return Json.read(answer.body()).at("model_version").text();
    }

    @Test
    void aServerThatIsKilledStartsAgainWithTheSameFiles() throws Exception {
        ServerProcess.assumeSoak();
        write();
        for (int kill = 1; kill <= KILLS; kill++) {
            try (var server = ServerProcess.start(folder)) {
                assertThat(version(server)).isEqualTo(Integer.toString(written));
                var clients = new ArrayList<Thread>();
                for (int i = 0; i < CLIENTS; i++) {
                    clients.add(client(server));
                }
                int versions = 1 + random.nextInt(3);
                for (int i = 0; i < versions; i++) {
                    awaitAnswers(random.nextInt(MOST_ANSWERS));
                    write();
                }
                awaitAnswers(random.nextInt(MOST_ANSWERS));
                server.kill();
                for (Thread each : clients) {
                    each.join();
                }
            }
            assertThat(wrong).isEmpty();
        }
        try (var server = ServerProcess.start(folder)) {
            assertThat(version(server)).isEqualTo(Integer.toString(written));
            List<String> states = Json.read(
                            server.post("v2/repository/index", "{}").body())
                    .each()
                    .map(each -> each.at("state").text())
                    .distinct()
                    .toList();
            assertThat(states).doesNotContain("LOADING");
            System.out.printf(
                    "%d kills: %d answers, %d versions, states %s, %d compiled models kept%n",
                    KILLS,
                    answers.get(),
                    written,
                    states,
                    ContextCache.in(folder.resolve("cache")).list().size());
        }
        assertThat(ContextCache.in(folder.resolve("cache")).list()).isNotEmpty();
    }
}
